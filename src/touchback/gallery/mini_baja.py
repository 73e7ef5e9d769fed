"""A Mini Baja: an off-road buggy that motion and torque icons drive (Wang 2011, section 5.2)."""

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown
from touchback.numbers import InputData

# A buggy with its driver, 290 kg; Wang gives no numbers, these are ours.
_WHEEL = tb.vehicle.Wheel(mass=9.0, spin_inertia=0.35, cross_inertia=0.20)
_TYRE = tb.vehicle.BrushTyre(
    unloaded_radius=0.29, vertical_stiffness=6e4, vertical_damping=250.0, slip_stiffness=7e3,
    cornering_stiffness=5e3, nominal_load=700.0, friction=0.75, patch=0.05,
)  # fmt: skip
_TRAVEL, _SPEEDS = (-0.12, 0.0, 0.08, 0.12), (-1.0, 0.0, 1.0)  # m, m/s of the struts
_FRONT = tb.vehicle.DoubleWishbone(
    wheel=_WHEEL, wheel_centre=(0.0, 0.63, 0.279),
    lower_front=(0.15, 0.22, 0.25), lower_rear=(-0.15, 0.22, 0.25), lower_ball=(0.01, 0.57, 0.19),
    upper_front=(0.12, 0.25, 0.40), upper_rear=(-0.14, 0.25, 0.40), upper_ball=(-0.03, 0.54, 0.38),
    tie_inner=(-0.10, 0.227, 0.285), tie_outer=(-0.10, 0.56, 0.235),
    strut_top=(-0.02, 0.30, 0.68), strut_foot=(0.0, 0.44, 0.215),
    lower_mass=2.5, upper_mass=2.0, knuckle_mass=4.0, knuckle_inertia=(0.03, 0.025, 0.02),
    strut=tb.vehicle.StrutTables(
        compression=_TRAVEL, force=(-1000.0, 800.0, 2000.0, 3600.0), speed=_SPEEDS,
        damping=(-1400.0, 0.0, 900.0),
    ),
)  # fmt: skip
_REAR = tb.vehicle.TrailingArm(
    wheel=_WHEEL, wheel_centre=(0.0, 0.63, 0.277),
    pivot_inner=(0.50, 0.20, 0.32), pivot_outer=(0.50, 0.50, 0.32),
    strut_top=(0.22, 0.45, 0.75), strut_foot=(0.12, 0.48, 0.30), arm_mass=7.0,
    strut=tb.vehicle.StrutTables(
        compression=_TRAVEL, force=(-1000.0, 1000.0, 2400.0, 4200.0), speed=_SPEEDS,
        damping=(-1600.0, 0.0, 1000.0),
    ),
)  # fmt: skip
CAR = tb.vehicle.Car(
    name="mini baja", wheelbase=1.55, front=_FRONT, rear=_REAR, front_tyre=_TYRE, rear_tyre=_TYRE,
    chassis=tb.vehicle.Chassis(mass=222.0, com=(-0.90, 0.0, 0.48), inertia=(32.0, 62.0, 78.0)),
    steering=tb.vehicle.Steering(
        pinion=-0.02, rack_mass=2.0, friction=0.0, damping=400.0, wheel_inertia=0.03,
        column_friction=0.0, torsion=150.0, assist_force=(0.0, 0.0, 0.0, 0.0),
    ),
)  # fmt: skip
ARMS, ARMS_DAMPING = 40.0, 4.0  # N m/rad, N m s/rad, of the driver at the steering wheel
_POST_LAG = 0.03  # s, by which a post follows its command
FRONT = ("front left", "front right")
REAR = ("rear left", "rear right")


def make() -> tb.Model:
    """Its driver holds the steering wheel where the input "hands" says [rad]. Nothing drives it but
    the input "drive" [N m on the rear axle] and what a visitor puts on it: a motion on a front
    wheel, a torque on any body. Inputs "front left post" and "front right post" [m] move the ground
    below these wheels."""
    m = tb.Model("mini baja")
    posts = {name: _post(m, name) for name in FRONT}
    gear = tb.vehicle.add_running_gear(m, CAR, tb.vehicle.PlaneRoad(), hands="torque", posts=posts)
    wanted = m.input("hands", unit="rad", min=-2.0, max=2.0)
    held = ARMS * (wanted - m.coordinate("steering wheel"))
    held = held - ARMS_DAMPING * m.rate("steering wheel")
    m.force("driver hands", tb.JointEffort("steering wheel", held))
    drive = m.input("drive", unit="N m", min=-150.0, max=150.0)
    for name in REAR:
        m.force(f"{name} drive", tb.JointEffort(gear.corners[name].spin, 0.5 * drive))
    centre = tb.Frame("chassis", CAR.chassis.com)
    for word, kind in (
        ("position", tb.Position), ("velocity", tb.Velocity), ("turning", tb.AngularVelocity),
        ("acceleration", tb.Acceleration), ("angular acceleration", tb.AngularAcceleration),
    ):  # fmt: skip
        m.sensor(f"frame {word}", kind(centre))
    m.sensor("frame force", tb.TotalForce(centre))
    m.sensor("frame torque", tb.TotalTorque(centre))
    for name in gear.corners:
        m.sensor(name, tb.vehicle.TyreForces(f"{name} tyre"))
    return m


def _post(m: tb.Model, name: str) -> tb.vehicle.Post:
    """Ground that follows a command with a lag, so that it always has a speed."""
    command = m.input(f"{name} post", unit="m", min=-0.08, max=0.08)
    raised = m.state(f"{name} ground", unit="m")
    rising = (command - raised) * (1.0 / _POST_LAG)
    m.set_rate(f"{name} ground", rising)
    return tb.vehicle.Post(raised, rising)


# Left and right in turn, 4 cm up and back.
_TIMES, _UP_AND_DOWN = (0.0, 0.5, 0.6, 1.2, 1.3, 4.0), (0.0, 0.0, 0.04, 0.04, 0.0, 0.0)
_SHAKEN: InputData = {
    "front left post": (_TIMES, _UP_AND_DOWN),
    "front right post": ((0.0, 2.5, 2.6, 3.2, 3.3, 4.0), _UP_AND_DOWN),
}
_DRIVE = ((0.0, 0.5, 4.0), (0.0, 60.0, 60.0))
_SIGNALS = ("frame velocity.x", "frame acceleration.z", "front left.load", "rear left.load")

ENTRY = Entry(
    "mini-baja",
    "an off-road buggy on double wishbones and trailing arms, for motions and torques of a visitor",
    make,
    Experiment(4.0, inputs={"drive": _DRIVE, **_SHAKEN}, signals=_SIGNALS),
    sentences=(
        "An off-road buggy of 290 kg with its driver: double wishbones in front, trailing arms "
        "behind, four soft tyres, and ground that moves below the front wheels.",
        "Whatever turns a wheel drives it: torque of its rear axle, or a motion that a visitor "
        "puts on a front wheel, whose effort is then the driving torque.",
        "Press M and a front wheel's joint to set it in motion, then T and a rear wheel to brake "
        'it; steer with "hands".',
    ),
    shown=Shown(make, Experiment(4.0, inputs=_SHAKEN, signals=_SIGNALS)),
)
