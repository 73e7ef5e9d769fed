"""Rigid contacts with every event located: exact stick and slip, impacts, lift-off, rest."""
