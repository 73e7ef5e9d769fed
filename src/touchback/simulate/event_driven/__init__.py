"""Rigid contacts with every event located: exact stick and slip, impacts, lift-off, rest."""

from touchback.simulate.event_driven.simulate_contacts import simulate_contacts

__all__ = ["simulate_contacts"]
