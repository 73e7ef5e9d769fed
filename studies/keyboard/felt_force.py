"""The force felt at the front of the motorised key, beside that of the action it renders: pressed
slowly by a machine that holds on to it (Docquier 2021, fig. 23 to 26)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from touchback.haptics.human_operator import Operator
from touchback.haptics.wall.wall_plant import Finger
from touchback.instruments.keyboard.key_device import FRONT, KeyDevice, add_device, push_key
from touchback.instruments.keyboard.key_mechanisms import COUPLING, Voice, piano
from touchback.instruments.piano.action_specification import Masses, Specification
from touchback.instruments.piano.stroke_analysis import force_curve, slow_press
from touchback.model import Model
from touchback.model.frame import Frame
from touchback.recording import Run
from touchback.simulate import simulate
from touchback.system import System

SPEED = 0.010  # m/s, as Docquier pressed
DEEPEST = 10.4e-3  # m: past the bed, whatever the coupling gives
SETTLING = 0.4  # s until virtual parts are at rest
STEP = 2.5e-4  # s
GRIP = "finger grip"
DIP = Specification().regulation.dip

# What Docquier changed, and by how much; the hammer that is lighter only by computing too.
VARIATIONS: dict[str, dict[str, float]] = {
    "normal": {},
    "button low": {"let-off button height": -0.5e-3},
    "button high": {"let-off button height": 0.5e-3},
    "hammer − 2 g": {"hammer mass": Masses().head - 0.002},
    "hammer + 3 g": {"hammer mass": Masses().head + 0.003},
    "hammer + 6 g": {"hammer mass": Masses().head + 0.006},
}

# Stiff against what the key asks for, and slow to be moved: 1 N displaces it by 67 µm.
MACHINE = Operator(Finger(0.05, 40.0, 3e4), pad_stiffness=3e4, pad_damping=20.0)


@dataclass(frozen=True)
class ForceByDepth:
    """Depth of the key front [m] and force [N] on the way down; `give` is what the coupling spring
    yields for a newton [m/N], zero where nothing lies between hand and action."""

    depth: np.ndarray
    force: np.ndarray
    give: float = 0.0

    def at(self, depth: np.ndarray, behind: bool = False) -> np.ndarray:
        """The force [N] at depths [m] of the key front; `behind` the coupling: at depths of the
        virtual key, as far as the spring tells."""
        own = self.depth - self.give * self.force if behind else self.depth
        order = np.argsort(own)
        return np.interp(depth, own[order], self.force[order])

    @property
    def let_off(self) -> float:
        """The most [N] that is felt between 7 mm and the key bed of the action."""
        depths = np.linspace(7e-3, DIP, 501)
        return float(self.at(depths, behind=True).max())

    @property
    def weight(self) -> float:
        """The mean [N] between 2 and 4 mm, before the damper is lifted."""
        return float(self.at(np.linspace(2e-3, 4e-3, 201)).mean())

    def off(self, other: "ForceByDepth", behind: bool = False) -> float:
        """How far it is from another, root mean square from 0.5 to 9.2 mm [N]."""
        depths = np.linspace(0.5e-3, 9.2e-3, 871)
        difference = self.at(depths, behind) - other.at(depths, behind)
        return float(np.sqrt(np.mean(difference**2)))


def felt_of_actions(
    variations: Mapping[str, Mapping[str, float]] = VARIATIONS,
) -> dict[str, ForceByDepth]:
    """What the action alone asks of whoever presses it."""
    system = slow_press(speed=SPEED)
    return {
        name: ForceByDepth(*force_curve(system, given).down) for name, given in variations.items()
    }


def felt_of_keys(
    rate: float = 1000.0,
    variations: Mapping[str, Mapping[str, float]] = VARIATIONS,
    device: KeyDevice | None = None,
    voice: Voice = piano,
) -> dict[str, ForceByDepth]:
    """What the motorised key asks that renders the action at a rate; the `voice` is a piano."""
    system = held_key(rate, voice, device)
    give = 1.0 / (COUPLING[0] * rate)
    curves = {}
    for name, given in variations.items():
        run = press(system, rate, {f"action/{key}": value for key, value in given.items()})
        down = (run.time > SETTLING) & (run.time <= SETTLING + DEEPEST / SPEED)
        curves[name] = ForceByDepth(run["key"][down] * FRONT, run["finger force"][down], give)
    return curves


def held_key(rate: float, voice: Voice, device: KeyDevice | None = None) -> System:
    """A motorised key that a machine holds: inputs "finger intention" [m] and its rate."""
    m = Model("held key")
    own = device or KeyDevice()
    push_key(m, own, voice(m, add_device(m, own, rate)).force)
    MACHINE.add(m, "finger", Frame("key", (-FRONT, 0.0, 0.0)), height=0.0)
    m.report("finger force")
    return m.compile()


def press(system: System, rate: float, parameters: Mapping[str, float] | None = None) -> Run:
    """A run of a held key: at rest, then down at a constant speed."""
    end = SETTLING + DEEPEST / SPEED
    way = np.array([0.0, SETTLING, end]), np.array([0.0, 0.0, DEEPEST])
    edges = np.array([0.0, SETTLING, np.nextafter(SETTLING, end), end])
    speed = edges, np.array([0.0, 0.0, SPEED, SPEED])
    return simulate(
        system, duration=end, rate=rate, step=STEP, method="rk4", output_step=1e-3, progress=False,
        inputs={"finger intention": way, "finger intention rate": speed},
        parameters={GRIP: 1.0, **(parameters or {})},
    )  # fmt: skip
