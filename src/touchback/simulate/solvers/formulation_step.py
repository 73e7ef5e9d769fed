"""Steps that are formulations of constraints too: chosen by `constraints` or `method`."""

from dataclasses import dataclass, field

from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.solvers.solver import Can


@dataclass(frozen=True, kw_only=True)
class FormulationStep(FixedStep):
    """The step of the formulation called `word`; options as those of `RK4`."""

    can = (FixedStep.can | Can.STIFF) & ~(Can.COPIES | Can.RUBBING)

    word: str = field(kw_only=False)
