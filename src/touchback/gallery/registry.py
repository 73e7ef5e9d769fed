"""The list of ready mechanisms: a new one is a new file and one line here. A file is imported when
somebody asks for its mechanism: a pendulum needs no tyres. Its entry is `ENTRY`, or, where a file
has several, the variable after the colon."""

from importlib import import_module

from touchback import Model
from touchback.errors import InputError
from touchback.gallery.entry import Entry
from touchback.names import suggestion

_MODULES = {
    "pendulum": "pendulum",
    "double-pendulum": "double_pendulum",
    "cart-pole": "cart_pole",
    "swing-up": "swing_up",
    "spinning-top": "spinning_top",
    "gyroscope": "gyroscope",
    "motor-arm": "motor_arm",
    "hanging-chain": "hanging_chain",
    "seven-joint-arm": "seven_joint_arm",
    "buoy": "buoy",
    "crank-rocker": "crank_rocker",
    "slider-crank": "slider_crank",
    "four-bars": "four_bars",
    "suspension": "suspension",
    "stewart-platform": "stewart_platform",
    "bouncing-hammer": "bouncing_hammer",
    "harpsichord": "key_actions:HARPSICHORD",
    "piano": "key_actions:PIANO",
    "piano-modes": "key_actions:PIANO_WITH_MODES",
    "omni-wheel": "omni.bench",
    "omni-platform": "omni.three_wheels",
    "mecanum-platform": "omni.mecanum",
    "gps-robot": "gps_robot",
    "driving-simulator": "driving_simulator",
    "buggy": "buggy",
    "mini-baja": "mini_baja",
    "tilting-vehicle": "tilting",
    "kart-bench": "kart",
    "fitted-car": "fitted_car",
    "fitted-piano": "fitted_piano",
}


def names() -> list[str]:
    """The names of the ready mechanisms, simplest first."""
    return list(_MODULES)


def entry(name: str) -> Entry:
    """A mechanism with its experiment and a line about it."""
    if name not in _MODULES:
        raise InputError(
            f"There is no mechanism '{name}' in the gallery; {suggestion(name, names())}"
        )
    module, _, variable = _MODULES[name].partition(":")
    found: Entry = getattr(import_module(f"touchback.gallery.{module}"), variable or "ENTRY")
    return found


def make(name: str, **options: object) -> Model:
    """A fresh model; some take options, such as `make("hanging-chain", links=40)`."""
    return entry(name).make(**options)
