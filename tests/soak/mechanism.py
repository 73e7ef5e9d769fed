"""What is run for an hour: a closed loop with a tail that comes and goes, and a wall to touch."""

import touchback as tb

STIFFNESS = 400.0  # N/m, of the wall
TAILS = {
    "hinged": tb.Revolute("y"),
    "sliding": tb.Cylindrical("y"),
    "rigid": tb.Fixed(),
    "gone": None,
}


def model(tail: str = "hinged") -> tb.Model:
    """A slider-crank whose torque is the root of its input (negative ones give NaN), a tail on the
    slider, and a virtual wall for a device whose position and velocity come in."""
    m = tb.Model(f"soak, tail {tail}", gravity=(0, 0, -9.81))
    r = m.parameter("crank radius", 0.10, unit="m", min=0.05, max=0.15)
    damping = m.parameter("wall damping", 1.0, unit="N s/m", min=-40.0, max=40.0)
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank, damping=0.02, position=0.3)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod, position=-0.4)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.49)
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    torque = m.input("motor torque")
    m.control("drive", lambda t, v: tb.sqrt(t) - 0.02 * v, of=[torque, "v:crank"], to=_effort(m))
    m.control("brake", lambda t, v: tb.sqrt(t) - 0.2 * v, of=[torque, "v:crank"], to="effort",
              instead_of="drive")  # fmt: skip
    x, v = m.input("hand position", unit="m"), m.input("hand velocity", unit="m/s")
    m.sensor("felt force", tb.Signal(tb.select(x < 0.0, -STIFFNESS * x - damping * v, 0.0), "N"))
    m.sensor("echo", tb.Signal(torque))
    kind = TAILS[tail]
    if kind is not None:
        m.joint("tail", kind, slider, m.body("tail", 0.3, (0, 0, -0.15), (2e-3, 2e-3, 1e-4)))
        if kind.nv:
            m.constrain("latch", m.coordinate("tail", kind.nv - 1), active=False)
    return m


def _effort(m: tb.Model) -> str:
    m.force("motor", tb.JointEffort("crank", m.input("effort", unit="N m")))
    return "effort"
