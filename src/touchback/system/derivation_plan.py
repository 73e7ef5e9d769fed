"""The plan of a compilation: link frames and algorithms, chosen by counting operations."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from touchback.dynamics import ALGORITHMS, Tree, dof_order, dof_parents, solve_efforts
from touchback.dynamics.forward_dynamics import solve_accelerations
from touchback.model import Model
from touchback.symbolic import count_tape
from touchback.system.derivation import Derivation, derived_once
from touchback.system.signal_layout import Layout

_COUNT_ALL = 14  # freedoms up to which every candidate is derived and counted
_COUNT_SOME = 60  # freedoms up to which two candidates are
_DEEP = 10  # mean depth of the tree beyond which the mass matrix is cheaper in the axes of its root
_BUSHY = 150  # mean square of the depth below which factorising the mass matrix may pay
_BUSHIER = 27  # below which it does, as counted on trees of revolute joints
_LOOP = 1500  # pairs of coordinates on a path beyond which the mass matrix is computed by a loop
_LOOP_SOLUTIONS = 2000  # a third of the operations of a solution for each freedom, likewise


@dataclass(frozen=True)
class Plan:
    """What was chosen for a model."""

    frame_pass: bool
    choose_algorithm: Callable[[], str]
    root_mass_matrix: bool
    loop_mass_matrix: bool
    loop_derivatives: bool
    plain_coordinates: bool  # q̇ = v
    dof_order: np.ndarray  # velocity coordinates, parents first
    dof_parents: np.ndarray  # in that order: position of the parent, −1 at the ground
    deriving: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    @derived_once
    def algorithm(self) -> str:
        """That of forward dynamics, counted when it is first asked for: mechanisms with constraints
        solve theirs otherwise and never ask."""
        return self.choose_algorithm()


def make_plan(model: Model, layout: Layout, tree: Tree) -> Plan:
    """Count what can be counted quickly, estimate the rest; `tree` is the literal one, over any
    scalars."""
    parents = dof_parents(tree)
    depths = _depths(parents, dof_order(tree))
    counted = _Counted(model, layout), _Counted(model, layout, frame_pass=True)
    frame_pass = _frames_pay(tree, *counted)
    chosen = counted[frame_pass]
    order = np.array(dof_order(tree), dtype=np.int64)
    position = {int(dof): i for i, dof in enumerate(order)}
    pairs = sum(depths)
    return Plan(
        frame_pass=frame_pass,
        choose_algorithm=lambda: _algorithm(chosen, depths),
        root_mass_matrix=pairs > _DEEP * len(depths),
        loop_mass_matrix=pairs > _LOOP,
        loop_derivatives=pairs * len(depths) > _LOOP_SOLUTIONS,
        plain_coordinates=all(joint.kind.nq == joint.kind.nv for joint in model.joints.values()),
        dof_order=order,
        dof_parents=np.array(
            [position[parents[dof]] if parents[dof] >= 0 else -1 for dof in order], dtype=np.int64
        ),
    )


def _depths(parents: list[int], order: list[int]) -> list[int]:
    depth: dict[int, int] = {-1: 0}
    for dof in order:
        depth[dof] = depth[parents[dof]] + 1
    return [depth[dof] for dof in order]


def _frames_pay(tree: Tree, described: "_Counted", chosen: "_Counted") -> bool:
    """Whether chosen link frames need fewer operations than the described ones."""
    if len(described.derivation.layout.v) > _COUNT_ALL * 4:
        return any(_general(link.placement.R) for link in tree.links)
    return chosen.flops("inverse") < described.flops("inverse")


def _general(R: np.ndarray | None) -> bool:
    """Whether a constant rotation is more than a change of axes."""
    return R is not None and not np.all(np.isin(np.abs(R), (0.0, 1.0)))


def _algorithm(counted: "_Counted", depths: list[int]) -> str:
    """The algorithm for forward dynamics. Articulated bodies cost about the same for each freedom,
    factorising grows with the square of its depth."""
    mean_square = sum(depth * depth for depth in depths) / max(1, len(depths))
    candidates: tuple[str, ...] = ALGORITHMS
    if len(depths) > _COUNT_ALL:
        if mean_square >= _BUSHY:
            return "articulated"
        if len(depths) > _COUNT_SOME:
            return "factorised" if mean_square < _BUSHIER else "articulated"
        candidates = ("articulated", "factorised")
    return min(candidates, key=counted.flops)


class _Counted:
    """Candidates over one derivation: they share the motion of the bodies and their loads, which
    take longer to derive than what they differ in."""

    def __init__(self, model: Model, layout: Layout, frame_pass: bool = False) -> None:
        self.frame_pass = frame_pass
        self.derivation = Derivation(model, layout, layout.v, frame_pass)

    def flops(self, what: str) -> int:
        """Of inverse dynamics, or of forward dynamics by an algorithm."""
        d = self.derivation
        outputs = (
            solve_efforts(d.instant, d.extra)
            if what == "inverse"
            else solve_accelerations(d.instant, d.extra, what)
        )
        return count_tape(d.tape, outputs).flops
