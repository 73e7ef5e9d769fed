"""Functions of a system as C callables: float64 arrays of the right shape go straight in, and
everything else (dicts, lists, arrays of states) is read kindly first."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native._calls import Call
from touchback.system.function import Floats, Function
from touchback.system.reading import Misfit, as_rows, checked_out, filled, leading, read_times
from touchback.system.solved_motion import SolvedMotion

if TYPE_CHECKING:
    from touchback.system.arrays import Arrays

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Arrays")

_ARRAY, _NUMBER, _ABSENT, _OUT = range(4)  # kinds of arguments, as calls.c numbers them
_ORDER = ("q", "v", "u", "t", "extra", "z", "out")


@dataclass(frozen=True)
class Way:
    """A function that a method is: its name, the argument that is the function's further one, and
    which part of its output is wanted ("v" of [q, v, z], "x": all of that; else everything)."""

    function: str
    extra: str = ""
    part: str = ""


def by_its_name(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], R]:
    """A method that says its own name where arrays don't go together."""

    @functools.wraps(method)
    def named(system: S, /, *given: P.args, **others: P.kwargs) -> R:
        try:
            return method(system, *given, **others)
        except Misfit as error:
            raise InputError(f"{method.__name__}: {error}") from None

    return named


def hot(
    *ways: Way,
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """A method that gives what a function gives, in the first of these ways whose further argument
    is there. The method itself is the friendly road; when it was taken once, the system holds a C
    callable in its place, until a setting changes."""

    def decorate(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        plain = by_its_name(method)

        @functools.wraps(method)
        def friendly(system: S, /, *given: P.args, **named: P.kwargs) -> R:
            calls = system.calls
            result = plain(system, *given, **named)
            calls.hold(system, friendly, ways)
            return result

        return friendly

    return decorate


class Calls:
    """The C callables of a system with its parameters as they are now: when a setting changes, the
    system gets new `Calls`, so that a thread that is late can't bring old settings back."""

    def __init__(self, system: Arrays) -> None:
        self._system, self._parameters = system, system._parameters
        self._evaluated: dict[tuple[Function | SolvedMotion, int], Callable[..., Floats]] = {}
        self._known: dict[str, Function | SolvedMotion] = {}
        self.held: dict[str, int] = {}  # methods that are C callables, and in how many ways

    # ---- a function by itself -------------------------------------------------------------------

    def by_name(self, name: str) -> Function | SolvedMotion:
        """A function of the system."""
        if name not in self._known:
            self._known[name] = self._system.motion.callable(self._system.key, name)
        return self._known[name]

    def evaluate(
        self,
        function: Function | SolvedMotion,
        q: Any,
        v: Any,
        u: Any,
        t: Any,
        extra: Floats | None = None,
        z: Any = None,
        out: Floats | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> Floats:
        """The output at a state, or at an array of states."""
        further = 0 if extra is None else extra.shape[-1]
        if parameters is not None:
            return self._kindly(function, further, q, v, u, t, extra, z, out, parameters)
        call = self._evaluated.get((function, further))
        if call is None:
            friendly = functools.partial(self._kindly, function, further)
            shape = function.shape
            made = self._call(function, function.name, "", _ORDER, "extra", further, (0, -1, shape),
                              friendly, None)  # fmt: skip
            call = self._evaluated[function, further] = made.method
        return call(q, v, u, t, extra, z, out)

    def _kindly(
        self,
        function: Function | SolvedMotion,
        further: int,
        q: Any,
        v: Any,
        u: Any,
        t: Any,
        extra: Floats | None,
        z: Any,
        out: Floats | None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> Floats:
        layout, start = self._system.layout, self._system.motion.start
        inputs = self._system.input_defaults
        varied = layout.varied(self._parameters, {} if parameters is None else parameters)
        given = [
            filled("q", q, layout.q, start.q),
            filled("v", v, layout.v, np.zeros(len(layout.v))),
            filled("z", z, layout.z, start.z),
            read_times(t),
            filled("u", u, layout.inputs, inputs),
            np.zeros(0) if extra is None else np.ascontiguousarray(extra),
        ]
        lead = leading([*given, varied])
        shape = (*lead, *function.shape)
        result = np.empty(shape) if out is None else checked_out(out, shape)
        flat = result.reshape(math.prod(lead), function.out_size)
        places = [0, *accumulate(array.shape[-1] for array in given)]
        parts = [(as_rows(array, lead, out), at) for array, at in zip(given, places, strict=False)]
        sizes = places[3], places[6] - places[3]
        blocks = function.block_for(as_rows(varied, lead, None))
        function.rows(sizes, parts, blocks, flat)
        return result

    # ---- methods --------------------------------------------------------------------------------

    def hold(self, system: Arrays, method: Callable[..., Any], ways: Sequence[Way]) -> None:
        """Lets the system hold a C callable in place of a method, in the ways that were taken."""
        taken = [way for way in ways if way.function in self._known]
        name = method.__name__
        if self.held.get(name, 0) == len(taken):
            return
        arguments = tuple(inspect.signature(method).parameters)[1:]
        doc = f"{name}({', '.join(arguments)})\n--\n\n{method.__doc__}"
        friendly, made = MethodType(method, system), None
        for way in reversed(taken):
            function = self._known[way.function]
            further = len(system.layout.v) if way.extra else 0
            made = self._call(function, name, doc, arguments, way.extra, further,
                              self._part(function, way.part), friendly, made)  # fmt: skip
        with system.deriving:
            if system.calls is self and made is not None:
                self.held[name] = len(taken)
                system.__dict__[name] = made.method

    def _part(
        self, function: Function | SolvedMotion, part: str
    ) -> tuple[int, int, tuple[int, ...]]:
        """The first output that is wanted, the one that tells a refusal, and the shape."""
        nq, nv, nz = self._system.sizes
        first, shape = {"v": (nq, (nv,)), "x": (0, (nq + nv + nz,))}.get(part, (0, function.shape))
        return first, function.refusal, shape

    def _call(
        self,
        function: Function | SolvedMotion,
        name: str,
        doc: str,
        arguments: Sequence[str],
        extra: str,
        further: int,
        part: tuple[int, int, tuple[int, ...]],
        friendly: Callable[..., Any],
        otherwise: Call | None,
    ) -> Call:
        """`extra` names the argument of `further` numbers that the function has, if any."""
        layout, start = self._system.layout, self._system.motion.start
        sizes = {"q": len(layout.q), "v": len(layout.v), "z": len(layout.z), "t": 1,
                 "u": len(layout.inputs)}  # fmt: skip
        x = sizes["q"] + sizes["v"] + sizes["z"]
        starts = np.cumsum([0, *sizes.values()])
        place = dict(zip(sizes, map(int, starts), strict=False))
        described = []
        for argument in arguments:
            if argument == "out":
                described.append((argument, _OUT, 0, 0, False))
            elif argument == extra and further:
                described.append((argument, _ARRAY, int(starts[-1]), further, True))
            elif argument in sizes:
                kind = _NUMBER if argument == "t" else _ARRAY
                described.append((argument, kind, place[argument], sizes[argument], False))
            else:
                described.append((argument, _ABSENT, 0, 0, False))
        compiled = function.compiled
        defaults = [start.q, np.zeros(sizes["v"]), start.z, [0.0], self._system.input_defaults]
        return Call(
            name, doc, (compiled.address, compiled.context_address, compiled.work_size), x,
            np.concatenate([*defaults, np.zeros(further)]), self._block(function),
            (function.out_size, *part), tuple(described), friendly, (function, compiled), otherwise,
        )  # fmt: skip

    def _block(self, function: Function | SolvedMotion) -> Floats:
        return function.block_for(self._parameters)
