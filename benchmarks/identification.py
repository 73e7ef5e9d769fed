"""How often the intervals of identified unknowns hold the truth: trials with noise of their own.

A share of 95 % over so many trials is judged by the binomial distribution: fewer than `least` would
be met once in a thousand such studies by intervals that are right."""

import time
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

import touchback as tb
from benchmarks.report import Section, Target

TRIALS = 100
CONFIDENCE, CHANCE = 0.95, 1e-3


@dataclass(frozen=True)
class Study:
    """A system, a run of it without noise, the noise of each signal, and what is looked for."""

    label: str
    system: tb.System
    run: tb.Run
    noise: dict[str, float]
    truth: dict[str, float]
    initial: tuple[str, ...]
    x0: tb.State
    loss: str = "linear"
    outliers: float = 0.0  # share of samples that are ten times as noisy


def run(trials: int = TRIALS) -> Section:
    """A pendulum by squares and by a robust loss, and an arm of four joints with eight unknowns."""
    section = Section(
        f"Identification: {trials} trials, intervals of 95 %",
        ["study", "unknowns", "held, of each", "held, all", "s a fit"],
    )
    least = int(binom.ppf(CHANCE, trials, CONFIDENCE))
    for study in (_pendulum("linear", 0.0), _pendulum("huber", 0.1), _arm()):
        _measure(section, study, trials, least)
    section.remark(
        f"Of {trials} intervals of 95 % that are right, fewer than {least} hold the truth once in "
        f"{1 / CHANCE:g} studies. Noise is normal, white, unknown to the fit; of the robust one a "
        "tenth of the samples is ten times as noisy."
    )
    return section


def _measure(section: Section, study: Study, trials: int, least: int) -> None:
    held, seconds = dict.fromkeys(study.truth, 0), 0.0
    guess = {n: 0.8 * x for n, x in study.truth.items() if n in study.system.layout.parameters}
    for seed in range(trials):
        noisy = _noisy(study, np.random.default_rng(seed))
        began = time.perf_counter()
        found = tb.identify(
            study.system, noisy, parameters=guess, signals=list(study.noise), x0=study.x0,
            initial=study.initial, loss=study.loss, step=5e-3,
        )  # fmt: skip
        seconds += time.perf_counter() - began
        for name, (low, high) in found.interval(CONFIDENCE).items():
            held[name] += low <= study.truth[name] <= high
    share = sum(held.values()) / (trials * len(held))
    told = f"{min(held.values())} … {max(held.values())}"
    section.rows.append(
        [study.label, str(len(held)), told, f"{100 * share:.1f} %", f"{seconds / trials:.3f}"]
    )
    section.records.append({"study": study.label, "trials": trials, "held": held, "s": seconds})
    chance = 100.0 * float(np.sqrt(CONFIDENCE * (1.0 - CONFIDENCE) / trials))
    asked = f"95 of 100 (± {chance:.1f} by chance); of each at least {least} of {trials}"
    met = 100.0 * share >= 95.0 - chance and min(held.values()) >= least
    section.targets.append(
        Target(f"intervals hold the truth: {study.label}", asked, f"{100 * share:.1f}", met)
    )


def _noisy(study: Study, chance: np.random.Generator) -> tb.Run:
    signals = dict(study.run.signals)
    for name, sigma in study.noise.items():
        loud = chance.random(len(study.run)) < study.outliers
        noise = chance.normal(0.0, 1.0, len(study.run)) * np.where(loud, 10.0, 1.0)
        signals[name] = study.run[name] + sigma * noise
    return tb.Run(study.run.time, signals)


def _pendulum(loss: str, outliers: float) -> Study:
    m = tb.Model("pendulum")
    length = m.parameter("length", 1.3, min=0.1)
    damping = m.parameter("damping", 0.2, min=0.0)
    m.joint(
        "swing", tb.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -length)),
        damping=damping,
    )  # fmt: skip
    system = m.compile()
    run = tb.simulate(system, system.assemble(swing=1.0), 5.0, output_step=0.025, progress=False)
    truth = {"length": 1.3, "damping": 0.2, "swing at the start": 1.0}
    label = f"pendulum, 201 samples, loss '{loss}'"
    guess = system.assemble(swing=0.8)
    return Study(
        label, system, run, {"swing": 0.02}, truth, ("swing",), guess, loss=loss, outliers=outliers
    )


def _arm() -> Study:
    """Pushed by sines of unlike frequencies; masses and dampings are unknown."""
    m, truth, parent = tb.Model("arm"), dict[str, float](), None
    for k in range(4):
        mass = m.parameter(f"mass {k + 1}", 2.0 - 0.4 * k, min=0.01)
        rubbing = m.parameter(f"damping {k + 1}", 0.5 - 0.1 * k, min=0.0)
        truth |= {f"mass {k + 1}": 2.0 - 0.4 * k, f"damping {k + 1}": 0.5 - 0.1 * k}
        link = m.body(
            f"link {k + 1}", mass=mass, com=(0.05, 0.02, -0.15), inertia=(0.02, 0.02, 0.004)
        )
        at = m.ground if parent is None else parent.at(0.0, 0.0, -0.3)
        m.joint(f"joint {k + 1}", tb.Revolute("zyyx"[k]), at, link, damping=rubbing)
        effort = m.input(f"torque {k + 1}", unit="N m")
        m.force(f"motor {k + 1}", tb.JointEffort(f"joint {k + 1}", effort))
        parent = link
    system, times = m.compile(), np.linspace(0.0, 4.0, 401)
    inputs = {
        f"torque {k + 1}": (times, (2.0 - 0.4 * k) * np.sin((3.0 + 2.0 * k) * times))
        for k in range(4)
    }
    start = system.initial_state()
    run = tb.simulate(system, start, 4.0, inputs=inputs, output_step=0.01, progress=False)
    noise = {f"joint {k + 1}": 0.005 for k in range(4)}
    return Study("arm of 4 joints, 4 × 401 samples", system, run, noise, truth, (), start)
