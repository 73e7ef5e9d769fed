"""One derivation: a tape with the symbols of a system, the mechanism at that symbolic instant, and
the way from equations on that tape to compiled functions."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Self, TypeVar, overload

from touchback.codegen import Backend
from touchback.dynamics import (
    Coordinates,
    Instant,
    Row,
    apply_multipliers,
    coordinate_starts,
    isomorphic_branches,
)
from touchback.model import Model
from touchback.symbolic import Alike, Place, Tape, fuse_sums, split_many
from touchback.system.compiled_function import Function, FunctionSet
from touchback.system.signal_layout import Layout

T = TypeVar("T")


class derived_once(Generic[T]):
    """A cached property: while one thread derives it, others that ask wait at the lock `deriving`
    of the instance, which all of its properties share since they may grow one tape."""

    def __init__(self, derive: Callable[[Any], T]) -> None:
        self._derive, self._name, self.__doc__ = derive, derive.__name__, derive.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        with instance.deriving:
            known = instance.__dict__
            if self._name not in known:
                known[self._name] = self._derive(instance)
            return known[self._name]


_ACCELERATION, _RATE, _MULTIPLIER = "a:", "rate:", "lambda:"


def solved_arguments(layout: Layout, rows: Sequence[str]) -> tuple[str, ...]:
    """Further arguments of functions that know what the equations are solved for: accelerations of
    the velocity coordinates, and multipliers of constraint rows."""
    return (*(_ACCELERATION + x for x in layout.v), *(_MULTIPLIER + x for x in rows))


def rate_arguments(layout: Layout, rows: Sequence[str]) -> tuple[str, ...]:
    """Further arguments of functions along a motion: rates of x = [q, v, z], and multipliers."""
    return (*(_RATE + x for x in layout.state_names), *(_MULTIPLIER + x for x in rows))


class Derivation:
    """Symbols for x = [q, v, z], u = [time, inputs…, extra…] and the parameters, and the instant
    they describe."""

    def __init__(
        self,
        model: Model,
        layout: Layout,
        extra: Sequence[str] = (),
        frame_pass: bool = False,
        merge_fixed: bool = True,
        tape: Tape | None = None,
        backend: Backend = "machine",
    ) -> None:
        """`merge_fixed` lets rigid joints vanish; `tape`: that of a derivation with the same
        symbols, whose functions are to share one parameter block with those of this one."""
        self.tape = Tape() if tape is None else tape
        self.layout, self._backend = layout, backend
        symbol = self.tape.symbol
        self.q = [symbol(f"q:{name}") for name in layout.q]
        self.v = [symbol(f"v:{name}") for name in layout.v]
        self.z = [symbol(name) for name in layout.z]
        self.time = symbol("time")
        self.u = [symbol(name) for name in layout.inputs]
        self._extra = {name: symbol(f"extra:{name}") for name in extra}
        self.parameters = [symbol(name) for name in layout.parameters]
        self._model, self._frame_pass, self._merge_fixed = model, frame_pass, merge_fixed
        self.tape.alike |= self._of_isomorphic_branches()

    def _of_isomorphic_branches(self) -> dict[int, Alike]:
        """Which symbols are of corresponding joints: coordinates, velocities, and arguments that
        are named after them."""
        q_starts, v_starts = coordinate_starts(self._model)
        names = self.layout.state_names
        found: dict[int, Alike] = {}
        for group, branches in enumerate(isomorphic_branches(self._model)):
            for branch, joints in enumerate(branches):
                kinds = [(name, self._model.joints[name].kind) for name in joints]
                at = [q_starts[name] + i for name, kind in kinds for i in range(kind.nq)]
                moving = [v_starts[name] + i for name, kind in kinds for i in range(kind.nv)]
                symbols = [*(self.q[i] for i in at), *(self.v[i] for i in moving)]
                for prefix in ("", _ACCELERATION):
                    symbols += [self._extra.get(prefix + self.layout.v[i], 0) for i in moving]
                symbols += [self._extra.get(_RATE + names[i], 0) for i in at]
                symbols += [self._extra.get(_RATE + names[len(self.q) + i], 0) for i in moving]
                found |= {x: Alike(group, part, branch) for part, x in enumerate(symbols) if x}
        return found

    @cached_property
    def instant(self) -> Instant:
        """The mechanism over this tape."""
        layout = self.layout
        at = Coordinates(
            self.q,
            self.v,
            dict(zip(layout.z, self.z, strict=True)),
            dict(zip(layout.inputs, self.u, strict=True)),
            self.time,
            dict(zip(layout.parameters, self.parameters, strict=True)),
        )
        return Instant(self._model, self.tape, at, self._merge_fixed, self._frame_pass)

    # ---- further arguments ----------------------------------------------------------------------

    @property
    def extra(self) -> list[int]:
        """Further arguments, in order."""
        return list(self._extra.values())

    @property
    def accelerations(self) -> list[int]:
        """Those that are accelerations: given as such, or as rates of the velocities."""
        rates = self._named(_RATE)
        start = len(self.q)
        return self._named(_ACCELERATION) or rates[start : start + len(self.v)]

    @property
    def z_rates(self) -> list[int]:
        """Those that are rates of extra states."""
        return self._named(_RATE)[len(self.q) + len(self.v) :]

    def multipliers(self, rows: Sequence[Row]) -> list[int]:
        """Those that are multipliers of some constraint rows."""
        return [self._extra[_MULTIPLIER + row.name] for row in rows]

    def _named(self, kind: str) -> list[int]:
        return [node for name, node in self._extra.items() if name.startswith(kind)]

    def argument(self, name: str) -> int:
        """One more."""
        return self._extra.setdefault(name, self.tape.symbol(name))

    def solved(self, rows: Sequence[Row]) -> None:
        """Lets sensors and reactions know what was solved for: arguments from here on."""
        self.instant.a = self.accelerations
        apply_multipliers(self.instant, list(rows), self.multipliers(rows))

    def outputs(self) -> list[int]:
        """What the sensors show."""
        model = self.instant.model
        return [x for sensor in model.outputs() for x in self.instant.measure(sensor)]

    # ---- functions ------------------------------------------------------------------------------

    def functions(
        self,
        wanted: Mapping[str, Sequence[int]],
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        beyond: Sequence[int] = (),
        chains: bool = False,
    ) -> FunctionSet:
        """Functions by name from the nodes that they give, on one parameter block; `shapes` are
        those of results that aren't flat, `beyond` symbols that a state has after its own. As
        `chains` of fused products their sums take fewer operations, and round otherwise."""
        places = self.places()
        size = len(self.q) + len(self.v) + len(self.z)
        places |= {node: ("x", size + i) for i, node in enumerate(beyond)}
        first, seconds = split_many(self.tape, wanted, self.parameters, places)
        shapes = {name: (len(nodes),) for name, nodes in wanted.items()} | dict(shapes or {})
        return FunctionSet(
            {
                name: Function(
                    name,
                    first,
                    fuse_sums(second) if chains else second,
                    shapes[name],
                    self._backend,
                )
                for name, second in seconds.items()
            }
        )

    def places(self) -> dict[int, Place]:
        """Where each symbol is read from."""
        found: dict[int, Place] = {}
        for i, node in enumerate([*self.q, *self.v, *self.z]):
            found[node] = ("x", i)
        for i, node in enumerate([self.time, *self.u, *self.extra]):
            found[node] = ("u", i)
        return found
