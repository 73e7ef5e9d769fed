"""The Bombardier Iltis, the road vehicle benchmark of IAVSD: where it rests, and its eigenvalues.

Source: Frik, Leister, Schwartz, Vehicle System Dynamics 22 (1993) 215-253, as modelled for ROBOTRAN
(github ovankerm/IAVSD_ILTIS: Jeep.mbs, its report of the equilibrium and two lists of eigenvalues,
one in analyse_modale.txt, one in reference/iltis.toml). The paper's own table of four programs was
not at hand. ROBOTRAN's modal analysis takes springs 24529 Z and 36975 Z of the whole length Z, so
that they pull with 10 and 16 kN where the real ones push with 0.3 kN, and linear tyres with moments
41641 α and 6925 γ in N m beside the side force, at 20 m/s. So do we where we compare with it. Its
two lists differ from each other by 0.5 % in wheel hop and up to 25 % in the body's modes.
"""

from collections.abc import Callable

import numpy as np

import touchback as tb
from validation.reference import numbers

TYRE, SPEED = 460e3, 20.0  # N/m, m/s
RADIUS = {"front": 0.364325, "rear": 0.363812}
LINK, BALL, ARM = 0.33664707, 0.31346451, 0.32146  # upper link, knuckle, lower arm [m]
AXLES = {"front": (0.97, 1.0), "rear": (-1.047, -1.0)}  # x, and which way is out
LINEAR = {"front": (41641.0, 6925.0, 0.06553), "rear": (40162.0, 6600.0, 0.06142)}
#: Frequency and decay of analyse_modale.txt: four of wheel hop, three of the body, two decays.
LOG = [-29.34 + 84.57j, -29.28 + 81.41j, -29.53 + 80.32j, -26.46 + 71.03j, -4.182 + 8.357j,
       -5.528 + 7.509j, -4.094 + 6.929j]  # fmt: skip
Law = Callable[[str, tb.Expr], tb.Expr]


def real_spring(_: str, z: tb.Expr) -> tb.Expr:
    """Tension of the shock absorber's spring [N] at its length [m]."""
    return -4.0092e6 + z * (2.8397e7 + z * (-6.7061e7 + z * 5.2796e7))


def modal_spring(end: str, z: tb.Expr) -> tb.Expr:
    """As ROBOTRAN's modal analysis has it."""
    return (24529.0 if end == "front" else 36975.0) * z


def iltis(spring: Law, speed: float = 0.0) -> tb.Model:
    """At rest its x, y and yaw are held; with a speed it rolls freely on linear tyres."""
    m = tb.Model("Iltis")
    place: tb.Frame | tb.BodyHandle = m.ground
    steps = {
        "x": tb.Prismatic("x"), "y": tb.Prismatic("y"), "z": tb.Prismatic("z"),
        "pitch": tb.Revolute("y"), "roll": tb.Revolute("x"), "yaw": tb.Revolute("z"),
    }  # fmt: skip
    m.body("chassis", 1260.0, inertia=(130.0, 1620.0, 1670.0))
    for name, kind in steps.items():
        body = m.body(name) if name != "yaw" else tb.Frame("chassis")
        start = 0.57 if name == "z" else 0.0
        m.joint(name, kind, place, body, position=start, velocity=speed if name == "x" else 0.0)
        if not speed and name in ("x", "y", "yaw"):
            m.drive(name, 0.0)
        place = body
    for end in AXLES:
        for side, s in (("left", -1.0), ("right", 1.0)):  # their y points to the right of its front
            hub = corner(m, f"{end} {side}", end, s, spring)
            spin = speed / RADIUS[end]
            m.drive(f"{end} {side} spin", m.time * spin)
            tyre(m, f"{end} {side}", end, hub, speed)
    return m


def corner(m: tb.Model, name: str, end: str, s: float, spring: Law) -> tb.Frame:
    """Upper link, knuckle on its end, lower arm back to the chassis, steered carrier, tie rod, leaf
    spring upright on the link's end, shock absorber on the arm; gives the wheel's centre."""
    (x, out), chassis = AXLES[end], "chassis"

    def at(dx: float, y: float, z: float) -> tb.Frame:
        return tb.Frame(chassis, (x + out * dx, s * y, z))

    link, knuckle = m.body(f"{name} link"), m.body(f"{name} knuckle")
    arm = m.body(f"{name} arm", 6.0, (0, -s * 0.16073, 0), (0.052099, 0.023235, 0.068864))
    carrier, hub = m.body(f"{name} carrier"), m.body(f"{name} hub")
    wheel = m.body(f"{name} wheel", 57.35, inertia=(1.2402, 1.908, 1.2402))
    m.joint(f"{name} link", tb.Revolute("x"), at(0, 0.1585, 0.03), link, position=-s * 0.206425)
    m.joint(f"{name} knuckle", tb.Revolute("x"), link.at(0, s * LINK, 0), knuckle)
    m.joint(f"{name} arm", tb.Revolute("x"), knuckle.at(0, 0, -BALL), arm)
    m.joint(f"{name} steer", tb.Revolute("z"), knuckle.at(0, 0, -0.18164334), carrier)
    lean = carrier.at(0, 0, -0.13182117, turn=("x", -s * 0.27128838))
    m.joint(f"{name} hub", tb.Fixed(), lean, hub)
    centre = hub.at(0, s * 0.043, 0.127)
    m.joint(f"{name} spin", tb.Revolute("y"), centre, wheel)
    m.close(f"{name} pivot", tb.PointInPlane("yz"), at(0, 0.259, -0.268), arm.at(0, -s * ARM, 0))
    tie = carrier.at(-out * 0.14, -s * 0.038537057, 0.19236225)
    m.close(f"{name} tie rod", tb.Rod(0.38424601), at(-0.14, 0.07, 0.03), tie)
    ends = at(0.075, 0.297, 0.062), arm.at(out * 0.075, -s * 0.0728438, -0.0046671)
    length, rate = m.sensor(f"{name} shock", tb.Distance(*ends))
    m.force(f"{name} shock", tb.LinkForce(*ends, spring(end, length) + 9945.627 * rate))
    m.sensor(f"{name} spring", tb.Signal(spring(end, length), "N"))
    q = m.coordinate(f"{name} link")
    leaf = 35906.0 * (0.137 - 0.03 - s * LINK * tb.sin(q) - 0.1 - 0.152)
    m.force(f"{name} leaf", tb.JointEffort(f"{name} link", leaf * s * LINK * tb.cos(q)))
    m.sensor(f"{name} leaf", tb.Signal(leaf, "N"))
    return centre


def tyre(m: tb.Model, name: str, end: str, hub: tb.Frame, speed: float) -> None:
    """A spring; and, rolling, forces and moments in proportion to slip and camber."""
    _, _, z = m.sensor(f"{name} centre", tb.Position(hub))
    vx, vy, _ = m.sensor(f"{name} velocity", tb.Velocity(hub))
    ax, ay, az = m.sensor(f"{name} axle", tb.Direction(hub, "y"))
    load = TYRE * (RADIUS[end] - z)
    m.sensor(f"{name} tyre", tb.Signal(load, "N"))
    if not speed:
        m.force(f"{name} tyre", tb.Wrench(hub, force=(0, 0, load)))
        return
    cornering, camber, trail = LINEAR[end]
    level = tb.sqrt(ax * ax + ay * ay)
    ax, ay = ax / level, ay / level
    aside = vx * ax + vy * ay
    side = -aside * cornering / SPEED
    back_x, back_y = -trail * ay, trail * ax  # the trail, behind the contact
    turn = back_x * side * ay - back_y * side * ax + cornering * aside / speed
    torque = z * side * ay + camber * az + back_y * load, -z * side * ax - back_x * load, turn
    m.force(f"{name} tyre", tb.Wrench(hub, force=(side * ax, side * ay, load), torque=torque))


def at_rest() -> tuple[tb.System, np.ndarray]:
    system = iltis(real_spring).compile()
    return system, tb.equilibrium(system, system.assemble()).state.q


def eigenvalues(spring: Law) -> np.ndarray:
    """About straight driving where it rests; those with a frequency, wheel hop first."""
    still, q = at_rest()
    rest = dict(zip(still.coordinates, q, strict=True))
    system = iltis(spring, SPEED).compile()
    kept = {"z": rest["z"], "pitch": rest["pitch"]}
    state = system.assemble(positions=kept, guess=rest, rates={"x": SPEED})
    found = np.linalg.eigvals(tb.linearise(system, state).A)
    assert len(found) == 20  # ten freedoms
    swinging = found[found.imag > 1.0]
    return np.asarray(swinging[np.argsort(-swinging.imag)])


def test_iltis_at_rest(agreement) -> None:  # type: ignore[no-untyped-def]
    system, q = at_rest()
    seen, at = system.sensors(q), dict(zip(system.coordinates, q, strict=True))
    published = {
        "front right tyre": (3831.31, 0.01), "rear right tyre": (3591.91, 0.01),
        "front right leaf": (-3068.62, 0.3), "rear right leaf": (-2885.51, 0.3),
        "front right spring": (-335.29, 0.7), "rear right spring": (-241.64, 0.7),
    }  # fmt: skip
    for name, (force, within) in published.items():
        agreement.compare(f"{name} [N]", seen[name], force, within=within)
    agreement.compare("sinks by [mm]", 1e3 * (at["z"] - 0.57), -7.083, within=0.05)
    agreement.compare("pitches by [°]", np.degrees(at["pitch"]), 0.1465, within=2e-4)


def test_iltis_eigenvalues(agreement) -> None:  # type: ignore[no-untyped-def]
    listed = [complex(*pair) for pair in numbers("iltis")["eigenvalues"]]
    hop = sorted((each for each in listed if each.imag > 50.0), key=lambda each: -each.imag)
    modal, real = eigenvalues(modal_spring), eigenvalues(real_spring)
    for label, ours, theirs, within in (
        ("wheel hop, log", modal[:4], LOG[:4], 0.4), ("body, log", modal[4:7], LOG[4:], 0.15),
        ("wheel hop, list", modal[:4], hop, 0.8), ("hop with real springs", real[:4], hop, 2.0),
    ):  # fmt: skip
        agreement.compare(f"{label}: ω [rad/s]", ours.imag, np.imag(theirs), within=within)
        agreement.compare(f"{label}: decay [1/s]", ours.real, np.real(theirs), within=within)
