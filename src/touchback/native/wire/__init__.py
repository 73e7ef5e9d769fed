"""Devices on a serial line: frames, messages, both ends, in C; and their Python faces."""
