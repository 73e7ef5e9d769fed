"""Many instances at once, in C."""
