"""`touchback play … --device`: an instrument felt on real keys."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from touchback.cli.console import out
from touchback.cli.device import calibrated, opened, show_identified
from touchback.cli.performing import Performance, tell_of_other_keys
from touchback.devices.midi import MidiPort
from touchback.gallery.keyboard.keys import notes_of
from touchback.gallery.keyboard.regulation import Regulation
from touchback.gallery.keyboard.wired import WiredKey, playable


@dataclass(frozen=True)
class OnWire:
    """What is to be played on keys of which devices, and where what is heard goes."""

    places: list[str]
    rate: float
    seconds: float
    identified: bool
    port: str | None
    regulation: Regulation
    wav: Path | None
    midi: Path | None


def play_on_devices(wanted: OnWire, performance: Performance) -> None:
    """Every axis of every device is a key, white ones from middle C in the order given. Each finds
    its own constants first, so that a newton asked for is one. Pedals come from a MIDI port. What
    was heard is kept whatever ends it."""
    playable(performance.voice, wanted.rate, wanted.regulation)
    with ExitStack() as closing:
        keys = []
        port = wanted.port
        source = None if port is None else closing.enter_context(MidiPort(port, write=False))
        # All are opened before one moves: a line that is given twice is refused at once.
        for device in [closing.enter_context(opened(place)) for place in wanted.places]:
            for axis, found in enumerate(device.axes):
                gain = 1.0
                if wanted.identified:
                    constants = calibrated(device, axis)
                    show_identified(constants)
                    gain = constants.claimed_constant / constants.force_constant
                keys.append(WiredKey(device, axis, gain))
                simulated = ", simulated" if device.simulated else ""
                out.print(f"{device.name}/{found.name}{simulated}: forces × {gain:.3f}")
        tell_of_other_keys(wanted.regulation, notes_of(len(keys)))
        out.print(
            f"{len(keys)} keys, {performance.voice}, for {wanted.seconds:g} s, under your own "
            "fingers: pointer and letters of a page press simulated keys only.",
            soft_wrap=True,
        )
        try:
            performance.on_wires(keys, source, wanted.seconds, wanted.rate, wanted.regulation)
        finally:
            performance.keep(wanted.wav, wanted.midi)
