"""A platform on four Mecanum wheels: rollers inclined by 45°."""

from touchback import Model
from touchback.gallery.entry import Entry, Experiment
from touchback.gallery.omni.kinematics import mecanum_mounts
from touchback.gallery.omni.platform import Platform, make_platform
from touchback.gallery.omni.shape import WheelShape

PLAN = Platform(mecanum_mounts(0.3, 0.3), WheelShape(radius=0.05, rollers=9, off=0.037))


def make(plan: Platform = PLAN, commanded_wheels: bool = False) -> Model:
    """Wheels at the corners of a square of 0.3 m, 50 mm in radius, nine rollers each."""
    return make_platform("mecanum platform", plan, commanded_wheels)


ENTRY = Entry(
    "mecanum-platform",
    "four Mecanum wheels carry a platform ahead, aside and round at once",
    make,
    Experiment(
        1.0,
        inputs={"command vx": 0.1, "command vy": 0.2, "command turn": 0.5},
        signals=("position.x", "position.y", "heading"),
        substeps=4,
    ),
    sentences=(
        "Four Mecanum wheels, with rollers at 45°, carry a platform ahead, aside and round at "
        "once.",
        "Aside it goes because opposite wheels turn against each other and their rollers add up.",
        'Set "command vy" alone and watch which wheels turn back.',
    ),
)
