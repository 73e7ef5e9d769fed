"""The wall of the laboratory as a mechanism, to be pushed live: a handle, a finger that wishes it
somewhere, and every wall there is, computed at its own rate within faster ticks and held.
"""

from dataclasses import dataclass

from touchback import JointEffort, Model, Prismatic, Signal, exp, select
from touchback.errors import InputError
from touchback.haptics.displays import WALLS, ChosenWall, wall_law
from touchback.haptics.displays.wall_displays import assumed_plant
from touchback.haptics.wall.encoder_sensing import DifferenceSensing
from touchback.haptics.wall.laws import WallSample
from touchback.haptics.wall.passivity_limits import BENCH_DAMPING, BENCH_DEVICE
from touchback.haptics.wall.stability_limits import colgate
from touchback.haptics.wall.wall_controllers import KINDS, Kind
from touchback.haptics.wall.wall_plant import Device, Finger
from touchback.model import alternatives, choice_name
from touchback.names import suggestion

TICKS = 4000.0  # a second: as often as a live wall can be sampled
FOLLOWING = 0.012  # s that the finger lags behind a wish: pointers come in steps


@dataclass(frozen=True)
class Rendering:
    """How a wall of the laboratory is had: its law (a name of `WALLS`), its damping [N s/m], and
    whether the law is told differences of positions instead of the velocity."""

    law: str
    damping: float = 0.0
    differentiated: bool = False

    def parameters(self, model: Model, stiffness: float, rate: float) -> dict[str, float]:
        """As live parameters of a `rendered_wall`, for a stiffness [N/m] and samples a second."""
        choices = {
            "wall": "wall" if self.law == "standard" else self.law,
            "wall sense": "differences" if self.differentiated else "wall sense",
        }
        chosen = {
            choice_name(control): float(alternatives(model.controls, control).index(alternative))
            for control, alternative in choices.items()
        }
        return chosen | {
            "wall stiffness": stiffness, "wall damping": self.damping, "wall rate": rate,
        }  # fmt: skip

    def felt(self, stiffness: float, rate: float) -> float:
        """How stiff it is [N/m] if so much is asked for: walls that look ahead are bounded."""
        law = wall_law(self.law, BENCH_DEVICE)
        plant = assumed_plant(BENCH_DEVICE, Finger())
        sample = WallSample(0.0, 0.0, 0.0, plant, 0.0, stiffness, self.damping, 1.0 / rate)
        return float(sample.expressible().stiffness) if law.compensates else stiffness

    def passive_bound(self, rate: float, device: Device = BENCH_DEVICE) -> float | None:
        """Up to which stiffness [N/m] it is passive for any hand, by Colgate & Schenkel (1994):
        K ≤ 2 (b − |B|)/T. None where that condition doesn't apply: the force must follow from
        sampled positions. A sampled velocity isn't among them (a hand may make it what it likes
        between two positions), nor is what laws know of the hand, by which they look ahead."""
        if self.law != "standard" or (self.damping and not self.differentiated):
            return None
        return colgate(device.damping, 1.0 / rate, self.damping)


def _rendering(each: Kind) -> Rendering:
    law = each.name.partition(",")[0].replace(" ", "-")
    return Rendering(
        law if law in WALLS else "standard", BENCH_DAMPING if each.damped else 0.0,
        each.sensing == DifferenceSensing(),
    )  # fmt: skip


RENDERED = {each.name: _rendering(each) for each in KINDS} | {"adaptive": Rendering("adaptive")}
"""Every wall of the laboratory, by its name there."""


def rendering(name: str) -> Rendering:
    """How the wall of a name is had."""
    if name not in RENDERED:
        raise InputError(f"There is no wall '{name}' to push; {suggestion(name, RENDERED)}")
    return RENDERED[name]


def rendered_wall(
    ticks: float = TICKS, device: Device = BENCH_DEVICE, finger: Finger | None = None
) -> Model:
    """A handle on a slide along x, held by a finger that wishes it at the input "hand" [m]; the
    wall fills x < 0. Signals: "wall force" [N] as it is held, "wall gave" [J], the energy that the
    wall has given so far (exact: held force times way), "hand force" [N]. Live parameters: those of
    `Rendering`, and "follows" (1: the finger lags behind its wish, as behind a pointer)."""
    hand = finger or Finger()
    m = Model("virtual wall", gravity=(0, 0, 0))
    handle = m.body("handle", mass=device.mass + hand.mass)
    m.joint("handle", Prismatic("x"), m.ground, handle, damping=device.damping)
    y, v = m.coordinate("handle"), m.rate("handle")
    follows = m.parameter("follows", 1.0, min=0.0, max=1.0)
    wish = m.input("hand", unit="m", default=0.01)
    followed = m.memory("hand followed", 0.01)
    share = select(follows > 0.5, 1.0 - exp(-1.0 / (ticks * FOLLOWING)), 1.0)
    here = followed + share * (wish - followed)
    m.set_update("hand followed", here)
    pulled = hand.stiffness * (followed - y) - hand.damping * v
    m.force("finger", JointEffort("handle", pulled))
    display = ChosenWall(device=device, finger=hand)
    display.fresh(m, "wall", y, v, ticks, bias=hand.stiffness * here)
    held = m.signal("wall force")
    m.force("wall", JointEffort("handle", held))
    before = m.memory("handle before", 0.01, update=y)
    given = m.memory("energy given")
    gave = given + held * (y - before)
    m.set_update("energy given", gave)
    m.sensor("wall gave", Signal(gave, "J"))
    m.sensor("hand force", Signal(pulled, "N"))
    return m
