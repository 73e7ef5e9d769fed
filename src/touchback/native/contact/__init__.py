"""Rigid contacts: impulses, time-stepping, and what becomes of closed ones."""
