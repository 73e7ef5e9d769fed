"""Small closed mechanisms whose motion is known otherwise, and rows of many loops."""

from collections.abc import Callable

import numpy as np

from closed_mechanisms import Mechanism, mechanism
from touchback.dynamics.constraint_row import Row
from touchback.model.closures import Closure, PointInPlane, Rod
from touchback.model.frame import BodyHandle
from touchback.model.joints import Free, Prismatic, Revolute, Spherical
from touchback.model.model import Model
from touchback.system.derivation import Derivation

G = 9.81
Rate = Callable[[float, np.ndarray], np.ndarray]


def bar(m: Model, name: str, length: float, mass: float = 1.0) -> BodyHandle:
    """A uniform bar along x."""
    across = mass * length**2 / 12
    return m.body(name, mass=mass, com=(length / 2, 0, 0), inertia=(1e-4, across, across))


def four_bar(stiff: bool = False) -> tuple[Mechanism, np.ndarray]:
    """A crank-rocker, links 0.1, 0.4, 0.3 m on a base of 0.35 m, and a guess near closure."""
    m = Model("crank-rocker")
    crank, coupler, rocker = bar(m, "crank", 0.1), bar(m, "coupler", 0.4), bar(m, "rocker", 0.3)
    m.joint("crank", Revolute("y"), m.ground, crank)
    m.joint("coupler", Revolute("y"), crank.at(0.1, 0, 0), coupler)
    m.joint("rocker", Revolute("y"), m.ground.at(0.35, 0, 0), rocker)
    pin = Closure(PointInPlane("xz"), coupler.at(0.4, 0, 0), rocker.at(0.3, 0, 0))
    return mechanism(m, {"pin": pin}, stiff=stiff), np.array([0.3, -1.2, -1.5, 30.0, 0.0, 0.0])


CRANK, ROD = 0.1, 0.4
CRANK_MASS, ROD_MASS = 1.0, 0.5


def slider_crank(
    stiff: bool = False, speed: float = 10.0, slider_mass: float = 0.8
) -> tuple[Mechanism, np.ndarray]:
    """Crank and rod turn about y, the slider moves along x; the crank starts at 0.3 rad."""
    m = Model("slider-crank")
    crank, rod = bar(m, "crank", CRANK, CRANK_MASS), bar(m, "rod", ROD, ROD_MASS)
    slider = m.body("slider", mass=slider_mass, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("crank", Revolute("y"), m.ground, crank)
    m.joint("rod", Revolute("y"), crank.at(CRANK, 0, 0), rod)
    m.joint("slider", Prismatic("x"), m.ground, slider)
    pin = Closure(PointInPlane("xz"), rod.at(ROD, 0, 0), slider.at(0, 0, 0))
    guess = np.array([0.3, -0.37, 0.49, speed, 0.0, 0.0])
    return mechanism(m, {"pin": pin}, stiff=stiff), guess


def slider_crank_rate(slider_mass: float = 0.8, crank: float = CRANK) -> Rate:
    """d/dt [θ, θ̇] of the slider-crank in its crank angle: I θ̈ + I′ θ̇²/2 + V′ = 0."""

    def inertia_and_height(theta: complex) -> tuple[complex, complex]:
        # A turn about +y takes x towards −z: heights are −r sin θ.
        sin_rod = crank * np.sin(theta) / ROD
        swing = crank * np.cos(theta) / (ROD * np.sqrt(1 - sin_rod**2))
        along = -crank * np.sin(theta) - ROD * sin_rod * swing
        rod_x = -crank * np.sin(theta) - ROD / 2 * sin_rod * swing
        rod_z = crank * np.cos(theta) / 2
        inertia = (
            CRANK_MASS * crank**2 / 3
            + ROD_MASS * (rod_x**2 + rod_z**2 + ROD**2 / 12 * swing**2)
            + slider_mass * along**2
        )
        return inertia, -crank * np.sin(theta) / 2 * (CRANK_MASS + ROD_MASS)

    def rate(_t: float, y: np.ndarray) -> np.ndarray:
        step = 1e-30  # derivatives by complex steps are exact
        inertia, height = inertia_and_height(y[0] + 1j * step)
        change, lift = inertia.imag / step, height.imag / step
        return np.array([y[1], -(change * y[1] ** 2 / 2 + G * lift) / inertia.real])

    return rate


def free_pendulum() -> tuple[Mechanism, np.ndarray]:
    """A free bar, its far end held by three equations, 0.6 rad below the horizontal, at rest."""
    m = Model("held bar")
    body = bar(m, "bar", 0.5)
    m.joint("free", Free(), m.ground, body)
    held = Closure(Spherical(), m.ground.at(0, 0, 0), body.at(0.5, 0, 0))
    half = (0.6 + np.pi) / 2  # the bar lies along −x of its body, seen from the ball
    turn = [np.cos(half), 0.0, np.sin(half), 0.0]
    q = _free_coordinates(m, turn)
    return mechanism(m, {"ball": held}), np.concatenate([q, np.zeros(6)])


def _free_coordinates(m: Model, turn: list[float]) -> np.ndarray:
    from touchback.system.signal_layout import layout_of

    q = np.zeros(7)
    names = layout_of(m).q
    first = next(i for i, name in enumerate(names) if name.endswith("qw"))
    q[first : first + 4] = turn
    return q


def parallelogram(turn: float = 0.7, speed: float = 0.0) -> tuple[Mechanism, np.ndarray]:
    """Three equal cranks of 0.2 m under one coupler: the third makes a row redundant."""
    m = Model("three cranks")
    cranks = [bar(m, f"crank {i}", 0.2) for i in range(3)]
    coupler = bar(m, "coupler", 0.6, mass=2.0)
    for i, crank in enumerate(cranks):
        m.joint(f"crank {i}", Revolute("y"), m.ground.at(0.3 * i, 0, 0), crank)
    m.joint("coupler", Revolute("y"), cranks[0].at(0.2, 0, 0), coupler)
    pins = {
        f"pin {i}": Closure(PointInPlane("xz"), coupler.at(0.3 * i, 0, 0), cranks[i].at(0.2, 0, 0))
        for i in (1, 2)
    }
    return mechanism(m, pins), np.array([turn, turn, turn, -turn, speed, speed, speed, -speed])


def parallelogram_angle_rate(_t: float, y: np.ndarray) -> np.ndarray:
    """d/dt [θ, θ̇]: three cranks turn, the coupler is carried along in a circle."""
    inertia = 3 * 0.2**2 / 3 + 2.0 * 0.2**2
    return np.array([y[1], G * (3 * 0.1 + 2.0 * 0.2) * np.cos(y[0]) / inertia])


AMPLITUDE, FREQUENCY = 0.4, 7.0


def spring_and_pin(stiffness: float) -> tuple[Mechanism, np.ndarray]:
    """A mass of 2 kg on a spring, and a second slide that a constraint holds still."""
    m = Model("spring and pin", gravity=(0, 0, 0))
    mass, held = (m.body(name, mass=2.0, inertia=(0.1, 0.1, 0.1)) for name in ("mass", "held"))
    m.joint("mass", Prismatic("x"), m.ground, mass, spring=stiffness)
    m.joint("held", Prismatic("y"), m.ground, held)
    return mechanism(m, rows=lambda d: [Row("pin", "m", d.q[1], {1: 1})], stiff=True), np.array(
        [0.1, 0.0, 0.3, 0.0]
    )


def slides(held: int) -> tuple[Mechanism, np.ndarray]:
    """Two slides without forces, the first `held` of them held still."""
    m = Model("slides", gravity=(0, 0, 0))
    for axis in ("x", "y"):
        body = m.body(f"body {axis}", mass=2.0, inertia=(0.1, 0.1, 0.1))
        m.joint(axis, Prismatic(axis), m.ground, body)

    def rows(d: Derivation) -> list[Row]:
        return [Row(f"pin {i}", "m", d.q[i], {i: 1}) for i in range(held)]

    return mechanism(m, rows=rows), np.array([0.0, 0.0, 1.0, -2.0])


def driven_double_pendulum() -> tuple[Mechanism, np.ndarray]:
    """The upper of two bars follows 0.4 sin 7t, the lower swings."""
    m = Model("driven double pendulum")
    upper, lower = bar(m, "upper", 0.3), bar(m, "lower", 0.5)
    m.joint("upper", Revolute("y"), m.ground, upper)
    m.joint("lower", Revolute("y"), upper.at(0.3, 0, 0), lower)

    def rows(d: Derivation) -> list[Row]:
        k = d.tape
        a, w = k.const(AMPLITUDE), k.const(FREQUENCY)
        phase = k.mul(w, d.time)
        sine, cosine = k.mul(a, k.sin(phase)), k.mul(a, k.cos(phase))
        speed, change = k.mul(w, cosine), k.mul(k.mul(w, w), sine)
        return [Row("drive", "rad", k.sub(d.q[0], sine), {0: 1}, speed, change)]

    return mechanism(m, rows=rows), np.array([0.0, 1.0, AMPLITUDE * FREQUENCY, 0.0])


def driven_double_pendulum_rate(t: float, y: np.ndarray) -> np.ndarray:
    """d/dt [φ, φ̇] of the lower bar relative to the upper, whose end moves as prescribed."""
    turn = AMPLITUDE * np.sin(FREQUENCY * t)
    speed = AMPLITUDE * FREQUENCY * np.cos(FREQUENCY * t)
    change = -(FREQUENCY**2) * turn
    pivot = np.array([
        -0.3 * (np.sin(turn) * change + np.cos(turn) * speed**2),
        -0.3 * (np.cos(turn) * change - np.sin(turn) * speed**2) + G,
    ])  # fmt: skip
    angle = turn + y[0]
    # Moments about the pivot: (L²/3) ψ̈ = −r × a over the mass, bar along (cos ψ, −sin ψ).
    torque = 0.25 * (np.sin(angle) * pivot[0] + np.cos(angle) * pivot[1])
    return np.array([y[1], torque / (0.5**2 / 3) - change])


def spatial_loop(as_free_body: bool) -> tuple[Mechanism, np.ndarray]:
    """A body on a ball at the origin and a rod to the ground, in 3 or in 6 freedoms."""
    m = Model("body on a ball and a rod")
    body = m.body("body", mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.02, 0.03, 0.04))
    rod = Closure(Rod(0.8), m.ground.at(0.5, 0.6, -0.2), body.at(0.3, 0.1, 0.4))
    spin = [1.0, -2.0, 3.0]
    if not as_free_body:
        m.joint("ball", Spherical(), m.ground, body)
        return mechanism(m, {"rod": rod}), np.array([1.0, 0.1, 0.2, 0.3, *spin])
    m.joint("free", Free(), m.ground, body)
    ball = Closure(Spherical(), m.ground.at(0, 0, 0), body.at(0, 0, 0))
    made = mechanism(m, {"ball": ball, "rod": rod})
    x = np.zeros(13)
    x[:7] = _free_coordinates(m, [1.0, 0.1, 0.2, 0.3])
    return made, x


def held_pole() -> tuple[Mechanism, np.ndarray]:
    """A cart (3 kg) whose force keeps a bar (1 kg) on it at 2 rad: a servo-constraint."""
    m = Model("held pole")
    cart = m.body("cart", mass=3.0, inertia=(0.1, 0.1, 0.1))
    m.joint("cart", Prismatic("x"), m.ground, cart)
    m.joint("pole", Revolute("y"), cart, bar(m, "pole", 0.5))

    def rows(d: Derivation) -> list[Row]:
        angle = d.tape.sub(d.q[1], d.tape.const(2.0))
        return [Row("upright", "rad", angle, {1: 1}, through={0: 1})]

    return mechanism(m, rows=rows), np.array([0.0, 2.0, 0.0, 0.0])


def change_point_four_bar() -> tuple[Mechanism, np.ndarray]:
    """Links 0.1, 0.35, 0.2 on a base of 0.25: s + l = p + q, all fall in line once."""
    m = Model("change point")
    crank, coupler, rocker = bar(m, "crank", 0.1), bar(m, "coupler", 0.35), bar(m, "rocker", 0.2)
    m.joint("crank", Revolute("y"), m.ground, crank)
    m.joint("coupler", Revolute("y"), crank.at(0.1, 0, 0), coupler)
    m.joint("rocker", Revolute("y"), m.ground.at(0.25, 0, 0), rocker)
    pin = Closure(PointInPlane("xz"), coupler.at(0.35, 0, 0), rocker.at(0.2, 0, 0))
    return mechanism(m, {"pin": pin}), np.array([1.0, -1.95, -1.53, -6.7, 8.7, 5.7])


def rod_too_long() -> tuple[Mechanism, np.ndarray]:
    """A body on a ball, and a rod of 5 m that nothing can reach."""
    m = Model("unreachable")
    body = m.body("body", mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.02, 0.03, 0.04))
    m.joint("ball", Spherical(), m.ground, body)
    rod = Closure(Rod(5.0), m.ground.at(0.5, 0.6, -0.2), body.at(0.3, 0.1, 0.4))
    return mechanism(m, {"rod": rod}), np.array([1.0, 0.1, 0.2, 0.3, 1.0, -2.0, 3.0])


SLOPE = 3.0  # m/s²: gravity along the plane


def skate(driven_twice: bool = False) -> tuple[Mechanism, np.ndarray]:
    """A skate on an inclined plane, down is +x; it turns at 2 rad/s and starts at rest.

    With `driven_twice` two equal rows prescribe the turn: one of them is redundant.
    """
    m = Model("skate", gravity=(SLOPE, 0, 0))
    body = m.body("blade", mass=1.5, inertia=(0.1, 0.1, 0.2))
    first, second = m.body("carriage x"), m.body("carriage y")
    m.joint("x", Prismatic("x"), m.ground, first)
    m.joint("y", Prismatic("y"), first, second)
    m.joint("turn", Revolute("z"), second, body)

    def rows(d: Derivation) -> list[Row]:
        k = d.tape
        s, c = k.sin(d.q[2]), k.cos(d.q[2])
        along = k.add(k.mul(c, d.v[0]), k.mul(s, d.v[1]))
        speed = k.const(2.0)
        turned = k.sub(d.q[2], k.mul(speed, d.time))
        drives = [Row(f"turn {i}", "rad", turned, {2: 1}, speed) for i in (1, 2)]
        edge = Row("edge", "m/s", None, {0: -s, 1: c}, 0, -k.mul(d.v[2], along))
        return [drives[0], edge, drives[1]] if driven_twice else [edge]

    return mechanism(m, rows=rows), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 2.0])


def row_of_four_bars(
    count: int, redundant: bool = False, uneven: bool = False
) -> tuple[Mechanism, np.ndarray]:
    """Cranks on the ground, each tied to the next by a coupler, and a guess near closure.

    Parallelograms, or with every other crank longer when `uneven`. With `redundant`, the first and
    the last crank are tied by a rod as well.
    """
    m = Model(f"row of {count} four-bars")
    lengths = [1.0 + 0.1 * (uneven and i % 2) for i in range(count + 1)]
    cranks = [bar(m, f"crank {i}", lengths[i], 1.0 + 0.1 * (i % 3)) for i in range(count + 1)]
    couplers = [bar(m, f"coupler {i}", 1.0) for i in range(count)]
    for i, crank in enumerate(cranks):
        m.joint(f"crank {i}", Revolute("y"), m.ground.at(float(i), 0, 0), crank)
        if i < count:
            m.joint(f"coupler {i}", Revolute("y"), crank.at(lengths[i], 0, 0), couplers[i])
    closures = {
        f"pin {i}": Closure(
            PointInPlane("xz"), couplers[i].at(1, 0, 0), cranks[i + 1].at(lengths[i + 1], 0, 0)
        )
        for i in range(count)
    }
    if redundant:
        closures["rod"] = Closure(Rod(float(count)), cranks[0].at(1, 0, 0), cranks[-1].at(1, 0, 0))
    turns = np.array([1.3, -1.3] * count + [1.3])
    return mechanism(m, closures), np.concatenate([turns, 0.5 * np.sign(turns)])


def open_slider_crank() -> Model:
    """A slider-crank whose joints are described where its pin is open."""
    m = Model("slider-crank")
    r = m.parameter("radius", 0.1)
    crank = m.body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01))
    rod = m.body("rod", mass=0.5, inertia=(0.01, 0.01, 0.01))
    slider = m.body("slider", mass=0.5)
    m.joint("crank", Revolute("y"), m.ground, crank, position=0.5)
    m.joint("rod", Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", Prismatic("x"), m.ground, slider, position=0.4)
    m.close("pin", PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    return m
