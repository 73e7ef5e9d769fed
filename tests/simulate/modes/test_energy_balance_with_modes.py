"""Energy books of runs with modes: closed forms line by line, the method's order through
transitions, and mistakes that must show."""

import numpy as np
import pytest

import touchback as tb
from models_with_modes import G, bouncing_ball, clutch, pegged_pendulum, striking_rods
from touchback.cli.model_argument import load
from touchback.dynamics.mechanism_instant import Instant
from touchback.numbers import Scalar
from touchback.simulate import RunFailed

METHODS = ("dopri5", "radau5", "rk4")


def books_of(model: tb.Model, duration: float, **options: object) -> tb.EnergyBalance:
    system = model.compile()
    return tb.simulate(
        system, None, duration, energy_balance=True, progress=False, **options
    ).energy_balance  # type: ignore[arg-type]


def damped_door() -> tb.Model:
    """A pendulum with a motor, a spring and drag that strikes a wall: nothing in it is easy for a
    method, and its forces go on through the blows."""
    m = tb.Model("door", gravity=(0, 0, -G))
    leaf = m.body("leaf", mass=1.3, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
    m.joint("hinge", tb.Revolute("y"), m.ground, leaf, position=1.0, velocity=-0.5, damping=0.05)
    angle = m.coordinate("hinge")
    m.force("motor", tb.JointEffort("hinge", 0.8 * tb.sin(5.0 * m.time)))
    m.force("air", tb.Drag(leaf.at(0, 0, -0.9), 0.2))
    m.force("strut", tb.SpringDamper(
        m.ground.at(0.7, 0, 0), leaf.at(0, 0, -0.6), stiffness=6, damping=0.4, length=0.5,
    ))  # fmt: skip
    m.constrain("wall", angle + 0.2)
    m.mode("swing")
    m.transition("slam", "swing", "swing", when=angle + 0.2, impact=["wall"], restitution=0.7)
    return m


def belt_and_block() -> tb.Model:
    """A driven belt that carries a block on a spring. Held: one constraint between both. Sliding:
    dry friction, written into both as long as the second mode reigns."""
    m = tb.Model("belt and block", gravity=(0, 0, 0))
    m.joint("belt", tb.Prismatic("x"), m.ground, m.body("belt", mass=3.0), velocity=0.5)
    m.joint("block", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0), spring=25.0)
    m.drive("belt", tb.Ramp(0.5))
    speed = m.rate("block") - m.rate("belt")
    m.constrain("grip", velocity=speed)
    grip = m.sensor("grip force", tb.Multiplier("grip"))
    m.mode("stick", active=["grip"])
    m.mode("slip")
    sliding = tb.select(m.signal("mode"), 0.3 * G, 0.0)
    m.force("friction of block", tb.JointEffort("block", sliding))
    m.force("friction of belt", tb.JointEffort("belt", -sliding))
    m.transition("break away", "stick", "slip", when=0.5 * G - grip)
    m.transition("catch", "slip", "stick", when=speed, direction=+1)
    return m


# ---- closed forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_bounces_lose_what_restitution_takes(method: str) -> None:
    """Σ ½ m v² (1 − e²) of eight bounces = m g h (1 − e¹⁶); nothing else takes anything."""
    books = books_of(bouncing_ball(0.9), 5.0, method=method)
    assert books.impacts == {"bounce": pytest.approx(G * (1 - 0.9**16), rel=1e-10)}
    assert abs(books.residual) < 1e-12
    assert books.total("work") == 0.0
    assert abs(books.total("dissipated")) < 1e-15


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_that_comes_to_rest_has_lost_everything_in_bounces(method: str) -> None:
    books = books_of(bouncing_ball(0.8, rest=True), 6.0, method=method)
    assert books.impacts["bounce"] == pytest.approx(G, rel=1e-10)
    assert books.stored["gravity"] == pytest.approx(-G, rel=1e-10)
    assert abs(books.residual) < 1e-12


@pytest.mark.parametrize("method", [*METHODS, "euler"])
def test_a_clutch_loses_what_it_must_when_it_engages(method: str) -> None:
    """½ I₁ I₂/(I₁ + I₂) (ω₁ − ω₂)²."""
    books = books_of(clutch(), 1.0, method=method)
    assert books.impacts == {"engage": pytest.approx(0.5 * 0.1 / 0.7 * 90.0**2, rel=1e-12)}
    assert abs(books.residual) < 1e-10


@pytest.mark.parametrize("method", METHODS)
def test_transitions_at_the_first_and_at_the_last_instant_count(method: str) -> None:
    for at in (-1.0, 0.0, 1.0):
        system = clutch(engaged_at=at).compile()
        run = tb.simulate(system, None, 1.0, method=method, energy_balance=True, progress=False)
        taken = [-each.energy for each in run.transitions]
        assert run.energy_balance.total("impacts") == pytest.approx(sum(taken), rel=1e-12)
        assert len(taken) == 1 or at == 1.0
        assert abs(run.energy_balance.residual) < 1e-10


@pytest.mark.parametrize("method", METHODS)
def test_the_belt_gives_what_friction_takes_and_the_spring_keeps(method: str) -> None:
    """The drive's work: k x of the spring times the way while the block is held, μ m g times the
    way of the belt while it slides. Friction takes μ m g times the way that block and belt are
    apart."""
    system = belt_and_block().compile()
    run = tb.simulate(
        system,
        None,
        4.0,
        method=method,
        rtol=1e-10,
        atol=1e-12,
        energy_balance=True,
        progress=False,
    )
    books, away, omega, belt = run.energy_balance, 0.5 * G / 25.0, 5.0, 0.5
    slip = (2 * np.pi - 2 * np.arctan(0.2 * G / 25.0 * omega / belt)) / omega
    back = 2 * 0.3 * G / 25.0 - away
    causes = [each.cause for each in run.transitions]
    assert causes == ["break away", "catch"] * (len(causes) // 2)
    slips, last = len(causes) // 2, run["block"][-1]
    held = 12.5 * (away**2 + (slips - 1) * (away**2 - back**2) + last**2 - back**2)
    assert books.work == {
        "drive belt": pytest.approx(held + slips * 0.3 * G * belt * slip, rel=1e-8)
    }
    rubbed = books.dissipated["friction of block"] + books.dissipated["friction of belt"]
    assert rubbed == pytest.approx(slips * 0.3 * G * (belt * slip + away - back), rel=1e-8)
    assert books.stored["joint block"] == pytest.approx(12.5 * last**2, rel=1e-12)
    assert abs(books.residual) < 1e-8
    assert abs(books.total("impacts")) < 1e-8  # it catches where it moves as the belt does


@pytest.mark.parametrize("method", METHODS)
def test_what_lets_an_idle_coordinate_track_does_work_in_its_own_line(method: str) -> None:
    """A marker of 2 kg that tracks a moving place x(t) = 0.3 sin 4t: its effort gives ½ m v², then
    the marker flies on."""
    m = tb.Model("marker", gravity=(0, 0, 0))
    place = 0.3 * tb.sin(4.0 * m.time)
    m.joint("marker", tb.Prismatic("x"), m.ground, m.body("marker", mass=2.0), velocity=1.2)
    m.mode("follow", tracking={"marker": place})
    m.mode("free")
    m.transition("let go", "follow", "free", when=0.3 - m.time)
    books = books_of(m, 0.5, method=method, rtol=1e-10, atol=1e-12)
    gained = (1.2 * np.cos(1.2)) ** 2 - 1.2**2
    assert books.work == {"constraint follow tracks marker": pytest.approx(gained, rel=1e-8)}
    assert books.impacts == {"let go": 0.0}
    assert abs(books.residual) < 1e-8


def test_resets_and_stored_energies_that_jump_count_as_impacts() -> None:
    """A spring that becomes stiffer in the second mode, at a stretch of 0.2 m, and a reset that
    halves the speed there."""
    m = tb.Model("spring", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("load", mass=1.0), velocity=2.0)
    x = m.coordinate("x")
    m.mode("soft")
    m.mode("hard")
    m.force("spring", tb.SpringDamper(
        m.ground.at(-1, 0, 0), tb.Frame("load"), length=1.0,
        stiffness=tb.select(m.signal("mode"), 90.0, 40.0),
    ))  # fmt: skip
    m.transition("stiffen", "soft", "hard", when=x - 0.2, direction=+1,
                 reset={"v:x": 0.5 * m.rate("x")})  # fmt: skip
    kinetic = 0.5 * (4.0 - 40.0 * 0.04)
    lost = 0.75 * kinetic - 0.5 * 50.0 * 0.04
    for method in METHODS:
        books = books_of(m, 0.4, method=method, rtol=1e-10, atol=1e-12)
        assert books.impacts["stiffen"] == pytest.approx(lost, rel=1e-7)
        assert abs(books.dissipated.get("spring", 0.0)) < 1e-9
        assert abs(books.residual) < 1e-7


def test_a_reset_under_a_spring_that_an_input_moves_isnt_taken_for_work() -> None:
    """The spring's line takes its potential's difference over the run, less what the reset did."""
    m = tb.Model("pulled", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("load", mass=1.0))
    end = m.input("end", unit="m")
    m.force("spring", tb.SpringDamper(
        m.ground.at(5, 0, 0), tb.Frame("load"), stiffness=30, length=5 - end,
    ))  # fmt: skip
    m.mode("before")
    m.mode("after")
    back = {"q:x": m.coordinate("x") - 0.1}
    m.transition("put back", "before", "after", when=0.25 - m.time, reset=back)
    inputs = {"end": lambda t: 0.2 * t}
    for method in METHODS:
        books = books_of(m, 0.5, method=method, inputs=inputs, rtol=1e-10, atol=1e-12)
        # x = 0.2 (t − sin ωt/ω) up to the reset, which stretches the spring by 0.1 m more
        stretch = 0.2 * np.sin(np.sqrt(30) * 0.25) / np.sqrt(30)
        taken = 15.0 * (stretch**2 - (stretch + 0.1) ** 2)
        assert books.impacts["put back"] == pytest.approx(taken, rel=1e-8)
        assert books.work["spring"] > 0.0
        assert abs(books.residual) < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_a_rod_that_catches_a_ball_books_its_impact(method: str) -> None:
    """A closure that rests unless a mode names it. After 0.8 m the part of the speed along
    the rod, 0.8 of it, is lost."""
    m = tb.Model("ball on a rod", gravity=(0, 0, -G))
    ball = m.body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.joint("ball", tb.Planar("y"), m.ground, ball, position=(0.0, 0.6, 0.0))  # z, x, turn
    x, z = m.coordinate("ball", 1), m.coordinate("ball", 0)
    m.close("rod", tb.Rod(1.0), m.ground, ball, active=False)
    m.mode("fall")
    m.mode("taut", active=["rod"])
    m.transition("catch", "fall", "taut", when=1.0 - x * x - z * z)
    books = books_of(m, 1.0, method=method, rtol=1e-10, atol=1e-12)
    assert books.impacts["catch"] == pytest.approx(0.64 * 2 * G * 0.8, rel=1e-6)
    assert abs(books.residual) < 1e-6
    assert abs(books.dissipated["constraints"]) < 1e-9


# ---- order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "order", "step"), [("rk4", 4, 0.01), ("euler", 1, 2e-3)])
def test_what_is_unexplained_falls_with_the_order_of_the_method(
    method: str, order: int, step: float
) -> None:
    left = []
    for k in range(2):
        books = books_of(damped_door(), 2.0, method=method, step=step / 2**k)
        left.append(abs(books.residual))
    assert books.impacts["slam"] > 0.1 and books.dissipated["air"] > 0.1
    assert np.log2(left[0] / left[1]) > order - 0.4
    assert left[1] < {"rk4": 1e-6, "euler": 0.1}[method]


@pytest.mark.parametrize("method", ["dopri5", "radau5"])
def test_books_close_to_the_tolerance(method: str) -> None:
    books = books_of(damped_door(), 2.0, method=method, rtol=1e-10, atol=1e-12)
    assert abs(books.residual) < 2e-8 * books.turnover
    assert len(books.impacts) == 1


@pytest.mark.parametrize("formulation", ["partitioning", "multipliers", "projection", "baumgarte"])
def test_loops_that_change_balance_in_every_formulation(formulation: str) -> None:
    system = pegged_pendulum().compile()
    start = system.assemble(mode="long", **{"bob.x": -0.6, "bob.z": -0.8})
    for method in ("dopri5", "rk4"):
        run = tb.simulate(
            system, start, 4.0, method=method, constraints=formulation, rtol=1e-10, atol=1e-12,
            energy_balance=True, progress=False,
        )  # fmt: skip
        assert len(run.transitions) == 4
        assert abs(run.energy_balance.residual) < 1e-6
        assert abs(run.energy_balance.dissipated["constraints"]) < 1e-6


def test_a_ground_that_moves_does_its_work_in_every_mode() -> None:
    """To the order of the method, through blows."""
    m = damped_door()
    m.move_base(position=(-0.06 * tb.cos(5.0 * m.time), 0, 0))
    left = []
    for step in (0.01, 0.005):
        books = books_of(m, 2.0, method="rk4", step=step)
        left.append(abs(books.residual))
    assert abs(books.work["moving ground"]) > 0.01
    assert books.impacts["slam"] > 0.1
    assert np.log2(left[0] / left[1]) > 3.5 and left[1] < 1e-6


def test_parts_with_modes_of_their_own_have_lines_of_their_own() -> None:
    both = tb.Model("two balls", gravity=(0, 0, -G))
    for name, e in (("first", 0.9), ("second", 0.5)):
        both.add(bouncing_ball(e), name=name)
    books = books_of(both, 1.0)
    assert books.impacts == {
        "first/bounce": pytest.approx(G * (1 - 0.81)),
        "second/bounce": pytest.approx(G * (1 - 0.25**2)),
    }
    assert abs(books.residual) < 1e-12


# ---- runs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*METHODS, "euler"])
def test_the_motion_has_the_same_bits_with_and_without_books(method: str) -> None:
    for make in (damped_door, striking_rods, belt_and_block):
        system = make().compile()
        plain, booked = (
            tb.simulate(system, None, 1.5, method=method, energy_balance=books, progress=False)
            for books in (False, True)
        )
        for name in plain.names:
            np.testing.assert_array_equal(plain[name], booked[name])


def test_a_run_that_fails_has_books_up_to_there() -> None:
    """Bounces without end, which a fixed step breaks off in its middle."""
    for method in METHODS:
        with pytest.raises(RunFailed) as caught:
            books_of(bouncing_ball(0.5), 3.0, method=method)
        books = caught.value.run.energy_balance
        assert books.impacts["bounce"] == pytest.approx(G, rel=1e-6)
        assert abs(books.residual) < 1e-10


def test_events_with_a_restart_count_beside_transitions() -> None:
    kick = tb.Event("kick", lambda t, x: t - 0.2, restart=lambda t, x: [x[0], 0.0, x[2]])
    books = books_of(bouncing_ball(0.9), 0.8, events=[kick])
    assert books.impacts["kick"] == pytest.approx(0.5 * (G * 0.2) ** 2, rel=1e-9)
    left = G * (1.0 - 0.5 * G * 0.04)
    assert books.impacts["bounce"] == pytest.approx(left * (1 - 0.81), rel=1e-9)
    assert abs(books.residual) < 1e-10


def test_the_work_of_a_held_force_is_booked_through_bounces() -> None:
    """A sampled spring lifts a ball; between ticks its force is constant, and work is force times
    way."""
    m = bouncing_ball(0.9)
    force = m.memory("lift", 0.0, update=8.0 * (1.0 - m.coordinate("height")))
    m.force("lift", tb.JointEffort("height", force))
    run = tb.simulate(
        m.compile(),
        duration=3.0,
        rate=200,
        step=1e-3,
        method="rk4",
        energy_balance=True,
        progress=False,
    )
    given = np.sum(run["lift"][1:] * np.diff(run["height"]))
    assert len(run.transitions) > 1
    assert run.energy_balance.work["lift"] == pytest.approx(given, rel=1e-9)
    assert abs(run.energy_balance.residual) < 1e-11


def test_a_stroke_of_the_piano_with_modes_balances() -> None:
    described, experiment = load("piano-modes")
    system = described.compile()
    run = tb.simulate(
        system, experiment.start(system), experiment.duration, inputs=experiment.inputs,
        energy_balance=True, progress=False,
    )  # fmt: skip
    books = run.energy_balance
    assert len(run.transitions) > 8
    assert abs(books.residual) < 1e-5 * books.total("work")
    assert books.impacts["hammer strikes string; C catch"] > 0.1 * books.total("work")
    assert min(books.dissipated.values()) > -1e-6 * books.total("work")


# ---- mistakes must show --------------------------------------------------------------------------


def test_equations_that_lose_a_force_leave_books_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Powers don't ask the equations of the modes what acts."""
    original = Instant.push

    def weak(self: Instant, frame: tb.Frame, force: list[Scalar], torque: object = None) -> None:
        half = self.k.const(0.5)
        original(self, frame, [self.k.mul(half, x) for x in force], torque)  # type: ignore[arg-type]

    monkeypatch.setattr(Instant, "push", weak)
    for method in ("dopri5", "rk4"):
        books = books_of(damped_door(), 1.0, method=method)
        assert abs(books.residual) > 0.01 * books.turnover
