"""The virtual wall: findings and figures of Gillespie 1996, chapters 5 and 6."""
