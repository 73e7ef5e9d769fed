"""ROBOTRAN's .mbs files: reader."""
