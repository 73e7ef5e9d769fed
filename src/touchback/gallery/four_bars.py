"""A row of N four-bars with equal bars: N loops that move as one (IFToMM benchmark A02)."""

from touchback import Energy, Model, PointInPlane, Position, Revolute
from touchback.errors import InputError
from touchback.gallery.entry import Entry, Experiment
from touchback.model.frame import BodyHandle


def make(loops: int = 4) -> Model:
    """2 N + 1 bars of 1 m and 1 kg. Cranks stand along z at zero angles, couplers lie along x. At a
    quarter turn all lie on one line, where the mechanism is singular and could fold otherwise."""
    if loops < 1:
        raise InputError(f"A row of four-bars needs at least one loop, got {loops}.")
    m = Model("four-bars")
    cranks: list[BodyHandle] = []
    for i in range(loops + 1):
        cranks.append(m.body(f"crank {i}", 1.0, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 0)))
        m.joint(f"crank {i}", Revolute("y"), m.ground.at(i, 0, 0), cranks[i])
    for i in range(loops):
        bar = m.body(f"coupler {i}", 1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
        m.joint(f"coupler {i}", Revolute("y"), cranks[i].at(0, 0, 1), bar)
        m.close(f"pin {i}", PointInPlane("xz"), cranks[i + 1].at(0, 0, 1), bar.at(1, 0, 0))
    m.sensor("first top", Position(cranks[0].at(0, 0, 1)))
    m.sensor("energy", Energy())
    return m


_LOOPS, _ANGLE = 4, 2.2
_START = {f"crank {i}": _ANGLE for i in range(_LOOPS + 1)}

ENTRY = Entry(
    "four-bars",
    "N parallelograms in a row (4 unless told otherwise), hanging: many loops, one freedom",
    make,
    Experiment(
        4.0,
        positions={"crank 0": _ANGLE},
        guess={**_START, **{f"coupler {i}": -_ANGLE for i in range(_LOOPS)}},
        signals=("crank 0", "first top.x"),
    ),
    sentences=(
        "Four parallelograms in a row share their cranks and hang under their own weight.",
        "Many loops and one freedom: in two poses all bars lie along one line, where the loops "
        "could go on in two ways.",
        "Drag any bar and see all the others go with it.",
    ),
)
