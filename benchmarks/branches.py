"""Equal branches of a tree in lanes: forward dynamics of robots with equal limbs, as they are
compiled and one by one, beside Pinocchio."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

import touchback as tb
from benchmarks.core import as_routine
from benchmarks.engines import pinocchio
from benchmarks.engines.build import Unavailable
from benchmarks.mechanisms import GRAVITY, Mechanism, random_link
from benchmarks.report import Section, microseconds
from benchmarks.run_time import TURNS
from benchmarks.simd import compiled_for
from benchmarks.timing import AnyRoutine, Floats, fastest, interleaved
from touchback.codegen import emit, kinematic_branch_simd
from touchback.codegen.emit_machine_code import TARGETS
from touchback.codegen.host_cpu import host_target
from touchback.symbolic.program import Program

TRUNK = 6  # joints


@dataclass(frozen=True)
class Robot:
    """A trunk of six joints, or a floating body, with limbs of the same axes: all else is drawn at
    random."""

    limbs: int
    joints: int  # of each limb
    floating: bool = True

    @property
    def body(self) -> str:
        return "floating body" if self.floating else "trunk of 6"

    def mechanism(self) -> Mechanism:
        """With a trunk of six joints, of which a floating body is the last."""
        rng = np.random.default_rng(10 * self.limbs + self.joints)
        links = [random_link(rng, i - 1) for i in range(TRUNK)]
        for _ in range(self.limbs):
            for j in range(self.joints):
                parent = TRUNK - 1 if j == 0 else len(links) - 1
                links.append(replace(random_link(rng, parent), axis="zxy"[j % 3]))
        return Mechanism(self.body, tuple(links))

    def model(self) -> tb.Model:
        """The description for Touchback."""
        if not self.floating:
            return self.mechanism().model()
        links = self.mechanism().links[TRUNK - 1 :]
        m = tb.Model(self.body, gravity=GRAVITY)
        bodies = [
            m.body(f"body {i}", link.mass, list(link.com), list(link.inertia))
            for i, link in enumerate(links)
        ]
        m.joint("floating", tb.Free(), m.ground, bodies[0])
        for i, link in enumerate(links[1:], 1):
            on, child = link.on_parent, link.on_child
            above = bodies[link.parent - TRUNK + 1].at(*on.at, turn=on.turn)
            m.joint(f"joint {i}", tb.Revolute(link.axis), above,
                    bodies[i].at(*child.at, turn=child.turn))  # fmt: skip
        return m

    def program(self) -> Program:
        """Its forward dynamics."""
        return self.model().compile().function("forward dynamics").second


# The last ones are near the limit from which the compile step packs them.
ROBOTS = (Robot(4, 3), Robot(6, 3), Robot(4, 7), Robot(2, 7), Robot(4, 7, False),
          Robot(8, 7, False), Robot(2, 3, False), Robot(2, 2, False))  # fmt: skip


def add(section: Section) -> None:
    """A row for each robot on every target that runs here."""
    target, reason = host_target()
    if target is None:
        section.remark(f"Limbs in lanes are skipped: {reason}.")
        return
    for robot in ROBOTS:
        program = robot.program()
        for each in dict.fromkeys(("x86_64", target) if "x86_64" in target else (target,)):
            _measure(section, robot, program, each)
    section.remark(
        "Limbs of the same axes, all else at random, as compiled; where it says 'not packed', the "
        "compile step leaves them one by one, and the row shows what they would be. "
        + _emission(Robot(4, 7).program(), target)
    )


def _emission(program: Program, target: str) -> str:
    """How long it takes."""
    best = [float("inf")] * 2
    for _ in range(7):
        for k, each in enumerate((replace(program, alike={}), program)):
            start = process_time()
            emit(each, target)
            best[k] = min(best[k], process_time() - start)
    alone, together = (1e3 * time for time in best)
    return f"Emission, 4 limbs of 7: {together:.0f} ms of processor time, {alone:.0f} one by one."


@contextmanager
def _packed_anyway() -> Iterator[None]:
    usual, kinematic_branch_simd.GAIN = (
        kinematic_branch_simd.GAIN,
        dict.fromkeys(kinematic_branch_simd.GAIN, 0.0),
    )
    try:
        yield
    finally:
        kinematic_branch_simd.GAIN = usual


def _measure(section: Section, robot: Robot, program: Program, target: str) -> None:
    usual = kinematic_branch_simd.pack_program(program, TARGETS[target].widths)
    with _packed_anyway():
        made = kinematic_branch_simd.pack_program(program, TARGETS[target].widths)
        together = compiled_for(program, target, 1)
    if made is None:
        raise ArithmeticError("Limbs are not alike.")
    alone = compiled_for(replace(program, alike={}), target, 1)
    X, U = _rows(program)
    n = alone.out_size
    routines: dict[str, AnyRoutine] = {
        "one by one": as_routine(alone), "in lanes": as_routine(together),
    }  # fmt: skip
    first, second = (routine.results(X, U, n) for routine in routines.values())
    if first.tobytes() != second.tobytes():
        raise ArithmeticError("Limbs in lanes give other bits.")
    if not robot.floating:
        routines |= _peer(robot.mechanism(), X, U)
    best = {k: t.best for k, t in interleaved(routines, X, U, n, TURNS).items()}
    said = "" if usual is not None else ", not packed"
    label = f"{robot.body}, {robot.limbs} limbs of {robot.joints}, {target}, {made.width} lanes"
    peer = microseconds(best["Pinocchio"]) if "Pinocchio" in best else "—"
    section.rows.append(
        [f"forward dynamics, {label}{said}", *map(microseconds, list(best.values())[:2]),
         f"{best['one by one'] / best['in lanes']:.2f}", peer]
    )  # fmt: skip
    counted = kinematic_branch_simd.count_instructions(
        program
    ) / kinematic_branch_simd.count_instructions(made)
    section.records.append(
        {"robot": label, **best, "counted": counted, "packed": usual is not None}
    )


def _peer(made: Mechanism, X: Floats, U: Floats) -> dict[str, AnyRoutine]:
    try:
        ways, _ = pinocchio.routines(made)
    except Unavailable:
        return {}
    return {"Pinocchio": fastest(ways["forward"], X, U, made.size)}


def _rows(program: Program) -> tuple[Floats, Floats]:
    """States [q, v] and arguments [time, efforts] at random; quaternions are divided by their
    length."""
    rng = np.random.default_rng(3)
    return rng.standard_normal((8, program.size("x"))), rng.standard_normal((8, program.size("u")))
