"""What every blind trial's desk lets through: pressing, asking where it stands, answering."""

from __future__ import annotations

from touchback.errors import InputError
from touchback.realtime import Live
from touchback.realtime.control import Desk
from touchback.realtime.control.exposed import Exposed
from touchback.realtime.control.messages import Facts, Read

FEEL = Exposed(inputs=False, parameters=False, hands=False, structure=False, transport=("resume",))
KEY = 60  # the note by which pages call the one key


def blind_desk(live: Live) -> Desk:
    """A desk at which nothing can be set and no signal read: some of them (what a parameter's
    change gave in energy, the state of a voice in the background) would tell what is hidden.
    Anybody may stop the key, and let it go on."""
    desk = Desk(live, FEEL)
    desk.add(Read, _kept)
    return desk


def _kept(message: Read, client: str) -> Facts:
    raise InputError("In a blind trial no signals are read; depth and force come by themselves.")
