"""A driver who feels the wheel: paths that depend on caster, as in Docquier's Fig. 28, and the
smallest difference of caster that he notices."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

import touchback as tb
from touchback.haptics import Constant, Design, FeelingSubject, ForcedChoiceAnswer
from touchback.recording import Run
from touchback.system import System
from touchback.vehicle.drivers import ObstacleAvoider, StraightPath
from touchback.vehicle.manoeuvres import model_of
from touchback.vehicle.simulator import (
    NOTICE,
    RATE,
    SPEED,
    Arms,
    ObstacleEncounter,
    SimulatedWheel,
    SimulatorCar,
    encounter_figures,
)

_APPEARS, _AFTER = 0.3, 5.0  # s
_PLACES = np.arange(-35.0, 55.0, 0.5)  # m from the obstacle

#: Of a steady torque at a steering wheel: Newberry, Griffin and Dowson (2007) found about 15 %.
WEBER = 0.15
BASE, LEVELS, REPEATS = 0.03, (0.02, 0.04, 0.06, 0.09, 0.13, 0.18), 60  # rad; trials a level
_ASKED = (0.03, 0.08, 0.13, 0.18, 0.215)  # rad: between them the torque is interpolated


@dataclass(frozen=True)
class Swerve:
    """Round one obstacle with a caster [rad]."""

    caster: float
    encounter: ObstacleEncounter
    run: Run

    @property
    def path(self) -> np.ndarray:
        """y at places along the road before and after the obstacle [m]."""
        return np.interp(_PLACES, self.run["x"] - self.encounter.place, self.run["y"])

    @property
    def figures(self) -> dict[str, float]:
        """Gap, peaks and so on, of which `encounter_figures` tells."""
        return encounter_figures(self.run, self.encounter)


@cache
def car(arms: Arms) -> System:
    """With a simulated driver who has these arms."""
    driven = SimulatorCar(device=SimulatedWheel(arms=arms))
    return model_of(driven, ObstacleAvoider(StraightPath(), SPEED), SPEED).compile()


@cache
def swerve(arms: Arms, caster: float, assist: float = 0.0) -> Swerve:
    """Two seconds ahead something stands on the road; `assist` is a share of the power assist."""
    with tb.live(
        car(arms).independent_copy(), rate=RATE, method="rk4", speed=None, record=True,
        parameters={"front caster": caster, "assist": assist},
    ) as live:  # fmt: skip
        live.run(_APPEARS)
        place = live.read("x") + NOTICE * live.read("speed")
        live["obstacle"] = place
        live.run(_AFTER)
    return Swerve(caster, ObstacleEncounter(1, caster, place, _APPEARS), live.recorded())


def spread(swerves: list[Swerve]) -> float:
    """By how much paths lie apart, at most [m]."""
    return float(np.ptp([each.path for each in swerves], axis=0).max())


@dataclass(frozen=True)
class Threshold:
    """What a session of forced choice told [rad], beside what it must be."""

    found: float
    low: float
    high: float
    expected: float
    answers: list[ForcedChoiceAnswer]
    noise: float


def discrimination(arms: Arms, seed: int) -> Threshold:
    """Two swerves a trial, one with more caster than `BASE`; the subject names the one in which the
    first peak of the torque was higher. The noise in what it feels makes it right in 75 % of the
    trials where one is higher by `WEBER`: a difference d of two is named rightly with the
    probability Φ(d/(√2 σ))."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    peaks = [abs(swerve(arms, caster).figures["first peak"]) for caster in _ASKED]

    def felt(caster: float) -> float:
        return float(np.interp(caster, _ASKED, peaks))

    noise = WEBER * felt(BASE) / (math.sqrt(2.0) * float(ndtri(0.75)))
    design = Design(
        Constant(LEVELS, REPEATS), "front caster", BASE, 2, "Which wheel was heavier?", "rad"
    )
    subject, given = FeelingSubject(noise, seed), list[ForcedChoiceAnswer]()
    while (posed := design.next_trial(given, seed)) is not None:
        answer = subject.choose([felt(caster) for caster in posed.order], posed.number)
        given.append(design.score_answer(posed, answer))
    fit = design.fit(given)
    due = float(brentq(lambda level: subject.right(felt(BASE + level) - felt(BASE)) - 0.75,
                       LEVELS[0], LEVELS[-1]))  # fmt: skip
    return Threshold(fit.threshold, fit.low, fit.high, due, given, noise)
