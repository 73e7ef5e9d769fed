"""A crank-rocker: a four-bar whose shortest bar turns round while the opposite one swings."""

from touchback import Energy, JointEffort, Model, PointInPlane, Position, Revolute
from touchback.gallery.entry import Entry, Experiment

GROUND, CRANK, COUPLER, ROCKER = 0.30, 0.10, 0.35, 0.25  # m; 0.10 + 0.35 < 0.30 + 0.25: Grashof


def make() -> Model:
    """Bars in the x–z plane; the crank turns about the origin, the rocker 0.3 m beside it."""
    m = Model("crank-rocker")
    torque = m.input("motor torque", unit="N m")
    bars = {}
    for name, length in (("crank", CRANK), ("coupler", COUPLER), ("rocker", ROCKER)):
        mass = 4.0 * length
        moment = mass * length**2 / 12
        bars[name] = m.body(name, mass, com=(length / 2, 0, 0), inertia=(0, moment, moment))
    crank, coupler, rocker = bars.values()
    m.joint("crank", Revolute("-y"), m.ground, crank)
    m.joint("coupler", Revolute("-y"), crank.at(CRANK, 0, 0), coupler, position=0.7)
    m.joint("rocker", Revolute("-y"), m.ground.at(GROUND, 0, 0), rocker, position=1.6)
    m.close("pin", PointInPlane("xz"), coupler.at(COUPLER, 0, 0), rocker.at(ROCKER, 0, 0))
    m.force("motor", JointEffort("crank", torque))
    m.sensor("coupler point", Position(coupler.at(COUPLER / 2, 0, 0.1)))
    m.sensor("energy", Energy())
    return m


ENTRY = Entry(
    "crank-rocker",
    "a four-bar: one loop, whose crank turns round and whose rocker swings",
    make,
    Experiment(
        3.0, positions={"crank": 0.5}, rates={"crank": 15.0}, signals=("rocker", "crank rate")
    ),
    sentences=(
        "Four bars close a loop: the short one turns round while the opposite one swings.",
        "One loop leaves one freedom, and the crank's speed varies in each turn as the others "
        "speed up and slow down.",
        'Give "motor torque" a value and see the two strokes of the rocker take different times.',
    ),
)
