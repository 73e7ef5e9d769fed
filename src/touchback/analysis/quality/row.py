"""The plain data of the laboratory: one row a setting, one limit a candidate."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A way to run a mechanism: a formulation (None without constraints) with an integrator, in
    relative coordinates or in `natural` ones."""

    formulation: str | None
    method: str
    fixed: bool
    natural: bool = False

    @property
    def label(self) -> str:
        """As it is called in tables, pictures and recommendations."""
        words = [self.formulation or "", self.method if self.method != self.formulation else ""]
        return " ".join(word for word in ["natural" if self.natural else "", *words] if word)


@dataclass(frozen=True)
class Row:
    """What was measured of a candidate at one step, or at one tolerance.

    status    "fine", "unbounded", "failed", "refused" or "not measured"; `note` says why
    drift     max |h| [m, rad]; None without constraints, as `growth` and `velocity_drift`
    growth    exponent p of max |h| ~ tᵖ: 0 bounded, 1 linear, 2 quadratic; None within rounding
    velocity_drift  max |J v − b| [m/s, rad/s]
    energy    max |E − E(0)| over the largest kinetic energy; None where energy isn't conserved
    error     max |q − q of the reference| [m, rad]; of points beside natural coordinates
    load      seconds of computing per simulated second: below 1 is faster than real time
    """

    candidate: Candidate
    step: float | None = None
    rtol: float | None = None
    status: str = "fine"
    note: str = ""
    steps: int = 0
    drift: float | None = None
    growth: float | None = None
    velocity_drift: float | None = None
    energy: float | None = None
    error: float | None = None
    load: float | None = None

    @property
    def setting(self) -> str:
        """The step or the tolerance, in words."""
        return f"{self.step:g} s" if self.step is not None else f"rtol {self.rtol:.0e}"

    @property
    def real_time_factor(self) -> float | None:
        """Simulated seconds per second of computing."""
        return 1.0 / self.load if self.load else None


@dataclass(frozen=True)
class Limit:
    """The largest step that stays bounded. `open`: it is the largest that was tried, the limit lies
    beyond; `step` None: not even the shortest was bounded."""

    step: float | None
    open: bool = False

    def __str__(self) -> str:
        if self.step is None:
            return "none"
        return f"≥ {self.step:.3g} s" if self.open else f"{self.step:.3g} s"
