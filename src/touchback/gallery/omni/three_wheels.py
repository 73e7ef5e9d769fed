"""A platform on three omni wheels."""

from touchback import Model
from touchback.gallery.entry import Entry, Experiment
from touchback.gallery.omni.kinematics import three_mounts
from touchback.gallery.omni.platform import Platform, make_platform
from touchback.gallery.omni.shape import WheelShape

PLAN = Platform(three_mounts(0.195), WheelShape(radius=0.051, rollers=6, off=0.04))


def make(plan: Platform = PLAN, commanded_wheels: bool = False) -> Model:
    """Wheels 0.195 m from the middle, 51 mm in radius, six rollers each: the size of the robot
    that `validation/test_optiodom_platforms.py` compares with."""
    return make_platform("omni platform", plan, commanded_wheels)


ENTRY = Entry(
    "omni-platform",
    "three omni wheels carry a platform that drives sideways while it turns",
    make,
    Experiment(
        1.0,
        inputs={"command vx": 0.2, "command vy": 0.2, "command turn": 1.0},
        signals=("position.x", "position.y", "heading"),
        substeps=4,
    ),
    sentences=(
        "Three omni wheels carry a platform that drives in any direction while it turns.",
        "Each wheel pushes along its own rim only; the sum of three is any force and any turn.",
        'Give "command vx", "command vy" and "command turn" values, and see the three wheels '
        "share the work.",
    ),
)
