"""Simulated subjects, whose thresholds are known: what a method must find."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.haptics.trials.forced_choice import Design, ForcedChoiceAnswer, ForcedChoiceTrial
from touchback.haptics.trials.psychometric_functions import Psychometric
from touchback.numbers import check_fields


@dataclass(frozen=True)
class SimulatedSubject:
    """Is right as often as a psychometric function says; `seed` and the number of a trial decide
    how it answers, so that a session that goes on later gets the same answers."""

    person: Psychometric
    seed: int = 0

    def choose(self, posed: ForcedChoiceTrial) -> int:
        """The interval that it names."""
        chance = random.Random(f"subject {self.seed} {posed.number}")
        if chance.random() < float(self.person.right(posed.level)):
            return posed.odd
        return chance.choice([i + 1 for i in range(len(posed.order)) if i + 1 != posed.odd])

    def run(self, design: Design, seed: int) -> list[ForcedChoiceAnswer]:
        """The answers of a whole session, kept nowhere."""
        given: list[ForcedChoiceAnswer] = []
        while (posed := design.next_trial(given, seed)) is not None:
            given.append(design.score_answer(posed, self.choose(posed)))
        return given


@dataclass(frozen=True)
class FeelingSubject:
    """Knows only what it felt: a number of each interval, such as a force [N], with noise of its
    own of a standard deviation. It names the interval in which it felt most."""

    noise: float
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if not (np.isfinite(self.noise) and self.noise > 0.0):
            raise InputError(f"FeelingSubject: a noise of {self.noise}; give one above zero.")

    def choose(self, felt: Sequence[float], number: int) -> int:
        """The interval that it names in a trial of some number."""
        chance = np.random.default_rng([self.seed, number])
        return int(np.argmax(np.asarray(felt) + chance.normal(0.0, self.noise, len(felt)))) + 1

    def right(self, difference: float, intervals: int = 2) -> float:
        """How often it is right where one interval is felt to be so much more: of two,
        Φ(d/√2); in general ∫ φ(z − d) Φ(z)^(m − 1) dz with d in units of the noise (Green & Swets
        1966)."""
        from scipy.special import ndtr

        z = np.linspace(-9.0, 9.0, 4001)
        d = difference / self.noise
        density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        return float(np.trapezoid(density * ndtr(z + d) ** (intervals - 1), z))
