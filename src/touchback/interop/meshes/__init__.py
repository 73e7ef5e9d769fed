"""Meshes from files: read, checked, found, and weighed."""
