"""A model with a hand, what a mouse pulls bodies by as ordinary inputs; and hands at work: who
holds what, and how stiffly."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback import Expr, Frame, Hand, Model, System
from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.realtime.control import CommandServer
from touchback.realtime.control.control_messages import Facts
from touchback.system import float_instant
from touchback.workbench.manipulate.manipulator_messages import Grab, Pull, Release
from touchback.workbench.manipulate.state_snapshot import (
    StateSnapshot,
    check_body,
    refuse_rows,
    take_snapshot,
)
from touchback.workbench.manipulate.undo_history import copied

HAND = "hand"


_WEIGHTS = 20.0  # of the whole mechanism: what a hand can pull at most


_EARTH = 9.81  # m/s², where there is no gravity to compare with


def grip_name(hand: str) -> str:
    """The input that says which body is held."""
    return f"{hand} grip"


def target_names(hand: str) -> tuple[str, str, str]:
    """The inputs that say where the hand pulls."""
    return f"{hand} to x", f"{hand} to y", f"{hand} to z"


def point_names(hand: str) -> tuple[str, str, str]:
    """The inputs that say by which point of the body it holds."""
    return f"{hand} at x", f"{hand} at y", f"{hand} at z"


def law_names(hand: str) -> tuple[str, str]:
    """The inputs of stiffness and damping."""
    return f"{hand} stiffness", f"{hand} damping"


def input_names(hand: str) -> tuple[str, ...]:
    """All inputs of a hand."""
    return grip_name(hand), *target_names(hand), *point_names(hand), *law_names(hand)


def bound_name(hand: str) -> str:
    """The parameter that bounds its force."""
    return f"{hand} bound"


def hands_of(model: Model) -> list[str]:
    """The hands that a model has."""
    return [name for name, force in model.forces.items() if isinstance(force, Hand)]


def model_with_hands(model: Model, hands: Sequence[str] = (HAND,)) -> Model:
    """The same mechanism, flat, with hands (one, unless more are named) that hold nothing yet."""
    other = copied(model)
    if not other.bodies:
        raise InputError(f"Model '{model.name}': it has no body that a hand could hold.")
    for hand in hands:
        if hand not in hands_of(other):
            _add(other, hand)
    return other


def with_hand(system: System) -> System:
    """The same system with a hand; as it is where it has one, or is a row of copies."""
    if system.names or hands_of(system.model) or not system.model.bodies:
        return system
    other = model_with_hands(system.model).compile()
    for name, value in system.parameters.items():
        other[name] = value
    return other


def _add(model: Model, hand: str) -> None:
    def vector(names: tuple[str, str, str]) -> tuple[Expr, Expr, Expr]:
        x, y, z = (model.input(name, "m") for name in names)
        return x, y, z

    grip = model.input(grip_name(hand))
    target, point = vector(target_names(hand)), vector(point_names(hand))
    stiffness, damping = law_names(hand)
    model.force(
        hand,
        Hand(
            tuple(Frame(body) for body in model.bodies), grip, target, point,
            model.input(stiffness, "N/m"), model.input(damping, "N s/m"),
            model.parameter(bound_name(hand), bound_of(model), "N", min=0.0),
        ),
    )  # fmt: skip


def mass_of(model: Model, parameters: Mapping[str, float] | None = None) -> float:
    """The mass of all bodies [kg]."""
    instant = float_instant(model, parameters=parameters)
    return float(sum(instant.value(body.mass) for body in model.bodies.values()))


def bound_of(model: Model) -> float:
    """The default bound of a hand's force: twenty times the weight of the mechanism [N]."""
    gravity = [float(float_instant(model).value(x)) for x in model.gravity]
    return _WEIGHTS * (float(np.linalg.norm(gravity)) or _EARTH) * mass_of(model) or 1.0


_EAGER = 50.0  # rad/s: what a hand wants the whole mechanism to follow it with


_FAST = (
    0.2  # of a step: the fastest that the lightest direction may swing, where any method is sure
)


_LOOK = 0.1  # s between two looks at how light a held point is


_DAMPED = 0.7  # of critical


_MOST = (
    4.0  # times the usual stiffness of a light point: what may be asked for, swings of 0.4 a step
)


@dataclass(frozen=True)
class Spring:
    """A hand's stiffness [N/m] and damping [N s/m], and the most that a run's step allows."""

    stiffness: float
    damping: float
    most: tuple[float, float]
    mass: float = 0.0  # of the whole mechanism [kg]


@dataclass(frozen=True)
class ClientGrip:
    """What a hand of a client holds."""

    client: str
    body: str
    spring: Spring


class Grips:
    """The hands of a run; from any thread."""

    def __init__(self, commands: CommandServer) -> None:
        self._commands, self._lock = commands, threading.RLock()
        self.held: dict[str, ClientGrip] = {}
        self._looked: dict[str, float] = {}

    def grab(self, asked: Grab, client: str) -> Facts:
        """Holds a body, where it is."""
        live = self._commands.live
        refuse_rows(live.system)
        check_body(live.system, asked.body)
        self._commands.check("hands", asked.body)
        self._check_hand(asked.hand, client)
        now, at = take_snapshot(live), np.array(asked.point)
        spring = _requested_spring(
            asked, spring_for(now, asked.body, at, self._step())
        )  # may be compiled
        target = now.point(asked.body, at)
        with self._lock:
            self._check_hand(asked.hand, client)
            self._write(grip_name(asked.hand), 0.0)  # nothing is held with half of the numbers
            for name, value in (
                *zip(target_names(asked.hand), target, strict=True),
                *zip(point_names(asked.hand), at, strict=True),
                *zip(law_names(asked.hand), (spring.stiffness, spring.damping), strict=True),
            ):
                self._write(name, float(value))
            number = list(live.system.model.bodies).index(asked.body) + 1
            self._write(grip_name(asked.hand), float(number))
            self.held[asked.hand] = ClientGrip(client, asked.body, spring)
            self._looked[asked.hand] = time.monotonic()
        return {
            "hand": asked.hand, "body": asked.body, "to": [float(x) for x in target],
            "stiffness": spring.stiffness, "damping": spring.damping,
            "bound": live[bound_name(asked.hand)], "tick": live.ticks,
        }  # fmt: skip

    def pull(self, asked: Pull, client: str) -> Facts:
        """Pulls what is held to another place."""
        with self._lock:
            held = self._holding(asked.hand, client)
            spring = _requested_spring(asked, self._eased(asked.hand, held))
            for name, value in zip(target_names(asked.hand), asked.to, strict=True):
                self._write(name, float(value))
            if spring != held.spring:
                numbers = spring.stiffness, spring.damping
                for name, value in zip(law_names(asked.hand), numbers, strict=True):
                    self._write(name, value)
                self.held[asked.hand] = ClientGrip(client, held.body, spring)
        return {"hand": asked.hand, "body": held.body, "tick": self._commands.live.ticks}

    def _eased(self, hand: str, held: ClientGrip) -> Spring:
        """The spring of a hand, made softer where the mechanism has become so light that a step
        couldn't follow; looked at now and then."""
        now = time.monotonic()
        if now - self._looked.get(hand, 0.0) < _LOOK:
            return held.spring
        self._looked[hand] = now
        live, names = self._commands.live, point_names(hand)
        at = np.array([live[name] for name in names])
        most = spring_for(take_snapshot(live), held.body, at, self._step(), held.spring.mass).most
        stiffness, damping = held.spring.stiffness, held.spring.damping
        return replace(
            held.spring, stiffness=min(stiffness, most[0]), damping=min(damping, most[1]), most=most
        )

    def release(self, asked: Release, client: str) -> Facts:
        """Lets go; of nothing too."""
        with self._lock:
            held = self.held.get(asked.hand)
            if held is not None and held.client != client:
                self._holding(asked.hand, client)  # says whose it is
            self._let_go(asked.hand)
        return {"hand": asked.hand, "tick": self._commands.live.ticks}

    def leave(self, client: str) -> list[str]:
        """Lets go of what a client held who is gone; the hands that did."""
        with self._lock:
            left = [hand for hand, held in self.held.items() if held.client == client]
            for hand in left:
                self._let_go(hand)
        return left

    def _let_go(self, hand: str) -> None:
        self.held.pop(hand, None)
        if self._commands.live.state == "stopped":
            return
        if grip_name(hand) in self._commands.live.system.input_names:
            self._write(grip_name(hand), 0.0)

    def _check_hand(self, hand: str, client: str) -> None:
        """Refuses a hand that isn't there, or is another's."""
        system = self._commands.live.system
        known = [
            each
            for each in hands_of(system.model)
            if set(input_names(each)) <= set(system.input_names)
        ]
        if not known:
            raise InputError(
                f"{system.name}: the run has no hand to hold bodies with; start it with "
                "`model_with_hands(model).compile()` of touchback.workbench, or open it there."
            )
        if hand not in known:
            raise unknown_name("hand", hand, known)
        held = self.held.get(hand)
        if held is not None and held.client != client:
            raise InputError(
                f"Hand '{hand}': somebody else holds '{held.body}' with it; wait until it lets go."
            )

    def _holding(self, hand: str, client: str) -> ClientGrip:
        self._check_hand(hand, client)
        if hand not in self.held:
            raise InputError(f"Hand '{hand}': it holds nothing; `grab` a body first.")
        return self.held[hand]

    def _write(self, name: str, value: float) -> None:
        self._commands.live[name] = value

    def _step(self) -> float:
        live = self._commands.live
        return 1.0 / (live.spec.rate * live.spec.substeps)


def spring_for(
    now: StateSnapshot, body: str, at: np.ndarray, step: float, known: float = 0.0
) -> Spring:
    """A spring that carries the mechanism along as fast as a hand wants, and that a step [s] of any
    method integrates: the lightest direction of the point swings by at most a fifth of a radian in
    it. Near a dead point, where it feels heavier than it will be, it counts as the whole
    mechanism."""
    giving = np.linalg.eigvalsh(0.5 * ((W := now.mobility(body, at)) + W.T))
    whole = known or mass_of(now.system.model, now.parameters)
    mass = whole or 1.0 / max(giving[-1], 1e-9)
    felt = [1.0 / each for each in giving if each * mass > 1.0]
    light, heavy = min(felt, default=mass), max(felt, default=mass)
    safe = light * (_FAST / step) ** 2, _FAST * 2.0 * light / step
    stiffness = min(mass * _EAGER**2, safe[0])
    damping = min(2.0 * _DAMPED * np.sqrt(stiffness * heavy), safe[1])
    return Spring(float(stiffness), float(damping), (_MOST * safe[0], _MOST * safe[1]), mass)


def _requested_spring(asked: Grab | Pull, usual: Spring) -> Spring:
    """The spring with what a message asks for, within what is stable."""
    numbers = []
    for word, own, most, unit in (
        ("stiffness", usual.stiffness, usual.most[0], "N/m"),
        ("damping", usual.damping, usual.most[1], "N s/m"),
    ):
        given = getattr(asked, word)
        if given is not None and given > most:
            raise InputError(
                f"Hand '{asked.hand}': a {word} of {given:g} {unit} is more than this run's step "
                f"can follow at that point; ask for at most {most:.3g}, or run faster."
            )
        numbers.append(own if given is None else float(given))
    return replace(usual, stiffness=numbers[0], damping=numbers[1])
