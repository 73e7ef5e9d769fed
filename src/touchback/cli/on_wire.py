"""`touchback play … --device`: an instrument felt on real keys."""

from contextlib import ExitStack
from dataclasses import dataclass, replace

from touchback.cli.console import out
from touchback.cli.device import calibrated, opened, show_identified
from touchback.cli.performing import Performance, tell_of_other_keys
from touchback.devices.midi import MidiPort
from touchback.gallery.keyboard.keys import notes_of
from touchback.gallery.keyboard.regulation import Regulation
from touchback.gallery.keyboard.wired import WiredKey, playable


@dataclass(frozen=True)
class OnWire:
    """What is to be played on keys of which devices."""

    places: list[str]
    rate: float
    seconds: float
    identified: bool
    port: str | None
    regulation: Regulation


def play_on_devices(wanted: OnWire, performance: Performance) -> None:
    """Every axis of every device is a key, white ones from middle C in the order given. Each finds
    its own constants first, so that a newton asked for is one. Pedals come from a MIDI port."""
    playable(performance.voice, wanted.rate, wanted.regulation)
    with ExitStack() as closing:
        port = wanted.port
        source = None if port is None else closing.enter_context(MidiPort(port, write=False))
        # All are opened before one moves: what is given twice, or is no key, is refused at once.
        devices = [closing.enter_context(opened(place)) for place in wanted.places]
        found = [WiredKey(device, i) for device in devices for i in range(len(device.axes))]
        keys = [_calibrated(key) if wanted.identified else key for key in found]
        for key in keys:
            simulated = ", simulated" if key.device.simulated else ""
            axis = key.device.axis(key.axis).name
            out.print(f"{key.device.name}/{axis}{simulated}: forces × {key.gain:.3f}")
        tell_of_other_keys(wanted.regulation, notes_of(len(keys)))
        out.print(
            f"{len(keys)} keys, {performance.voice}, for {wanted.seconds:g} s, under your own "
            "fingers: pointer and letters of a page press simulated keys only.",
            soft_wrap=True,
        )
        performance.on_wires(keys, source, wanted.seconds, wanted.rate, wanted.regulation)


def _calibrated(key: WiredKey) -> WiredKey:
    """A key whose force is corrected by what it found itself."""
    constants = calibrated(key.device, key.axis)
    show_identified(constants)
    return replace(key, gain=constants.claimed_constant / constants.force_constant)
