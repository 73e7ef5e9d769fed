"""Another structure is taken over at a tick: where it is, how it moves, and what that costs."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.native.live.mailbox import clock_now
from touchback.realtime import open_recording
from waiting import PATIENCE, until

RATE = 1000.0
T = 1.0 / RATE
CART, POLE, ARM, SPIN = 2.0, 0.5, 0.3, 0.01  # kg, kg, m, kg m² about the pole's centre of mass


def cart_pole(kind: tb.JointKind, law: float = 0.0, name: str = "cart-pole") -> tb.Model:
    """A pole that hangs from a cart; the carriage's joint is what changes."""
    m = tb.Model(name, gravity=(0, 0, -9.81))
    gain = m.parameter("gain", 1.0)
    cart, pole = m.body("cart", mass=CART), m.body("pole", POLE, (0, 0, -ARM), (SPIN, SPIN, 1e-3))
    m.joint("slide", kind, m.ground.at(0, 0, 1), cart)
    m.joint("swing", tb.Revolute("y"), cart, pole)
    force = m.input("force", unit="N m")
    m.force("push", tb.JointEffort("swing", gain * force - law * m.coordinate("swing")))
    m.sensor("tip", tb.Position(pole.at(0, 0, -0.6)))
    m.sensor("echo", tb.Signal(force, "N m"))
    return m


@pytest.fixture(scope="module")
def free() -> tb.System:
    return cart_pole(tb.Prismatic("x")).compile()


@pytest.fixture(scope="module")
def moving(free: tb.System) -> tb.State:
    return free.assemble(slide=0.2, swing=0.4, rates={"slide": 1.5, "swing": -0.7})


# ---- physics ------------------------------------------------------------------------------------


def test_a_freedom_that_vanishes_freezes_and_its_impulse_does_no_work_on_the_others(
    free: tb.System, moving: tb.State
) -> None:
    with tb.live(free, moving, rate=RATE, speed=None, record=True) as live:
        live.run(50 * T)
        before = live.snapshot()
        change = live.swap(cart_pole(tb.Fixed()))
        live.run(T)
        after, structure = live.snapshot(), live._pending
    assert change.state == "taken" and structure is None
    assert change.tick == 51 and change.frozen == {"slide": before["slide"]}
    assert live["slide"] == before["slide"]  # a live parameter now
    assert "slide rate" not in after
    # the angular momentum about the pivot stays: I ω′ = I ω + m l cos θ ẋ (x′ = 0)
    about_pivot = SPIN + POLE * ARM**2
    theta, speed = before["swing"], before["slide rate"]
    coupling = -POLE * ARM * np.cos(theta)
    omega = before["swing rate"] + coupling / about_pivot * speed
    torque = -POLE * 9.81 * ARM * np.sin(theta)
    assert after["swing rate"] == pytest.approx(omega + torque / about_pivot * T, rel=1e-4)
    assert after["swing"] == pytest.approx(theta + omega * T, abs=1e-4)
    # and the energy lost is that of the part that was square to it
    lost = 0.5 * (CART + POLE - coupling**2 / about_pivot) * speed**2
    assert change.energy_lost == pytest.approx(lost, rel=1e-9)
    tip = np.array([live.recorded()[f"tip.{axis}"] for axis in "xz"])
    assert np.abs(np.diff(tip, axis=1)).max() < 5e-3  # it goes on from where it was


def test_a_cylindrical_joint_becomes_revolute_and_cylindrical_again() -> None:
    """Wang 2011, section 5.1: a constraint modified while the simulation runs."""

    def model(kind: tb.JointKind) -> tb.Model:
        m = tb.Model("bolt", gravity=(0.5, 0.3, -0.4))
        frame = m.ground.at(0.1, 0.2, 0.3, turn=("x", 0.5))
        bolt = m.body("bolt", 1.2, (0.1, 0.02, 0.05), (0.01, 0.02, 0.015))
        arm = m.body("arm", 0.4, (0.0, 0.1, 0.0), (0.002, 0.001, 0.002))
        m.joint("hinge", kind, frame, bolt.at(0.0, 0.01, 0.0, turn=("y", 0.2)))
        m.joint("elbow", tb.Revolute("x"), bolt.at(0.1, 0, 0), arm)
        return m

    axis = (1.0, 2.0, -0.5)
    cylindrical = model(tb.Cylindrical(axis)).compile()
    start = cylindrical.assemble(
        **{"hinge.slide": 0.05, "hinge.turn": 0.3, "elbow": 0.1},
        rates={"hinge.slide": 0.4, "hinge.turn": 1.0, "elbow": 2.0},
    )
    with tb.live(cylindrical, start, rate=RATE, speed=None) as live:
        live.run(0.1)
        before = live.snapshot()
        q = [before[name] for name in cylindrical.coordinates]
        v = np.array([before[f"{name} rate"] for name in cylindrical.coordinates])
        change = live.swap(model(tb.Revolute(axis)))
        live.run(0.2)
        assert live.system.coordinates == ("hinge", "elbow")
        assert change.frozen == {"hinge.slide": before["hinge.slide"]}
        # removing row and column of the slide from the whole mass matrix
        M = cylindrical.mass_matrix(q)
        stays = [cylindrical.coordinates.index(name) for name in ("hinge.turn", "elbow")]
        expected = np.linalg.solve(M[np.ix_(stays, stays)], M[stays] @ v)
        lost = 0.5 * v @ M @ v - 0.5 * expected @ M[np.ix_(stays, stays)] @ expected
        assert change.energy_lost == pytest.approx(lost, rel=1e-10) and lost > 1e-3
        at_rest = live.snapshot()
        change = live.swap(model(tb.Cylindrical(axis)))
        live.run(T)
        # it slides again from where it stood
        assert live.read("hinge.slide") == pytest.approx(before["hinge.slide"], abs=1e-5)
        assert live.read("hinge.turn") == pytest.approx(at_rest["hinge"], abs=0.01)
        assert change.frozen == {} and "hinge.slide" not in live.system.parameters
        assert change.energy_lost == pytest.approx(0.0, abs=1e-12)
        live.run(0.1)
        assert live.read("hinge.slide") != pytest.approx(before["hinge.slide"], abs=1e-4)


@pytest.mark.parametrize("constraints", ["partitioning", "projection", "linear-implicit"])
def test_constraints_switch_at_a_tick_with_the_impulse_that_it_takes(constraints: str) -> None:
    m = tb.Model("two pendulums", gravity=(0, 0, -9.81))
    for name, place in (("a", 0.0), ("b", 0.4)):
        body = m.body(name, 1.0, (0, 0, -0.3), (0.02, 0.02, 1e-3))
        m.joint(name, tb.Revolute("y"), m.ground.at(place, 0, 0), body)
    m.constrain("clutch", m.coordinate("a") - m.coordinate("b"), active=False)
    system = m.compile()
    start = system.assemble(a=0.3, b=0.3, rates={"a": 2.0, "b": -0.5})
    with tb.live(
        system, start, rate=RATE, speed=None, constraints=constraints, record=True
    ) as live:
        change = live.switch(activate=["clutch"])
        live.run(0.2)
        a, b = live.recorded()["a"], live.recorded()["b"]
        back = live.switch(deactivate=["clutch"])
        live.run(0.2)
    assert np.abs(a - b).max() < 1e-6
    # equal inertias: both take the mean speed, the energy of half the difference is lost
    inertia = 0.02 + 0.09
    assert change.energy_lost == pytest.approx(inertia * 1.25**2, rel=1e-9)
    assert back.energy_lost == pytest.approx(0.0, abs=1e-9)
    assert abs(live.read("a") - live.read("b")) < 1e-6  # the same motion from then on


def test_a_loop_may_be_closed_while_it_runs() -> None:
    """The same impulse as offline, from Python's own projection."""
    m = tb.Model("catch", gravity=(0, 0, -9.81))
    for name, place in (("a", 0.0), ("b", 0.5)):
        body = m.body(name, 1.0, (0, 0, -0.2), (0.01, 0.01, 1e-3))
        m.joint(name, tb.Revolute("y"), m.ground.at(place, 0, 0), body)
    hands = tb.Frame("a", (0, 0, -0.4)), tb.Frame("b", (0, 0, -0.4))
    m.close("rod", tb.Rod(0.5), *hands, active=False)
    system = m.compile()
    start = system.assemble(a=0.2, b=0.201, rates={"a": 1.0, "b": -0.3})
    with tb.live(system, start, rate=RATE, speed=None) as live:
        change = live.switch(activate=["rod"])
        live.run(T)
        assert live.faults == ()
        q = [live.read("a"), live.read("b")]
    offline = m.compile()
    offline.activate("rod")
    state, lost = offline.consistent(start.x)
    assert np.abs(offline.constraint_error(q)).max() < 1e-10
    assert change.energy_lost == pytest.approx(lost, rel=1e-3)
    assert 0.0 < change.moved < 1e-3
    assert state[0] == pytest.approx(q[0], abs=2e-3)


# ---- what goes on -------------------------------------------------------------------------------


def test_inputs_outputs_parameters_guards_and_gains_go_on_by_name(
    free: tb.System, moving: tb.State
) -> None:
    guard = tb.devices.GuardedOutput(soft_start=20 * T)
    with tb.live(free, moving, rate=RATE, speed=None, outputs={"echo": guard}, record=True) as live:
        live.watch("force", 100 * T, "hold")
        live["force"], live["gain"] = 2.0, 3.0
        live.set_gain("echo", 0.5)
        live.run(10 * T)
        halfway = live.read("echo")
        live.swap(cart_pole(tb.Fixed(), law=4.0))
        live.run(5 * T)
        assert live["gain"] == 3.0 and live["force"] == 2.0
        assert live.read("echo") == pytest.approx(halfway * 1.5)  # the soft start goes on
        live["force"] = 2.5
        live.run(50 * T)
        assert live.read("echo") == 1.25
        live["gain"] = 4.0
        live.run(T)
        assert live.recorded()["version"][-1] != live.recorded()["version"][-2]
        live.run(60 * T)
        assert live.faults == ("stale input",)  # its age goes on too
    assert np.array_equal(live.recorded()["tick"], np.arange(1, live.ticks + 1))
    assert np.isnan(live.recorded()["slide"][-1]) and not np.isnan(live.recorded()["slide"][0])


def test_the_energy_of_what_freezes_to_the_ground_stays_in_the_sum() -> None:
    """A door on a slope, at rest: swapped for Fixed and back, a sensor of energy shows no jump."""

    def door(kind: tb.JointKind) -> tb.Model:
        m = tb.Model("door", gravity=(0, 0, -9.81))
        wing = m.body("wing", 2.0, (0.3, 0, 0.4), (0.1, 0.1, 0.2))
        m.joint("hinge", kind, m.ground.at(0.1, 0.2, 1.3, turn=("y", 0.2)), wing)
        m.joint("bell", tb.Revolute("y"), m.ground, m.body("bell", 0.1, (0, 0, -0.1)))
        m.sensor("energy", tb.Energy())
        m.sensor("height", tb.Energy("potential"))
        return m

    system = door(tb.Revolute("z")).compile()
    start = system.assemble(hinge=0.5)
    with tb.live(system, start, rate=RATE, speed=None, record=True) as live:
        for kind in (tb.Fixed(), tb.Revolute("z"), tb.Fixed()):
            live.run(2 * T)
            change = live.swap(door(kind))
        live.run(2 * T)
        shown = live.recorded()["energy"]
    assert np.ptp(shown) < 1e-4  # what 6 ms of falling cost when it freezes
    lost = sum(each.energy_lost for each in live.structures)  # type: ignore[misc]
    assert change.energy_lost is not None and shown[0] - shown[-1] == pytest.approx(lost, rel=1e-6)
    assert live.read("height") == pytest.approx(start_height(system, start), abs=1e-4)


def start_height(system: tb.System, start: tb.State) -> float:
    return system.energy(start.q, start.v)[1]


def test_bodies_may_come_and_go(free: tb.System, moving: tb.State) -> None:
    def longer() -> tb.Model:
        m = cart_pole(tb.Prismatic("x"))
        more = m.body("more", 0.2, (0, 0, -0.1), (1e-3, 1e-3, 1e-4))
        m.joint("more", tb.Revolute("y"), tb.Frame("pole", (0, 0, -0.6)), more)
        return m

    with tb.live(free, moving, rate=RATE, speed=None) as live:
        live.run(20 * T)
        before = live.snapshot()
        change = live.swap(longer())
        live.run(T)
        assert live.read("slide") == pytest.approx(
            before["slide"] + before["slide rate"] * T, rel=1e-4
        )
        assert change.energy_lost is not None
        live.run(20 * T)
        live.swap(cart_pole(tb.Prismatic("x")))
        live.run(20 * T)
        assert live.faults == () and live.system.coordinates == ("slide", "swing")


def test_rate_and_method_may_change_too(free: tb.System, moving: tb.State) -> None:
    with tb.live(free, moving, rate=RATE, speed=None, record=True) as live:
        live.run(10 * T)
        change = live.swap(rate=250.0, method="euler")
        live.run(0.1)
    times = live.recorded().time
    assert change.state == "taken" and live.spec.rate == 250.0
    assert np.diff(times)[:9] == pytest.approx(T) and np.diff(times)[10:] == pytest.approx(0.004)
    assert change.energy_lost == pytest.approx(0.0, abs=1e-12)


def test_a_change_may_be_asked_for_ahead(free: tb.System, moving: tb.State) -> None:
    with tb.live(free, moving, rate=RATE, speed=None) as live:
        change = live.swap(cart_pole(tb.Fixed()), at=0.03)
        live.run(0.02)
        assert change.state == "waiting"
        with pytest.raises(tb.InputError, match="waiting for its tick"):
            live.swap(cart_pole(tb.Fixed()))
        live.run(0.02)
        assert change.state == "taken" and change.tick == 31


OTHER_PROCESS = """
import sys, time
from touchback.realtime import attach
ports = attach(sys.argv[1])
end = time.monotonic() + 60
while "slide" in ports.published()[0] and time.monotonic() < end:
    ports.write("force", 0.25)
    time.sleep(0.001)
ports.write("force", 0.75)
while ports.read("echo") != 0.75 and time.monotonic() < end:
    time.sleep(0.001)
print(sorted(ports.published()[0]))
"""


def test_other_processes_follow_over_shared_memory(free: tb.System, moving: tb.State) -> None:
    name = f"touchback-test-{clock_now()}"
    with tb.live(free, moving, rate=500, share=name) as live:
        other = subprocess.Popen(
            [sys.executable, "-c", OTHER_PROCESS, name], stdout=subprocess.PIPE, text=True
        )
        until(lambda: live.read("echo") == 0.25)
        live.swap(cart_pole(tb.Fixed()))
        shown = other.communicate(timeout=PATIENCE)[0]
    assert (
        shown
        == "['echo', 'flags', 'swing', 'swing rate', 'tick', 'time', 'tip.x', 'tip.y', 'tip.z']\n"
    )


# ---- against the clock, and again ---------------------------------------------------------------


def test_a_clocked_run_goes_on_without_a_gap_and_replays(
    free: tb.System, moving: tb.State, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(free, moving, rate=2000, record=path) as live:
        live["force"] = 0.1
        for k in range(4):
            live.run(0.02)
            live["gain"] = 1.0 + k
            change = live.swap(cart_pole(tb.Fixed() if k % 2 == 0 else tb.Prismatic("x"), law=k))
            assert change.state == "taken"
        live.run(0.02)
    recording = open_recording(path)
    assert len(recording.parts) == 5 and len(live.structures) == 4
    assert np.array_equal(recording.column("tick"), np.arange(1, live.ticks + 1))
    assert np.diff(recording.column("time")) == pytest.approx(0.0005)
    restructured = recording.column("flags").astype(int) & 2048 != 0
    assert list(recording.column("tick")[restructured]) == [each.tick for each in live.structures]
    # the change itself takes microseconds; a busy machine may hold up one of them
    assert sorted(each.duration for each in live.structures)[1] < 100e-6  # type: ignore[type-var]
    assert all(len(each.lateness) == 2 for each in live.structures)
    text = str(live.report())
    assert "structures: taken 4, refused 0" in text and "late ticks at them" in text
    again = tb.replay(path)
    assert again.first_difference is None and again.ticks == live.ticks
    with pytest.raises(tb.InputError, match="changed its structure 4 times"):
        _ = recording.states


@pytest.mark.parametrize(
    ("kind", "apart"),
    [
        (tb.Rod(0.5), lambda way: abs(np.linalg.norm(way) - 0.5)),
        (tb.PointInPlane("xz"), lambda way: np.hypot(way[0], way[2])),
        (tb.Prismatic("x"), lambda way: abs(way[0] * np.sin(0.9) + way[2] * np.cos(0.9))),
    ],
)
def test_a_loop_whose_ends_are_apart_is_not_closed_by_a_jump(
    kind: tb.Rod | tb.PointInPlane | tb.Prismatic, apart: Callable[[np.ndarray], float]
) -> None:
    m = tb.Model("catch", gravity=(0, 0, -9.81))
    for name, place in (("a", 0.0), ("b", 0.5)):
        body = m.body(name, 1.0, (0, 0, -0.2), (0.01, 0.01, 1e-3))
        m.joint(name, tb.Revolute("y"), m.ground.at(place, 0, 0), body)
    m.close("grip", kind, tb.Frame("a", (0, 0, -0.4)), tb.Frame("b", (0, 0, -0.4)), active=False)
    system = m.compile()
    a, b = 0.9, -0.2
    ends = [np.array([x - 0.4 * np.sin(q), 0.0, -0.4 * np.cos(q)]) for x, q in ((0, a), (0.5, b))]
    gap = apart(ends[1] - ends[0])
    with tb.live(system, system.assemble(a=a, b=b), rate=RATE, speed=None) as live:
        before = live.snapshot()
        with pytest.raises(tb.InputError, match="Loop 'grip': its two points are") as refused:
            live.switch(activate=["grip"])
        assert f"{gap:.3g} m from where they meet, and 0.005 m are bridged" in str(refused.value)
        live.run(T)
        after = live.snapshot()
        assert len(live.structures) == 0 and live.faults == ()
    for name in ("a", "b"):  # it goes on as it was
        assert after[name] == pytest.approx(before[name], abs=1e-3)


@pytest.mark.parametrize(
    ("method", "constraints"),
    [(None, "partitioning"), (None, "projection"), (None, "augmented-lagrangian"), ("euler", None)],
)
def test_the_recording_of_a_loop_that_opens_and_closes_replays(
    slider_crank: tb.System, turning: tb.State, tmp_path: Path, method: str | None,
    constraints: str | None,
) -> None:  # fmt: skip
    path = tmp_path / "run.mcap"
    with tb.live(
        slider_crank, turning, rate=RATE, speed=None, record=path, method=method,
        constraints=constraints,
    ) as live:  # fmt: skip
        live["motor torque"] = 0.2
        live.run(0.05)
        live["crank radius"] = 0.11
        live.run(0.02)
        live.set_substeps(2)
        opened = live.switch(deactivate=["pin"])
        live.run(5 * T)
        closed = live.switch(activate=["pin"])
        live.run(0.05)
    assert (opened.state, closed.state) == ("taken", "taken")
    assert live["crank radius"] == 0.11
    again = tb.replay(path)
    assert again.first_difference is None


def test_implicit_methods_take_their_jacobian_along(
    free: tb.System, moving: tb.State, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(free, moving, rate=RATE, speed=None, method="trapezoidal", record=path) as live:
        live.run(20 * T)
        live.swap(cart_pole(tb.Fixed(), law=2.0))
        live.run(20 * T)
        assert live.faults == ()
    assert tb.replay(path).same


# ---- refusals -----------------------------------------------------------------------------------


def two_bodies() -> tb.Model:
    m = tb.Model("loose")
    m.body("cart", 1.0)
    return m


def without_echo() -> tb.Model:
    m = cart_pole(tb.Prismatic("x"))
    del m.sensors["echo"]
    return m


def bad_number() -> tb.Model:
    m = cart_pole(tb.Prismatic("x"))
    m.force("bad", tb.JointEffort("swing", tb.sqrt(m.coordinate("slide") - 9.0)))
    return m


def out_of_reach() -> tb.Model:
    m = cart_pole(tb.Prismatic("x"))
    m.close("rod", tb.Rod(0.1), m.ground.at(0, 0, 9), tb.Frame("pole"))
    return m


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (two_bodies, "cart"),
        (without_echo, "no output 'echo'"),
        (bad_number, "its first step fails"),
        (out_of_reach, "Closure 'rod'|constraints rod can't all be met"),
        (lambda: 3.0, "a compiled system is expected"),
    ],
)
def test_what_can_not_be_is_refused_and_the_run_goes_on_as_it_was(
    free: tb.System, moving: tb.State, make: Callable[[], tb.Model], complaint: str
) -> None:
    paths = []
    for disturbed in (False, True):
        with tb.live(
            free,
            moving,
            rate=RATE,
            speed=None,
            outputs={"echo": tb.devices.GuardedOutput()},
            record=True,
        ) as live:
            live.run(20 * T)
            if disturbed:
                with pytest.raises(tb.TouchbackError, match=complaint):
                    live.swap(make())
            live.run(20 * T)
            paths.append(live.recorded()["swing"])
    assert np.array_equal(*paths)


def test_what_the_tick_refuses_leaves_the_old_structure_running(
    free: tb.System, moving: tb.State, tmp_path: Path
) -> None:
    m = cart_pole(tb.Prismatic("x"))
    m.constrain("reach", tb.sin(m.coordinate("swing")) - m.input("beyond"), active=False)
    path = tmp_path / "run.mcap"
    with tb.live(m.compile(), moving, rate=RATE, speed=None, record=path) as live:
        live.run(10 * T)
        live["beyond"] = 1.5  # the tick will find it: no angle has that sine
        live.run(T)
        before = live.snapshot()
        change = live.switch(activate=["reach"])  # tried with the default, which can be met
        live.run(T)
        assert change.state == "refused: the new constraints can't be met from there"
        assert f"' {change.state}; the run goes on" in live.report().faults[-1]["text"]
        assert live.read("swing") == pytest.approx(before["swing"], abs=0.01)
        live.run(20 * T)
        assert live.faults == () and live.report().counts["structures_refused"] == 1
        live["beyond"] = float(np.sin(live.read("swing")))
        live.run(T)
        assert live.switch(activate=["reach"]).state == "waiting"
        live.run(T)
        assert live.structures[-1].state == "taken"
    assert tb.replay(path).same


def test_a_new_state_begins_where_a_coordinate_is_at_the_tick_that_changes(
    free: tb.System, moving: tb.State
) -> None:
    """A motor that takes over a coordinate under way: no step in position or velocity, no
    impulse, though the structure was prepared earlier."""
    driven = cart_pole(tb.Prismatic("x"))
    place, speed = driven.state("place"), driven.state("speed")
    driven.set_rate("place", speed)
    driven.drive("slide", place, speed, 0.0, name="motor")
    with tb.live(free, moving, rate=RATE, speed=None, record=True) as live:
        live.run(20 * T)
        change = live.swap(driven, begin={"place": "slide", "speed": "slide rate"}, at=50 * T)
        live.run(30 * T)
        before = live.snapshot()
        live.run(100 * T)
        after = live.snapshot()
        with pytest.raises(tb.InputError, match="'pace'"):
            live.swap(driven, begin={"pace": "slide"})
        with pytest.raises(tb.InputError, match="'glide'"):
            live.swap(driven, begin={"place": "glide"})
    assert change.tick == 51 and change.moved == 0.0
    assert change.energy_lost == pytest.approx(0.0, abs=1e-13)
    assert after["slide rate"] == pytest.approx(before["slide rate"], abs=1e-13)
    run = before["slide"] + 100 * T * before["slide rate"]
    assert after["slide"] == pytest.approx(run, abs=1e-12)


def test_what_began_where_a_coordinate_was_is_replayed(
    free: tb.System, moving: tb.State, tmp_path: Path
) -> None:
    driven = cart_pole(tb.Prismatic("x"))
    driven.drive("slide", driven.state("place", rate=0.3), 0.3, 0.0, name="motor")
    with tb.live(free, moving, rate=RATE, speed=None, record=tmp_path / "run.mcap") as live:
        live.run(20 * T)
        live.swap(driven, begin={"place": "slide"})
        live.run(30 * T)
    again = tb.replay(tmp_path / "run.mcap")
    assert again.same and [len(part) for part in again.parts] == [20, 30]
