"""Functions of a system as C callables: float64 arrays of the right shape go straight in, and
everything else (dicts, lists, arrays of states) is read kindly first."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import accumulate
from types import MethodType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native import Call
from touchback.system.active_equations import At, Key
from touchback.system.array_arguments import (
    Misfit,
    as_rows,
    checked_out,
    filled,
    leading,
    read_times,
)
from touchback.system.compiled_function import Floats, Function
from touchback.system.constrained_accelerations import SolvedMotion
from touchback.system.signal_layout import Layout, Values
from touchback.system.system_state import State

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
S = TypeVar("S", bound="HasCalls")

_ARRAY, _NUMBER, _ABSENT, _OUT, _BLOCK = range(5)  # kinds of arguments, as call.h numbers them
_ORDER = ("q", "v", "u", "t", "extra", "z", "out", "block")


class Callables(Protocol):
    """What calls need of the dynamics of a mechanism."""

    @property
    def layout(self) -> Layout: ...
    @property
    def start(self) -> State: ...
    def callable(self, key: Key, name: str) -> Function | SolvedMotion: ...


class HasCalls(Protocol):
    """What calls need of a system whose methods they hold."""

    present: list[Calls]

    @property
    def calls(self) -> Calls: ...
    @property
    def deriving(self) -> AbstractContextManager[object]: ...


@dataclass(frozen=True)
class CallVariant:
    """A function that a method is: its name, the argument that is the function's further one, and
    which part of its output is wanted ("v" of [q, v, z], "x": all of that; else everything)."""

    function: str
    extra: str = ""
    part: str = ""


def name_in_shape_errors(
    method: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[T, P], R]:
    """A method that says its own name where arrays don't go together."""

    @functools.wraps(method)
    def named(system: T, /, *given: P.args, **others: P.kwargs) -> R:
        try:
            return method(system, *given, **others)
        except Misfit as error:
            raise InputError(f"{method.__name__}: {error}") from None

    return named


def dispatch_to_native(
    *ways: CallVariant,
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """A method that gives what a function gives, in the first of these ways whose further argument
    is there. The method itself is the friendly road; when it was taken once, the system holds a C
    callable in its place, which takes the friendly road again when a setting has changed."""

    def decorate(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        plain = name_in_shape_errors(method)

        @functools.wraps(method)
        def friendly(system: S, /, *given: P.args, **named: P.kwargs) -> R:
            calls = system.calls
            result = plain(system, *given, **named)
            calls.hold(system, friendly, ways)
            return result

        return friendly

    return decorate


@dataclass
class CallCache:
    """What calls of a system made, with its memory: it stays whatever the settings are."""

    functions: dict[tuple[Key, str], Function | SolvedMotion] = field(default_factory=dict)
    evaluated: dict[tuple[Function | SolvedMotion, int], Callable[..., Floats]] = field(
        default_factory=dict
    )
    methods: dict[str, Call] = field(default_factory=dict)  # those that the system holds
    ways: dict[tuple[Key, str, int], list[Call]] = field(default_factory=dict)  # what they do


class Calls:
    """The functions of a system with its settings as they were at a moment: what acts, and the
    parameters. When one changes, the system gets other `Calls`, so that a thread that is late can't
    bring old settings back; parameter blocks are computed when they are needed first."""

    def __init__(self, motion: Callables, key: Key, parameters: Floats, made: CallCache) -> None:
        self._motion, self.key, self.parameters, self._made = motion, key, parameters, made
        self._blocks: dict[Function | SolvedMotion, Floats] = {}
        self._held: dict[str, int] = {}  # methods that are C callables, and in how many ways

    def with_setting(self, key: Key | None = None, parameters: Floats | None = None) -> Calls:
        """The same with another setting."""
        key = self.key if key is None else key
        values = self.parameters if parameters is None else parameters
        return Calls(self._motion, key, values, self._made)

    def with_own_workspace(self) -> Calls:
        """The same with memory of its own."""
        return Calls(self._motion, self.key, self.parameters, CallCache())

    @property
    def methods(self) -> list[str]:
        """Names of methods that are C callables."""
        return list(self._made.methods)

    @property
    def layout(self) -> Layout:
        """Names and sizes."""
        return self._motion.layout

    # ---- a function by itself -------------------------------------------------------------------

    def by_name(self, name: str) -> Function | SolvedMotion:
        """A function of the system."""
        known, what = self._made.functions, (self.key, name)
        if what not in known:
            known.setdefault(what, self._motion.callable(self.key, name))
        return known[what]

    def block(self, function: Function | SolvedMotion) -> Floats:
        """The parameter block of a function."""
        found = self._blocks.get(function)
        if found is None:
            found = self._blocks[function] = function.block_for(self.parameters)
        return found

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
        if parameters is not None:
            blocks = self._varied_blocks(function, parameters)
            return self._call_with_conversion(function, q, v, u, t, extra, z, out, blocks)
        further = 0 if extra is None else extra.shape[-1]
        call = self._made.evaluated.get((function, further))
        if call is None:
            friendly = functools.partial(self._call_with_conversion, function)
            made = self._call(function, function.name, "", _ORDER, 0, "extra", further,
                              (0, -1, function.shape), friendly, None)  # fmt: skip
            call = self._made.evaluated[function, further] = made.method
        return call(q, v, u, t, extra, z, out, self.block(function))

    def call_by_name(
        self, name: str, at: At, extra: Floats | None = None, out: Floats | None = None
    ) -> Floats:
        """What a function gives at a state or an array of states, with further arguments."""
        return self.call_function(self.by_name(name), at, extra, out)

    def call_function(
        self, function: Function | SolvedMotion, at: At, extra: Floats | None = None,
        out: Floats | None = None,
    ) -> Floats:  # fmt: skip
        """The same of a function at hand."""
        return self.evaluate(function, at.q, at.v, at.u, at.t, extra, at.z, out, at.parameters)

    def velocity_values(self, label: str, given: Values) -> Floats:
        """A number for each velocity coordinate."""
        return filled(label, given, self.layout.v, np.zeros(len(self.layout.v)))

    def _varied_blocks(
        self, function: Function | SolvedMotion, parameters: Mapping[str, ArrayLike]
    ) -> Floats:
        """Parameter blocks, (…, block), with parameters replaced by numbers or arrays."""
        varied = self._motion.layout.varied(self.parameters, parameters)
        lead = varied.shape[:-1]
        blocks = function.block_for(as_rows(varied, lead, None))
        each = blocks if blocks.ndim == 1 else blocks.reshape(*lead, blocks.shape[-1])
        return np.broadcast_to(each, (*lead, blocks.shape[-1]))

    def _call_with_conversion(
        self,
        function: Function | SolvedMotion,
        q: Any,
        v: Any,
        u: Any,
        t: Any,
        extra: Floats | None,
        z: Any,
        out: Floats | None,
        blocks: Floats,
    ) -> Floats:
        """Nothing here depends on the settings: they are in the blocks."""
        layout, start = self._motion.layout, self._motion.start
        given = [
            filled("q", q, layout.q, start.q),
            filled("v", v, layout.v, np.zeros(len(layout.v))),
            filled("z", z, layout.z, start.z),
            read_times(t),
            filled("u", u, layout.inputs, np.array(layout.input_defaults, dtype=float)),
            np.zeros(0) if extra is None else extra,
        ]
        lead = leading([*given, blocks])
        shape = (*lead, *function.shape)
        result = np.empty(shape) if out is None else checked_out(out, shape)
        flat = np.asarray(result).reshape(math.prod(lead), function.out_size)
        places = [0, *accumulate(array.shape[-1] for array in given)]
        parts = [(as_rows(array, lead, out), at) for array, at in zip(given, places, strict=False)]
        sizes = places[3], places[6] - places[3]
        function.rows(sizes, parts, as_rows(blocks, lead, None), flat)
        return result

    # ---- methods --------------------------------------------------------------------------------

    def hold(
        self, system: HasCalls, method: Callable[..., Any], ways: Sequence[CallVariant]
    ) -> None:
        """Lets the system hold a C callable in place of a method, in the ways that were taken."""
        taken = [way for way in ways if (self.key, way.function) in self._made.functions]
        name = method.__name__
        if self._held.get(name, 0) == len(taken):
            return
        functions = [self.by_name(way.function) for way in taken]
        with system.deriving:
            if system.calls is not self:
                return
            what = (self.key, name, len(taken))
            if what not in self._made.ways:
                self._made.ways[what] = self._call_chain(
                    MethodType(method, system), taken, functions
                )
            chain = self._made.ways[what]
            for call, function in zip(chain, functions, strict=True):
                call.take(self.block(function))
            held = self._made.methods.setdefault(name, chain[0])
            held.follow(system.present, self, chain[0])
            system.__dict__.setdefault(name, held.method)
            self._held[name] = len(taken)

    def _call_chain(
        self,
        friendly: MethodType,
        ways: Sequence[CallVariant],
        functions: Sequence[Function | SolvedMotion],
    ) -> list[Call]:
        """The calls that a method tries one after the other."""
        name = friendly.__name__
        signature = inspect.signature(friendly).parameters
        arguments = tuple(signature)
        needed = sum(each.default is each.empty for each in signature.values())
        words = ", ".join(str(each.replace(annotation=each.empty)) for each in signature.values())
        doc = f"{name}({words})\n--\n\n{friendly.__doc__}"
        chain: list[Call] = []
        for way, function in zip(reversed(ways), reversed(functions), strict=True):
            further = len(self._motion.layout.v) if way.extra else 0
            made = self._call(function, name, doc, arguments, needed, way.extra, further,
                              self._output_part(function, way.part), friendly,
                              chain[0] if chain else None)  # fmt: skip
            chain.insert(0, made)
        return chain

    def _output_part(
        self, function: Function | SolvedMotion, part: str
    ) -> tuple[int, int, tuple[int, ...]]:
        """The first output that is wanted, the one that tells a refusal, and the shape."""
        nq, nv, nz = self._motion.layout.sizes
        first, shape = {"v": (nq, (nv,)), "x": (0, (nq + nv + nz,))}.get(part, (0, function.shape))
        return first, function.refusal, shape

    def _call(
        self,
        function: Function | SolvedMotion,
        name: str,
        doc: str,
        arguments: Sequence[str],
        needed: int,
        extra: str,
        further: int,
        part: tuple[int, int, tuple[int, ...]],
        friendly: Callable[..., Any],
        otherwise: Call | None,
    ) -> Call:
        """The first `needed` arguments may not be left out; `extra` names the one of `further`
        numbers that the function has, if any."""
        layout, start = self._motion.layout, self._motion.start
        sizes = {"q": len(layout.q), "v": len(layout.v), "z": len(layout.z), "t": 1,
                 "u": len(layout.inputs)}  # fmt: skip
        x = sizes["q"] + sizes["v"] + sizes["z"]
        starts = np.cumsum([0, *sizes.values()])
        place = dict(zip(sizes, map(int, starts), strict=False))
        described = []
        for i, argument in enumerate(arguments):
            kind, at, size, required = _ABSENT, 0, 0, False
            if argument == "out":
                kind = _OUT
            elif argument == "block":
                kind, required = _BLOCK, True
            elif argument == extra and further:
                kind, at, size, required = _ARRAY, int(starts[-1]), further, True
            elif argument in sizes:
                kind = _NUMBER if argument == "t" else _ARRAY
                at, size = place[argument], sizes[argument]
            described.append((argument, kind, at, size, required, i < needed))
        compiled = function.compiled
        defaults = [start.q, np.zeros(sizes["v"]), start.z, [0.0], layout.input_defaults]
        return Call(
            name, doc, (compiled.address, compiled.context_address, compiled.work_size), x,
            np.concatenate([*defaults, np.zeros(further)]), self.block(function),
            (function.out_size, *part), tuple(described), friendly, (function, compiled), otherwise,
        )  # fmt: skip
