"""The catalogue of ready mechanisms, and what one consists of: a model, an experiment and a line
about it. A new one is a new file and one line here. A file is imported when somebody asks for its
mechanism: a pendulum needs no tyres. Its entry is `ENTRY`, or, where a file has several, the
variable after the colon."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
from msgspec.structs import replace

import touchback as tb
from touchback.names import suggestion
from touchback.numbers import InputData, is_real


@dataclass(frozen=True)
class Experiment:
    """A run worth watching: where it starts, how long it lasts [s], what to plot. `positions` and
    `rates` are kept when loops are closed; `guess` says where to begin closing them; `substeps` is
    how many steps its stiffness asks for in a live tick of 1 ms; `rate` how many ticks a second
    what it remembers from tick to tick is made for. Against the clock `devices` feed inputs, named
    as for `touchback live --connect`, which are `watched`."""

    duration: float
    positions: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    inputs: InputData = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    guess: Mapping[str, float] = field(default_factory=dict)
    substeps: int = 1
    rate: float | None = None
    devices: Mapping[str, str] = field(default_factory=dict)
    watched: Mapping[str, tb.devices.WatchedInput] = field(default_factory=dict)

    def start(self, system: tb.System) -> tb.State:
        """The state from which it starts."""
        return system.assemble(self.positions, self.rates, guess=self.guess)

    def run(self, system: tb.System) -> tb.Run:
        """The experiment, with the default method."""
        return tb.simulate(
            system, self.start(system), self.duration, inputs=dict(self.inputs), rate=self.rate
        )


@dataclass(frozen=True)
class Shown:
    """A model with an experiment that can go on and on, as a page shows it."""

    make: Callable[..., tb.Model]
    experiment: Experiment


@dataclass(frozen=True)
class Entry:
    """One mechanism of the gallery. Three sentences explain it to whoever opens it: what it is,
    what happens there and why, and what to try. `shown` is for those whose experiment is over
    before a page is open."""

    name: str
    about: str
    make: Callable[..., tb.Model]
    experiment: Experiment
    sentences: tuple[str, str, str]
    shown: Shown | None = None

    @property
    def on_page(self) -> Shown:
        """What a page shows."""
        return self.shown or Shown(self.make, self.experiment)


_MODULES = {
    "pendulum": "pendulum",
    "double-pendulum": "pendulum:DOUBLE_PENDULUM",
    "cart-pole": "cart_pole:CART_POLE",
    "swing-up": "cart_pole:SWING_UP",
    "spinning-top": "gyroscopes:SPINNING_TOP",
    "gyroscope": "gyroscopes:GYROSCOPE",
    "motor-arm": "robot_arms:MOTOR_ARM",
    "hanging-chain": "pendulum:HANGING_CHAIN",
    "seven-joint-arm": "robot_arms:SEVEN_JOINT_ARM",
    "buoy": "buoy",
    "crank-rocker": "planar_linkages:CRANK_ROCKER",
    "slider-crank": "planar_linkages:SLIDER_CRANK",
    "four-bars": "planar_linkages:FOUR_BARS",
    "scotch-yoke": "planar_linkages:SCOTCH_YOKE",
    "peaucellier": "planar_linkages:PEAUCELLIER",
    "scissor-lift": "planar_linkages:SCISSOR_LIFT",
    "jansen-leg": "planar_linkages:JANSEN_LEG",
    "geneva-drive": "planar_linkages:GENEVA_DRIVE",
    "suspension": "quarter_car",
    "stewart-platform": "stewart_platform",
    "bouncing-hammer": "bouncing_hammer",
    "harpsichord": "key_actions:HARPSICHORD",
    "piano": "key_actions:PIANO",
    "piano-modes": "key_actions:PIANO_WITH_MODES",
    "omni-wheel": "omni_wheel",
    "omni-platform": "omni_platforms:THREE_WHEELS",
    "mecanum-platform": "omni_platforms:MECANUM",
    "gps-robot": "gps_robot",
    "driving-simulator": "driving_simulator",
    "buggy": "instrumented_buggy",
    "mini-baja": "mini_baja",
    "tilting-vehicle": "tilting_vehicle",
    "kart-bench": "kart",
    "fitted-car": "fitted_car",
    "fitted-piano": "fitted_piano",
}

CLASSICS = {
    "crank-rocker": "Four-bar",
    "slider-crank": "Slider-crank",
    "scotch-yoke": "Scotch yoke",
    "peaucellier": "Peaucellier's straight line",
    "scissor-lift": "Scissor lift",
    "jansen-leg": "Theo Jansen's leg",
    "geneva-drive": "Geneva drive",
}
"""Those of the exercises, as textbooks call them."""


_CATEGORIES = {
    "pendulums and tops": (
        "pendulum", "double-pendulum", "cart-pole", "swing-up", "hanging-chain", "spinning-top",
        "gyroscope",
    ),
    "linkages": (
        "crank-rocker", "slider-crank", "four-bars", "scotch-yoke", "peaucellier", "scissor-lift",
        "jansen-leg", "geneva-drive",
    ),
    "arms and platforms": ("motor-arm", "seven-joint-arm", "stewart-platform", "buoy"),
    "keys and hammers": (
        "bouncing-hammer", "harpsichord", "piano", "piano-modes", "fitted-piano",
    ),
    "wheeled robots": ("omni-wheel", "omni-platform", "mecanum-platform", "gps-robot"),
    "vehicles": (
        "suspension", "driving-simulator", "buggy", "mini-baja", "tilting-vehicle", "kart-bench",
        "fitted-car",
    ),
}  # fmt: skip


def category(name: str) -> str:
    """What a mechanism belongs to on pages; "more" where nobody said it."""
    return next((each for each, own in _CATEGORIES.items() if name in own), "more")


def names() -> list[str]:
    """The names of the ready mechanisms, simplest first."""
    return list(_MODULES)


def entry(name: str) -> Entry:
    """A mechanism with its experiment and a line about it."""
    if name not in _MODULES:
        raise tb.InputError(
            f"There is no mechanism '{name}' in the gallery; {suggestion(name, names())}"
        )
    module, _, variable = _MODULES[name].partition(":")
    found: Entry = getattr(import_module(f"touchback.gallery.{module}"), variable or "ENTRY")
    return found


def make(name: str, **options: object) -> tb.Model:
    """A fresh model; some take options, such as `make("hanging-chain", links=40)`."""
    maker = entry(name).make
    known = inspect.signature(maker).parameters
    any_word = any(each.kind is each.VAR_KEYWORD for each in known.values())
    for word in options:
        if word not in known and not any_word:
            raise tb.InputError(
                f"The mechanism '{name}' has no option '{word}'; "
                f"{suggestion(word, known) if known else 'it takes none.'}"
            )
    return maker(**options)


def make_started(name: str) -> tb.Model:
    """A fresh model whose joints and inputs begin as its experiment does: it moves by itself."""
    found = entry(name)
    model = found.make()
    system = model.compile()
    state = found.experiment.start(system)
    q = dict(zip(system.coordinates, np.round(state.q, 9).tolist(), strict=True))
    v = dict(zip(system.velocities, np.round(state.v, 9).tolist(), strict=True))
    for joint, given in model.joints.items():
        model.joints[joint] = replace(
            given,
            position=tuple(q[each] + 0.0 for each in given.position_names(joint)),
            velocity=tuple(v[each] + 0.0 for each in given.velocity_names(joint)),
        )
    for port, value in found.experiment.inputs.items():
        if is_real(value):
            model.inputs[port] = replace(model.inputs[port], default=float(value))
    return model
