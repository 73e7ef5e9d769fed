"""The list of ready mechanisms: a new one is a new file and one line here."""

from touchback.errors import InputError
from touchback.gallery import (
    bouncing_hammer,
    buggy,
    buoy,
    cart_pole,
    crank_rocker,
    double_pendulum,
    driving_simulator,
    four_bars,
    gps_robot,
    gyroscope,
    hanging_chain,
    harpsichord,
    kart,
    mini_baja,
    motor_arm,
    pendulum,
    piano,
    seven_joint_arm,
    slider_crank,
    spinning_top,
    stewart_platform,
    suspension,
    tilting,
)
from touchback.gallery.entry import Entry
from touchback.gallery.omni import bench, mecanum, three_wheels
from touchback.gallery.piano import with_modes as piano_modes
from touchback.model import Model
from touchback.model.names import suggestion

_MODULES = (
    pendulum, double_pendulum, cart_pole, spinning_top, gyroscope, motor_arm, hanging_chain,
    seven_joint_arm, buoy, crank_rocker, slider_crank, four_bars, suspension, stewart_platform,
    bouncing_hammer, harpsichord, piano, piano_modes, bench, three_wheels, mecanum,
    gps_robot, driving_simulator, buggy, mini_baja, tilting, kart,
)  # fmt: skip
ENTRIES: dict[str, Entry] = {module.ENTRY.name: module.ENTRY for module in _MODULES}


def names() -> list[str]:
    """The names of the ready mechanisms, simplest first."""
    return list(ENTRIES)


def entry(name: str) -> Entry:
    """A mechanism with its experiment and a line about it."""
    if name not in ENTRIES:
        raise InputError(
            f"There is no mechanism '{name}' in the gallery; {suggestion(name, names())}"
        )
    return ENTRIES[name]


def make(name: str, **options: object) -> Model:
    """A fresh model; some take options, such as `make("hanging-chain", links=40)`."""
    return entry(name).make(**options)
