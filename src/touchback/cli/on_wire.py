"""`touchback play … --device`: an instrument felt on real keys."""

from contextlib import ExitStack

from touchback.cli.console import out
from touchback.cli.device import calibrated, opened, show_identified
from touchback.gallery.keyboard.listener import Ear
from touchback.gallery.keyboard.wired import WiredKey, play_wired


def play_on_devices(
    voice: str,
    places: list[str],
    rate: float,
    seconds: float,
    identified: bool,
    ear: Ear,
) -> None:
    """Every axis of every device is a key, white ones from middle C in the order given. Each finds
    its own constants first, so that a newton asked for is one."""
    with ExitStack() as closing:
        keys = []
        for place in places:
            device = closing.enter_context(opened(place))
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
        report = play_wired(keys, voice, seconds=seconds, ear=ear, rate=rate)
        out.print("\n" + str(report))
