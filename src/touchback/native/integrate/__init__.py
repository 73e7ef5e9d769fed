"""A state, its rate, and the methods that step it through time; events, memories, books."""
