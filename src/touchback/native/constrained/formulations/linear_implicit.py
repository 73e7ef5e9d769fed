"""Linear-implicit Euler of index 2 (Wang 2011, eq. 8-9, corrected)."""

from touchback.native.constrained.formulations.formulation import Formulation


class LinearImplicit(Formulation):
    """A step of order 1 of its own, for stiff mechanisms at a fixed cost."""

    word = "linear-implicit"
    rate, table = "multipliers_rate", "stepped_kind"
    step, elsewhere = True, False
