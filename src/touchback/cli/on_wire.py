"""`touchback play … --device`: an instrument felt on real keys."""

from contextlib import ExitStack

from touchback.cli.console import out
from touchback.cli.device import calibrated, opened, show_identified
from touchback.cli.performing import Performance
from touchback.devices.midi import MidiPort
from touchback.gallery.keyboard.wired import WiredKey, play_wired


def play_on_devices(
    voice: str,
    places: list[str],
    rate: float,
    seconds: float,
    identified: bool,
    performance: Performance,
    port: str | None = None,
) -> None:
    """Every axis of every device is a key, white ones from middle C in the order given. Each finds
    its own constants first, so that a newton asked for is one. Pedals come from a MIDI port."""
    with ExitStack() as closing:
        keys = []
        source = None if port is None else closing.enter_context(MidiPort(port, write=False))
        # All are opened before one moves: a line that is given twice is refused at once.
        for device in [closing.enter_context(opened(place)) for place in places]:
            for axis, found in enumerate(device.axes):
                gain = 1.0
                if identified:
                    constants = calibrated(device, axis)
                    show_identified(constants)
                    gain = constants.claimed_constant / constants.force_constant
                keys.append(WiredKey(device, axis, gain))
                simulated = ", simulated" if device.simulated else ""
                out.print(f"{device.name}/{found.name}{simulated}: forces × {gain:.3f}")
        out.print(f"{len(keys)} keys, {voice}, for {seconds:g} s")
        feet = performance.from_feet(source)
        report = play_wired(
            keys, voice, seconds=seconds, ear=performance.ear(), rate=rate, feet=feet
        )
        out.print("\n" + str(report))
