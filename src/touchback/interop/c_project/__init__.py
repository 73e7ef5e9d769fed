"""Models as projects of plain C."""
