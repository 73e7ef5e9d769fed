"""The wall of the laboratory as a mechanism, to be pushed live: a handle, a finger that wishes it
somewhere, and a wall whose force is computed once a tick and held.

Every law without memory is affine inside the wall: f = feed · bias − stiffness · y − damping · v,
where the bias is what the finger pushes at y = 0. So one law with three live numbers renders all
of them; `law_of` finds the numbers of a design.
"""

from dataclasses import dataclass

from touchback.errors import InputError
from touchback.haptics.displays import hold
from touchback.haptics.wall.deadbeat import DeadbeatWall
from touchback.haptics.wall.kinds import KINDS, kind
from touchback.haptics.wall.oscillator import State
from touchback.haptics.wall.passivity import BENCH_DAMPING, BENCH_DEVICE
from touchback.haptics.wall.plant import Device, Finger, Plant, Target
from touchback.haptics.wall.sensing import Differentiated
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.joints import Prismatic
from touchback.model.sensors import Signal
from touchback.symbolic.functions import exp, select

FOLLOWING = 0.012  # s that the finger lags behind a wish: pointers come in steps


@dataclass(frozen=True)
class Law:
    """The three live numbers of a wall, and whether its velocity is differentiated."""

    stiffness: float
    damping: float
    feed: float
    differentiated: bool

    def parameters(self) -> dict[str, float]:
        """As live parameters of `rendered_wall`."""
        return {
            "law stiffness": self.stiffness, "law damping": self.damping, "law feed": self.feed,
            "differentiated": float(self.differentiated),
        }  # fmt: skip


def law_of(
    name: str,
    stiffness: float,
    rate: float,
    device: Device = BENCH_DEVICE,
    finger: Finger | None = None,
) -> Law:
    """The law of a wall of the laboratory by name, for a stiffness [N/m] and so many ticks a
    second, found by asking its controller at states inside the wall."""
    chosen, hand = kind(name), finger or Finger()
    target = Target(stiffness, BENCH_DAMPING if chosen.damped else 0.0)

    def asked(y: float, v: float, bias: float) -> float:
        controller = chosen.build(Plant(device, hand, bias=bias), target, 1.0 / rate)
        if isinstance(controller, DeadbeatWall):
            raise InputError(
                f"The wall '{name}' remembers its contact and isn't rendered live; take one of "
                f"{', '.join(RENDERED)}."
            )
        return controller.force(0, State(y, v))

    still = asked(-1.0, 0.0, 0.0)
    return Law(
        asked(-2.0, 0.0, 0.0) - still, still - asked(-1.0, 1.0, 0.0), asked(-1.0, 0.0, 1.0) - still,
        chosen.sensing == Differentiated(),
    )  # fmt: skip


RENDERED = tuple(each.name for each in KINDS if not each.name.startswith("deadbeat"))
"""Walls without memory, which can be felt live."""


def rendered_wall(
    rate: float = 1000.0, device: Device = BENCH_DEVICE, finger: Finger | None = None
) -> Model:
    """A handle on a slide along x, held by a finger that wishes it at the input "hand" [m]; the
    wall fills x < 0. Sensors: "wall force" [N] as it is held, "wall gave" [J], the energy that the
    wall has given so far (exact: held force times way), "hand force" [N]. Live parameters: those of
    `Law`, "period" [s] and "follows" (1: the finger lags behind its wish, as behind a pointer)."""
    hand = finger or Finger()
    m = Model("virtual wall", gravity=(0, 0, 0))
    handle = m.body("handle", mass=device.mass + hand.mass)
    m.joint("handle", Prismatic("x"), m.ground, handle, damping=device.damping)
    y, v = m.coordinate("handle"), m.rate("handle")
    law = law_of("standard", 1000.0, rate)
    stiffness = m.parameter("law stiffness", law.stiffness, unit="N/m")
    damping = m.parameter("law damping", law.damping, unit="N s/m")
    feed = m.parameter("law feed", law.feed)
    differentiated = m.parameter("differentiated", 0.0, min=0.0, max=1.0)
    period = m.parameter("period", 1.0 / rate, unit="s", min=1e-4, max=1.0)
    follows = m.parameter("follows", 1.0, min=0.0, max=1.0)
    wish = m.input("hand", unit="m", default=0.01)
    followed = m.memory("hand followed", 0.01)
    share = select(follows > 0.5, 1.0 - exp(period * (-1.0 / FOLLOWING)), 1.0)
    here = followed + share * (wish - followed)
    m.set_update("hand followed", here)
    pulled = hand.stiffness * (followed - y) - hand.damping * v
    m.force("finger", JointEffort("handle", pulled))
    before = m.memory("handle before", 0.01, update=y)
    known = select(differentiated > 0.5, (y - before) / period, v)
    inside = feed * (hand.stiffness * here) - stiffness * y - damping * known
    force = select(y < 0.0, inside, 0.0)
    held = hold(m, "wall force held", force)
    m.force("wall", JointEffort("handle", held))
    given = m.memory("energy given")
    gave = given + held * (y - before)
    m.set_update("energy given", gave)
    m.sensor("wall force", Signal(held, "N"))
    m.sensor("wall gave", Signal(gave, "J"))
    m.sensor("hand force", Signal(pulled, "N"))
    return m
