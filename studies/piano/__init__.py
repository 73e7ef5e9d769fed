"""Experiments on the action, one file each: runs that anyone can repeat."""
