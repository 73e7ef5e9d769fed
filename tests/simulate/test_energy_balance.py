"""Energy books: closed forms line by line, the integrator's order, and mistakes that must show."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.dynamics.mechanism_instant import Instant
from touchback.model.forces import ForceKind
from touchback.model.mechanics_protocol import Forces, Mechanics
from touchback.numbers import Scalar

G = 9.81


def workshop() -> tb.System:
    """A double pendulum with a spring and damper, a motor, a damped joint, and drag."""
    m = tb.Model("workshop", gravity=(0, 0, -G))
    upper = m.body("upper", 1.2, com=(0, 0, -0.3), inertia=(0.04, 0.04, 0.01))
    lower = m.body("lower", 0.7, com=(0, 0.05, -0.2), inertia=(0.02, 0.02, 0.005))
    m.joint("a", tb.Revolute("y"), m.ground, upper, damping=0.05, spring=0.8)
    m.joint("b", tb.Revolute("x"), upper.at(0, 0, -0.6), lower, friction=0.02, friction_speed=0.3)
    m.force("strut", tb.SpringDamper(
        m.ground.at(0.5, 0.2, 0), lower, stiffness=9, damping=0.3, length=0.4,
    ))  # fmt: skip
    m.force("motor", tb.JointEffort("a", m.input("torque")))
    m.force("air", tb.Drag(lower.at(0, 0, -0.4), 0.05))
    return m.compile()


def run_of(system: tb.System, duration: float = 1.0, **options: object) -> tb.Run:
    x0 = system.assemble(a=0.9, b=-0.4, rates={"b": 2.0})
    inputs = {"torque": lambda t: 2.0 * np.sin(3.0 * t)}
    return tb.simulate(
        system, x0, duration, inputs=inputs, energy_balance=True, progress=False, **options
    )  # type: ignore[arg-type]


# ---- order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "order", "step"),
    [("rk4", 4, 0.02), ("euler", 1, 2e-3), ("implicit-euler", 1, 2e-3), ("trapezoidal", 2, 0.01)],
)
def test_what_is_unexplained_falls_with_the_order_of_a_fixed_step_method(
    method: str, order: int, step: float
) -> None:
    system = workshop()
    left = [
        abs(run_of(system, method=method, step=step / 2**k).energy_balance.residual) for k in (0, 1)
    ]
    assert np.log2(left[0] / left[1]) > order - 0.3
    assert left[1] < 0.1


@pytest.mark.parametrize(("method", "step"), [("dopri5", 0.08), ("radau5", 0.1)])
def test_adaptive_methods_close_their_books_to_order_five(method: str, step: float) -> None:
    """With tolerances too loose to matter `step` is what they take."""
    system = workshop()
    left = []
    for k in (0, 1):
        run = run_of(system, duration=1.6, method=method, step=step / 2**k, rtol=0.5, atol=0.5)
        left.append(abs(run.energy_balance.residual))
    assert np.log2(left[0] / left[1]) > 4.3


@pytest.mark.parametrize("method", ["dopri5", "radau5", "DOP853", "Radau", "LSODA"])
def test_books_close_to_the_tolerance(method: str) -> None:
    books = run_of(workshop(), method=method, rtol=1e-10, atol=1e-12).energy_balance
    assert abs(books.residual) < 2e-8 * books.turnover


def test_the_motion_has_the_same_bits_with_and_without_books() -> None:
    system = workshop()
    for method in ("dopri5", "radau5", "rk4", "RK45"):
        booked = run_of(system, method=method)
        x0 = system.assemble(a=0.9, b=-0.4, rates={"b": 2.0})
        inputs = {"torque": lambda t: 2.0 * np.sin(3.0 * t)}
        plain = tb.simulate(system, x0, 1.0, inputs=inputs, method=method, progress=False)
        for name in plain.names:
            np.testing.assert_array_equal(plain[name], booked[name])


# ---- closed forms --------------------------------------------------------------------------------


def test_a_damped_oscillator_loses_what_its_damper_takes() -> None:
    """From x₀ at rest to t: T + V of the closed form; the line of the spring itself is nothing."""
    m = tb.Model("oscillator", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("load", 2.0), position=0.3)
    m.force("spring", tb.JointEffort("x", 0.0 * m.time))  # does no work
    m.force("rod", tb.SpringDamper(m.ground.at(-1, 0, 0), m.ground, stiffness=5))  # ground only
    m.force("strut", tb.SpringDamper(
        m.ground.at(-2, 0, 0), tb.Frame("load"), stiffness=50, damping=1.6, length=2.0,
    ))  # fmt: skip
    run = tb.simulate(m.compile(), duration=1.5, rtol=1e-11, atol=1e-13, energy_balance=True)
    t, decay = 1.5, 1.6 / 4.0
    omega = np.sqrt(25.0 - decay**2)
    x = 0.3 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    v = -0.3 * np.exp(-decay * t) * 25.0 / omega * np.sin(omega * t)
    books = run.energy_balance
    assert books.stored["kinetic"] == pytest.approx(v**2, abs=1e-10)
    assert books.stored["strut"] == pytest.approx(25.0 * (x**2 - 0.09), abs=1e-9)
    lost = 25.0 * 0.09 - 25.0 * x**2 - v**2
    assert books.dissipated["strut"] == pytest.approx(lost, abs=1e-9)
    assert books.total("work") == 0.0
    assert "rod" not in books.dissipated


def test_a_motor_of_a_fixed_torque_works_and_a_law_of_the_speed_brakes() -> None:
    """What pushes whatever moves is a motor or a weight, told by a number or by parameters."""
    m = tb.Model("winch", gravity=(0, 0, 0))
    drum = m.body("drum", 1.0, inertia=(1, 1, 0.5))
    m.joint("drum", tb.Revolute("z"), m.ground, drum)
    m.force("motor", tb.JointEffort("drum", 3.0))
    m.force("second motor", tb.JointEffort("drum", 2.0 * m.parameter("torque", 1.0)))
    m.force("hand", tb.Wrench(drum, torque=(0, 0, 1.5)))
    m.force("brake", tb.JointEffort("drum", -0.2 * m.rate("drum")))
    books = tb.simulate(
        m.compile(), duration=2.0, rtol=1e-11, atol=1e-13, energy_balance=True
    ).energy_balance
    turned = books.work["motor"] / 3.0
    assert turned > 1.0
    assert books.work == {
        "motor": pytest.approx(3.0 * turned, rel=1e-9),
        "second motor": pytest.approx(2.0 * turned, rel=1e-9),
        "hand": pytest.approx(1.5 * turned, rel=1e-9),
    }
    assert books.dissipated["brake"] > 0.0 and abs(books.residual) < 1e-8


def test_a_motor_gives_its_torque_times_the_way() -> None:
    m = tb.Model("winch", gravity=(0, 0, 0))
    m.joint("drum", tb.Revolute("z"), m.ground, m.body("drum", 1.0, inertia=(1, 1, 0.5)))
    m.force("motor", tb.JointEffort("drum", m.input("torque", default=3.0)))
    m.force("brake", tb.JointEffort("drum", -0.2 * m.rate("drum")))
    run = tb.simulate(m.compile(), duration=2.0, rtol=1e-11, atol=1e-13, energy_balance=True)
    assert run.energy_balance.work == {"motor": pytest.approx(3.0 * run["drum"][-1], rel=1e-9)}
    rate = 15.0 * (1 - np.exp(-0.4 * run.time))  # ω = T/c (1 − exp(−c t/J))
    np.testing.assert_allclose(run["drum rate"], rate, atol=1e-8)
    lost = 0.2 * 225.0 * (2.0 - 2 / 0.4 * (1 - np.exp(-0.8)) + 1 / 0.8 * (1 - np.exp(-1.6)))
    assert run.energy_balance.dissipated["brake"] == pytest.approx(lost, rel=1e-8)


def test_a_drive_does_the_work_that_lifts() -> None:
    """A mass driven up 0.5 m by a smooth step, at rest at both ends: m g h."""
    m = tb.Model("lift", gravity=(0, 0, -G))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("load", 4.0))
    m.drive("z", tb.SmoothStep(0.0, 0.5))
    for formulation in ("partitioning", "multipliers", "projection", "baumgarte"):
        run = tb.simulate(
            m.compile(), duration=1.2, step=0.01, constraints=formulation, energy_balance=True,
            rtol=1e-10, atol=1e-12,
        )  # fmt: skip
        assert run.energy_balance.work["drive z"] == pytest.approx(4.0 * G * 0.5, rel=1e-7)
        assert abs(run.energy_balance.residual) < 1e-6


@pytest.mark.parametrize(
    ("formulation", "within"),
    [("partitioning", 1e-7), ("multipliers", 1e-7), ("projection", 1e-7), ("baumgarte", 1e-7),
     ("linear-implicit", 0.03), ("augmented-lagrangian", 0.03)],
)  # fmt: skip
def test_closed_loops_balance_in_every_formulation(formulation: str, within: float) -> None:
    """The two implicit ones are of low order: their books say by how much."""
    from touchback.cli.model_argument import load

    described, experiment = load("slider-crank")
    system = described.compile()
    implicit = formulation in ("linear-implicit", "augmented-lagrangian")
    run = tb.simulate(
        system, experiment.start(system), 0.5, constraints=formulation, inputs=experiment.inputs,
        step=2e-4 if implicit else None, energy_balance=True, progress=False,
    )  # fmt: skip
    books = run.energy_balance
    assert abs(books.residual) < within * books.turnover
    assert abs(books.dissipated["constraints"]) < within * books.turnover
    assert books.dissipated["spring"] > 0.1


def test_a_spring_whose_end_an_input_moves_takes_the_work_of_the_input() -> None:
    """No inertia to speak of at the load: all the work of pulling at the end becomes ½ k x²."""
    m = tb.Model("pulled", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("load", 1e6))
    end = m.input("end")
    m.force("spring", tb.SpringDamper(
        m.ground.at(5, 0, 0), tb.Frame("load"), stiffness=30, length=5 - end,
    ))  # fmt: skip
    run = tb.simulate(m.compile(), duration=1.0, inputs={"end": [0.0, 0.2]}, energy_balance=True)
    assert run.energy_balance.stored["spring"] == pytest.approx(0.5 * 30 * 0.2**2, rel=1e-5)
    assert run.energy_balance.work["spring"] == pytest.approx(0.5 * 30 * 0.2**2, rel=1e-5)


def on_moving_ground() -> tb.System:
    """A pendulum with a strut, on a base that slides and turns to and fro."""
    m = tb.Model("carriage", gravity=(0, 0, -G))
    bob = m.body("bob", 0.7, com=(0.1, 0, -0.4), inertia=(0.01, 0.02, 0.01))
    m.joint("q", tb.Revolute("x"), m.ground.at(0.1, 0, 0.2), bob, position=0.4, damping=0.01)
    w, t = 5.0, m.time
    spin, slide = tb.sin(w * t), tb.cos(w * t)
    m.move_base(position=(0.3 * slide, 0, 0.1 * spin), turn=[("y", 0.4 * spin), ("z", 0.2 * slide)])
    crate = m.body("crate", 1.3, (0.1, 0.2, 0.3), (0.1, 0.2, 0.15))
    m.joint("lashing", tb.Fixed(), m.ground.at(0.3, 0.1, 0.0), crate)
    m.force("strut", tb.SpringDamper(
        m.ground.at(0.5, 0, 0), bob.at(0, 0, -0.4), stiffness=4, damping=0.2, length=0.3,
    ))  # fmt: skip
    m.force("push", tb.Wrench(bob.at(0, 0.1, 0), force=(0.3, 0.2, 0.1)))
    return m.compile()


def test_a_moving_ground_does_the_work_that_it_must() -> None:
    """To the order of the method, through the joint, the strut and gravity."""
    system = on_moving_ground()
    left = []
    for step in (0.02, 0.01):
        run = tb.simulate(system, None, 2.0, method="rk4", step=step, energy_balance=True)
        left.append(abs(run.energy_balance.residual))
    assert abs(run.energy_balance.work["moving ground"]) > 1e-2
    assert np.log2(left[0] / left[1]) > 3.7
    assert left[1] < 1e-6
    assert run.energy_balance.dissipated["strut"] > 0.0


def test_a_carriage_gets_its_kinetic_energy_from_the_ground() -> None:
    """A load fixed to a ground that accelerates evenly for 1 s: m v²/2."""
    m = tb.Model("carriage", gravity=(0, 0, 0))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("load", 3.0))
    m.move_base(position=(m.time**2, 0, 0))
    books = tb.simulate(m.compile(), duration=1.0, energy_balance=True).energy_balance
    assert books.work["moving ground"] == pytest.approx(0.5 * 3.0 * 4.0, rel=1e-12)
    assert abs(books.residual) < 1e-12


# ---- jumps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dopri5", "rk4", "radau5"])
def test_bounces_lose_what_restitution_takes(method: str) -> None:
    m = tb.Model("ball", gravity=(0, 0, -G))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", 0.3), position=1.0)
    bounce = tb.Event(
        "bounce", m.coordinate("z"), direction=-1, restart=lambda t, x: [0.0, -0.8 * x[1]]
    )
    run = tb.simulate(
        m.compile(), duration=1.5, events=[bounce], method=method, energy_balance=True
    )
    bounces = len(run.events)
    assert bounces == 2
    assert run.energy_balance.impacts["bounce"] == pytest.approx(
        0.3 * G * (1 - 0.64**bounces), rel=1e-10
    )
    assert abs(run.energy_balance.residual) < 1e-10


def test_a_rod_that_catches_a_ball_books_its_impact() -> None:
    m = tb.Model("ball on a rod", gravity=(0, 0, -G))
    ball = m.body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.joint("ball", tb.Planar("y"), m.ground, ball)
    m.close("rod", tb.Rod(1.0), m.ground, ball, active=False)
    system = m.compile()
    start = system.assemble(**{"ball.x": 0.6, "ball.z": 0.0})
    taut = tb.Event("taut", lambda t, x: float(np.hypot(x[0], x[1])) - 1.0, direction=+1)
    run = tb.simulate(
        system, start, 1.0, rtol=1e-10, atol=1e-12, energy_balance=True,
        events=[tb.Switch(taut, activate=["rod"])],
    )  # fmt: skip
    assert run.energy_balance.impacts["switch +rod"] == pytest.approx(0.64 * 2 * G * 0.8, rel=1e-6)
    assert abs(run.energy_balance.residual) < 1e-7


# ---- mistakes must show --------------------------------------------------------------------------


class Backward(ForceKind, frozen=True, tag="backward"):
    """A spring that pushes where it should pull."""

    joint: str
    stiffness: float = 10.0

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        stretch = mechanics.coordinate(self.joint)
        mechanics.add_effort(self.joint, 0, k.mul(k.const(self.stiffness), stretch))

    def potential(self, mechanics: Mechanics) -> Scalar:
        k, x = mechanics.k, mechanics.coordinate(self.joint)
        return k.mul(k.const(0.5 * self.stiffness), k.mul(x, x))


def test_a_force_with_the_wrong_sign_makes_energy_and_its_line_says_so() -> None:
    m = tb.Model("wrong", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("load", 1.0), position=0.1)
    m.force("spring", Backward("x"))  # type: ignore[arg-type]
    books = tb.simulate(m.compile(), duration=0.5, energy_balance=True).energy_balance
    assert books.dissipated["spring"] < -0.1


def test_equations_of_motion_that_lose_a_force_leave_books_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Powers don't ask the equations of motion what acts."""
    original = Instant.push

    def weak(self: Instant, frame: tb.Frame, force: list[Scalar], torque: object = None) -> None:
        half = self.k.const(0.5)
        original(self, frame, [self.k.mul(half, x) for x in force], torque)  # type: ignore[arg-type]

    monkeypatch.setattr(Instant, "push", weak)
    books = run_of(workshop()).energy_balance
    assert abs(books.residual) > 0.01 * books.turnover


# ---- what runs keep ------------------------------------------------------------------------------


def test_books_survive_in_files_and_print_their_lines(tmp_path: Path) -> None:
    run = run_of(workshop())
    run.save(tmp_path / "run.npz")
    assert tb.open(tmp_path / "run.npz").energy_balance == run.energy_balance
    text = str(run.energy_balance)
    assert [line.split()[0] for line in text.splitlines()][:3] == ["work", "motor", "stored"]
    assert text.splitlines()[-1].startswith("residual")


def test_books_that_were_not_kept_say_how_to_get_them() -> None:
    run = tb.simulate(workshop(), duration=0.1, progress=False)
    with pytest.raises(
        tb.InputError, match=r"ask for it with tb\.simulate\(…, energy_balance=True\)"
    ):
        _ = run.energy_balance


def test_books_of_a_damped_stop_close_with_the_tolerance() -> None:
    """A stop that has ceased to push springs back while the mass flies, seen by no step; the two
    jumps of force that steps do see are met as closely as the tolerance says."""
    m = tb.Model("mass over a stop")
    m.body("mass", mass=1.0)
    stop = {"limits": (0.0, 2.0), "stop": (1e4, 50.0), "position": 0.5}
    m.joint("slide", tb.Prismatic("z"), m.ground, "mass", **stop)
    system = m.compile()
    left = [
        tb.simulate(
            system, duration=0.6, rtol=rtol, atol=1e-2 * rtol, energy_balance=True, progress=False
        ).energy_balance.residual
        for rtol in (1e-8, 1e-10, 1e-12)
    ]
    assert abs(left[0]) < 1e-4
    assert abs(left[1]) < 2e-6
    assert abs(left[2]) < 2e-8
