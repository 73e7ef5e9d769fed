"""Bricard's six-bar: a spatial loop that moves although it should not.

Source: Bricard 1897 (threefold symmetric, links of equal length, axes square to each other); the
mechanism of IFToMM benchmark A04 (González, Dopico, Lugrís, Cuadrado 2006). Six revolute joints
close one loop: Grübler's count gives no freedom, yet it has one, so one of the six equations of the
loop is redundant everywhere. The angles between successive bars alternate:
cos θ + cos φ + cos θ cos φ = 0 (Baker 1980; Chen, You and Tarnai 2005, for a twist of 90°).
"""

import numpy as np

import touchback as tb

# Bars go along the edges of a cube; the hinge at the end of each is square to it and the next.
EDGES = ("x", "y", "z", "-x", "-y", "-z")
HINGES = ("z", "x", "y", "z", "x", "y")  # at the end of bar 0, 1, …


def direction(axis: str) -> np.ndarray:
    return np.eye(3)["xyz".index(axis[-1])] * (-1.0 if axis[0] == "-" else 1.0)


def bricard() -> tb.Model:
    """Bar 0 is the ground from (0, 0, 0) to (1, 0, 0); body frames start along the world's axes."""
    m = tb.Model("Bricard", gravity=(0, -9.81, 0))
    end = m.ground.at(1, 0, 0)
    for i in range(1, 6):
        along = direction(EDGES[i])
        thin = [(1.0 - abs(component)) / 12.0 for component in along]
        bar = m.body(f"bar {i}", 1.0, along / 2, thin)
        m.joint(f"hinge {i}", tb.Revolute(HINGES[i - 1]), end, bar)
        end = bar.at(*along)
    m.close("last hinge", tb.Revolute(HINGES[5]), m.ground, end)
    m.sensor("energy", tb.Energy())
    return m


def corner(i: int, turn: np.ndarray) -> np.ndarray:
    """Cosine of the angle between bars i and i + 1 for a turn of the hinge between them."""
    before, axis, after = (direction(name) for name in (EDGES[i], HINGES[i], EDGES[i + 1]))
    return float(before @ np.cross(axis, after)) * np.sin(turn)


def test_rank_and_motion_of_bricard(agreement) -> None:  # type: ignore[no-untyped-def]
    system = bricard().compile()
    x0 = system.assemble()
    found = system.freedoms(x0.q)
    agreement.compare("freedoms", found.freedoms, 1, within=0)
    agreement.compare("redundant equations", len(found.redundant), 1, within=0)
    run = tb.simulate(system, x0, 10.0, rtol=1e-10, atol=1e-12, progress=False)
    assert np.ptp(run["hinge 1"]) > 1.0  # it does move
    turns = np.array([run[f"hinge {i}"] for i in range(1, 6)])
    corners = [corner(i, turn) for i, turn in enumerate(turns)]
    for i in range(4):
        theta, phi = corners[i], corners[i + 1]
        law = theta + phi + theta * phi
        agreement.compare(f"law of hinges {i + 1} and {i + 2}", law, 0 * law, within=1e-10)
    agreement.compare("drift of energy [J]", np.ptp(run["energy"]), 0.0, within=1e-6)
    h = [system.constraint_error(q) for q in turns.T]
    agreement.compare("all closure equations [m]", h, np.zeros_like(h), within=1e-11)
