"""What every blind trial's desk lets through: pressing, asking where it stands, answering."""

from __future__ import annotations

from touchback.errors import InputError
from touchback.realtime import Live
from touchback.realtime.control import Desk
from touchback.realtime.control.exposed import NOTHING
from touchback.realtime.control.messages import Facts, Read

KEY = 60  # the note by which pages call the one key


def blind_desk(live: Live) -> Desk:
    """A desk at which nothing can be set and no signal read: some of them (what a parameter's
    change gave in energy, the state of a voice in the background) would tell what is hidden."""
    desk = Desk(live, NOTHING)
    desk.add(Read, _kept)
    return desk


def _kept(message: Read, client: str) -> Facts:
    raise InputError("In a blind trial no signals are read; depth and force come by themselves.")
