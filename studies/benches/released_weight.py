"""A weight let go on the key, seen by a camera (Gillespie 1996, §3.7, Fig. 3.18).

He released a weight just above the key of a one-key action and filmed ten patches at 1000 frames a
second, 700 of them, from which angles were deduced. Neither the weight's mass nor its height is
told: both are chosen. When it was let go isn't told either: that time is chosen so that the string
is struck at 0.2 s of the recording, as in his figure, which is therefore no prediction.
"""

from dataclasses import dataclass

import numpy as np

from touchback.contact import ProfileContact
from touchback.contact.contact_laws import Felt
from touchback.contact.planar_profiles import Circle, Line
from touchback.instruments.piano.action_specification import Specification, rotate_in_plane
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import crossings
from touchback.model.forces import JointEffort
from touchback.model.frame import BodyHandle
from touchback.model.joints import Prismatic
from touchback.recording import Run
from touchback.simulate import simulate

WEIGHT, ABOVE = 0.125, 1e-3  # kg, m over the key front (chosen)
RELEASED = 0.111  # s of the recording at which it is let go (chosen)
RADIUS = 5e-3  # m of its rounded foot
FRAMES, RATE = 700, 1000.0
PATCH = 0.05e-3  # m: how well a patch's centroid is found (chosen)
ARM = 0.06  # m between the two patches of a body (chosen)
SETTLE = 0.3
ANGLES = ("q1", "q2", "q3", "q5", "q6")  # key, hammer, repetition lever, whippen, jack


@dataclass(frozen=True)
class Filmed:
    """A run; times of frames [s]; his angles as they were and as the camera tells them [rad],
    counted from rest."""

    run: Run
    time: np.ndarray
    true: dict[str, np.ndarray]
    seen: dict[str, np.ndarray]
    strikes: list[float]


def filmed(weight: float = WEIGHT, above: float = ABOVE, seed: int = 1) -> Filmed:
    """The weight is let go; the camera films."""
    front = Specification().dimensions.key_front
    m = grand_piano_action("force")
    m.joint("weight", Prismatic("-z"), m.ground, m.body("weight", mass=weight))
    held = m.parameter("held", 1.0, min=0.0, max=1.0)
    key = BodyHandle("key").at(-front, 0, Specification().dimensions.key_height)
    height = Specification().dimensions.key_height + RADIUS + above
    foot = Circle(BodyHandle("weight").at(-front, 0, height), RADIUS)
    m.force("foot", ProfileContact(foot, Line(key), Felt(2e7, 2.0, 2e-3)))
    m.force("hand", JointEffort("weight", -9.81 * weight * held))
    system = m.compile()
    rest = simulate(system, duration=SETTLE, method="euler", step=5e-5, progress=False)
    state = np.array([rest[name][-1] for name in system.state_names])
    duration = FRAMES / RATE - RELEASED
    run = simulate(
        system, state, duration, start=RELEASED, rtol=1e-6, atol=1e-9, output_step=1 / RATE / 4,
        parameters={"held": 0.0}, progress=False,
    )  # fmt: skip
    time = np.arange(FRAMES) / RATE
    true = {name: np.interp(time, run.time, x) for name, x in his_angles(run).items()}
    random = np.random.default_rng(seed)
    seen = {name: _seen(angle, random) for name, angle in true.items()}
    return Filmed(run, time, true, seen, crossings(run.time, run["string gap"]))


def his_angles(run: Run) -> dict[str, np.ndarray]:
    """His q₁, q₂, q₃, q₅ and q₆ from rest [rad]: each body to the horizontal. Whippen and lever
    fall where ours rise, for he counts from the other side."""
    whippen = -run["whippen"]
    return {
        "q1": run["key"],
        "q2": run["hammer"],
        "q3": whippen - run["lever"],
        "q5": whippen,
        "q6": whippen + run["jack"],
    }


def _seen(angle: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """An angle as two patches tell it: by the inverse tangent of their noisy places."""
    ends = [np.array([rotate_in_plane(a, (x, 0.0)) for a in angle]) for x in (0.0, ARM)]
    first, second = (end + random.normal(0.0, PATCH, end.shape) for end in ends)
    apart = second - first
    return np.arctan2(apart[:, 1], apart[:, 0])
