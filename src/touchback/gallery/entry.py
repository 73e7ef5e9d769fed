"""What a ready mechanism consists of: a model, an experiment and a line about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from touchback import Model, Run, State, System, simulate
from touchback.realtime import WatchedInput
from touchback.simulate.protocol import InputData


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
    watched: Mapping[str, WatchedInput] = field(default_factory=dict)

    def start(self, system: System) -> State:
        """The state from which it starts."""
        return system.assemble(self.positions, self.rates, guess=self.guess)

    def run(self, system: System) -> Run:
        """The experiment, with the default method."""
        return simulate(
            system, self.start(system), self.duration, inputs=dict(self.inputs), rate=self.rate
        )


@dataclass(frozen=True)
class Shown:
    """A model with an experiment that can go on and on, as a page shows it."""

    make: Callable[..., Model]
    experiment: Experiment


@dataclass(frozen=True)
class Entry:
    """One mechanism of the gallery. Three sentences explain it to whoever opens it: what it is,
    what happens there and why, and what to try. `shown` is for those whose experiment is over
    before a page is open."""

    name: str
    about: str
    make: Callable[..., Model]
    experiment: Experiment
    sentences: tuple[str, str, str]
    shown: Shown | None = None

    @property
    def on_page(self) -> Shown:
        """What a page shows."""
        return self.shown or Shown(self.make, self.experiment)
