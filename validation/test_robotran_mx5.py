"""A car of 52 joints: the equations that ROBOTRAN's own generated code evaluates.

Source: a public ROBOTRAN project of a Mazda MX5 (its .mbs file and the Python code that MBsysTran
8.1 generated from it), evaluated at a random state. ROBOTRAN's flops, as its code states them:
17 509 for M and c, 4 891 for the inverse dynamics. Its code reads masses and lengths from arrays
and adds a force and a torque for each body; ours is derived for the numbers of the file.
"""

import warnings
from typing import Any

import numpy as np
import pytest

from touchback.dynamics import Coordinates, Instant
from touchback.dynamics.forward_dynamics import mass_matrix_entries, solve_efforts
from touchback.interop import ImportNotice, read_mbs
from touchback.model import Model
from touchback.symbolic import Tape
from touchback.symbolic.operation_count import count_tape
from touchback.symbolic.scalars import Operators
from validation.reference import numbers
from validation.reference.robotran import mbs_text

TOLERANCE = 1e-11  # of the largest entry; ROBOTRAN's code and ours round differently
ROBOTRAN_FLOPS = {"M and c": 17509, "inverse dynamics": 4891}


@pytest.fixture(scope="module")
def car() -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportNotice)
        return read_mbs(mbs_text("robotran_mx5"))


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return numbers("robotran_mx5")["evaluated"]


def test_mass_matrix_bias_and_inverse_dynamics_are_robotrans(
    car: Model, published: dict[str, Any]
) -> None:
    q, v, a = (list(map(float, published[name])) for name in ("q", "v", "a"))

    def instant() -> Instant:
        return Instant(car, Operators(), Coordinates(q, v, {}, {}, 0.0, {}))

    M = np.zeros((52, 52))
    for (i, j), entry in mass_matrix_entries(instant()).items():
        M[i, j] = entry
    ours = {
        "M_diagonal": M.diagonal(),
        "M_first_row": M[0],
        "M_frobenius": np.linalg.norm(M),
        "M_logdet": np.linalg.slogdet(M)[1],
        "bias": np.array(solve_efforts(instant(), None), dtype=float),
        "inverse_dynamics": np.array(solve_efforts(instant(), a), dtype=float),
    }
    print(f"\n{'quantity':<16} {'largest':>12} {'difference':>12}")
    for name, value in ours.items():
        theirs = np.array(published[name])
        difference, largest = np.abs(value - theirs).max(), np.abs(theirs).max()
        print(f"{name:<16} {largest:>12.5g} {difference:>12.2e}")
        assert difference < TOLERANCE * largest, name


def test_fewer_operations_than_robotran(car: Model) -> None:
    tape = Tape()
    q, v, a = ([tape.symbol(f"{x}{i}") for i in range(52)] for x in "qva")

    def instant() -> Instant:
        return Instant(car, tape, Coordinates(q, v, {}, {}, tape.symbol("t"), {}))

    upper = [entry for (i, j), entry in mass_matrix_entries(instant()).items() if i <= j]
    ours = {
        "M and c": count_tape(tape, [*upper, *solve_efforts(instant(), None)]).flops,
        "inverse dynamics": count_tape(tape, solve_efforts(instant(), a)).flops,
    }
    print(f"\n{'flops':<18} {'ROBOTRAN':>9} {'ours':>6}")
    for name, flops in ours.items():
        print(f"{name:<18} {ROBOTRAN_FLOPS[name]:>9} {flops:>6}")
        assert flops < ROBOTRAN_FLOPS[name]
