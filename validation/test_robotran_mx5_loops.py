"""The loops of a car of 52 joints: the constraints that ROBOTRAN's own generated code evaluates.

Source: a public ROBOTRAN project of a Mazda MX5 (its .mbs file and the Python code that MBsysTran
8.1 generated from it), evaluated at a random state, where the loops are open: twelve ball cuts,
h = x(end 1) − x(end 2) in the frame of the closest common body, and J q̇.
"""

import warnings

import numpy as np

from touchback.dynamics import Coordinates, Instant
from touchback.dynamics.constraints import constraint_rows
from touchback.interop import ImportNotice, read_mbs
from touchback.symbolic.scalars import Operators
from validation.reference import numbers
from validation.reference.robotran import mbs_text


def test_constraints_of_the_cuts(agreement) -> None:  # type: ignore[no-untyped-def]
    case = numbers("robotran_mx5")["evaluated"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportNotice)
        car = read_mbs(mbs_text("robotran_mx5"))
    q, v = (list(map(float, case[name])) for name in ("q", "v"))
    rows = constraint_rows(Instant(car, Operators(), Coordinates(q, v, {}, {}, 0.0, {})))
    agreement.compare("h [m]", [row.h for row in rows], case["h"], within=1e-12)
    speeds = [sum(slope * v[j] for j, slope in row.J.items()) for row in rows]
    agreement.compare("J v [m/s]", speeds, case["J_v"], within=1e-12)
    size = np.sqrt(sum(float(slope) ** 2 for row in rows for slope in row.J.values()))
    agreement.compare("J, Frobenius norm", size, case["J_frobenius"], within=1e-12)
