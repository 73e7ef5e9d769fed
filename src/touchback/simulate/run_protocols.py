"""Words of runs: arrays, states, and what users give."""

from collections.abc import Callable, Mapping
from typing import Protocol

from numpy.typing import ArrayLike

from touchback.numbers import Floats
from touchback.system import Expr

Numbers = Mapping[str, float]  # by name: parameters


Settle = Callable[[float, Floats], Floats]  # makes the state of a time consistent


Plain = dict[str, object]  # what a run says of itself: text, numbers, lists, dicts


#: A prescribed coordinate: a number, samples, a function of time that an expression can follow, or
#: three functions for position, velocity and acceleration.
Followed = Callable[[Expr], Expr | float]


Motion = ArrayLike | Followed | tuple[Callable[[float], float], ...]


MotionData = Mapping[str, Motion]


class StateData(Protocol):
    """A state with all its elements x = [q, v, z]."""

    @property
    def x(self) -> Floats: ...


class HasState(Protocol):
    """What was found at a state, such as an equilibrium."""

    @property
    def state(self) -> StateData: ...


class MethodInfo(Protocol):
    """What messages say of a solver: its name, and whether tolerances choose its steps."""

    @property
    def word(self) -> str: ...
    @property
    def adaptive(self) -> bool: ...


class StepOptions(Protocol):
    """What a solver says of itself: its name, whether tolerances choose its steps, those [s], and
    the ticks a second at which discrete states change."""

    @property
    def word(self) -> str: ...
    @property
    def adaptive(self) -> bool: ...
    @property
    def step(self) -> float | None: ...
    @property
    def output_step(self) -> float | None: ...
    @property
    def rate(self) -> float | None: ...


#: Where something is looked at; None: at the initial state, assembled.
Where = HasState | StateData | ArrayLike | None
