"""Short bumps that expressions of the model make of time reach the motion, though they are smooth
and nothing tells where they are: no step is longer than a thousandth of the run there."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb
from touchback.simulate import adaptive_step_limits
from touchback.simulate.adaptive_step_limits import step_limits
from touchback.simulate.run_spec import RunSpec

DURATION, AT, WIDTH = 5.0, 3.3, 0.02  # s
METHODS = ["dopri5", "radau5", "LSODA", "BDF"]
STIFFNESS, DAMPING, LIFT = 25.0, 0.5, 0.1  # N/m, N s/m, m
LONGEST = DURATION / 1000


def gauss(m):
    """A bump of height 1."""
    s = (m.time - AT) / WIDTH
    return tb.exp(-s * s)


def free_mass(name):
    m = tb.Model(name, gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("body", mass=1.0))
    return m


def pushed():
    m = free_mass("pushed")
    m.force("push", tb.JointEffort("x", gauss(m) / (WIDTH * np.sqrt(np.pi))))
    return m


def filled():
    m = free_mass("filled")
    m.state("z", rate=gauss(m) / (WIDTH * np.sqrt(np.pi)))
    return m


def driven():
    """A damped mass on a spring whose other end is driven."""
    m = free_mass("driven")
    m.joint("base", tb.Prismatic("x"), m.ground, m.body("base", mass=1.0))
    m.drive("base", motion=LIFT * gauss(m))
    stretch = m.coordinate("base") - m.coordinate("x")
    speed = m.rate("base") - m.rate("x")
    m.force("spring", tb.JointEffort("x", STIFFNESS * stretch + DAMPING * speed))
    return m


def carried():
    """The same mass on a ground that moves so."""
    m = tb.Model("carried", gravity=(0, 0, 0))
    body = m.body("body", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, body, spring=STIFFNESS, damping=DAMPING)
    m.move_base(position=(LIFT * gauss(m), 0.0, 0.0))
    return m


@pytest.fixture(scope="module")
def damped_mass():
    """Position and speed of the damped mass at the end, by SciPy in steps of 1 ms at most."""

    def rate(t, y):
        s = (t - AT) / WIDTH
        base = LIFT * np.exp(-s * s)
        force = STIFFNESS * (base - y[0]) + DAMPING * (-2.0 * s / WIDTH * base - y[1])
        return [y[1], force]

    times = AT - 0.3, DURATION  # there the bump is below 1e-97
    found = solve_ivp(rate, times, [0.0, 0.0], "LSODA", rtol=1e-10, atol=1e-12, max_step=1e-3)
    return found.y[:, -1]


def run_of(model, method, **options):
    return tb.simulate(model.compile(), duration=DURATION, method=method, progress=False, **options)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("model", "signal"), [(pushed, "x rate"), (filled, "z")])
def test_a_smooth_bump_of_time_gives_its_integral(model, signal, method):
    run = run_of(model(), method)
    assert abs(run[signal][-1] - 1.0) < 1e-5  # what BDF makes of rtol = 1e-8 in a hundred steps
    assert run.metadata["longest_step"] == LONGEST


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", [driven, carried])
def test_a_smooth_bump_of_a_drive_or_of_the_ground_shakes_a_mass_as_by_scipy(
    damped_mass, model, method
):
    run = run_of(model(), method)
    assert np.abs(damped_mass).max() > 0.01
    assert np.abs([run["x"][-1], run["x rate"][-1]] - damped_mass).max() < 1e-6
    assert run.metadata["longest_step"] == LONGEST


@pytest.mark.parametrize("method", ["dopri5", "radau5"])
def test_a_smooth_bump_in_the_condition_of_a_mode_is_met(method):
    """It rises above a half once, 16.65 ms before its top: exp(−s²) = ½ at s = −√(ln 2)."""
    m = free_mass("latched")
    m.mode("before")
    m.mode("after")
    m.transition("latch", "before", "after", when=0.5 - gauss(m))
    run = run_of(m, method)
    (latched,) = run.transitions
    assert abs(latched.time - (AT - WIDTH * np.sqrt(np.log(2.0)))) < 1e-8
    assert run.metadata["longest_step"] == LONGEST


def test_runs_from_event_to_event_see_a_bump():
    m = pushed()
    wall = tb.contact.DescribedContact(m.coordinate("x") + 1.0)
    run = run_of(m, "event-driven", contacts={"wall": wall})
    assert abs(run["x rate"][-1] - 1.0) < 1e-7


@pytest.mark.parametrize(
    ("options", "longest"), [({"step": 0.004}, 0.004), ({"output_step": 0.002}, 0.002)]
)
def test_a_step_or_a_shorter_output_step_takes_the_place_of_the_bound(options, longest):
    run = run_of(pushed(), "dopri5", **options)
    assert run.metadata["longest_step"] == longest
    assert abs(run["x rate"][-1] - 1.0) < 1e-5


LAWS = {
    "a ramp": (lambda m, t, x: 2.0 * t - x, False),
    "a ramp times a state": (lambda m, t, x: -t * x, False),
    "a triangle": (lambda m, t, x: tb.maximum(0.0, 1.0 - abs(t - 2.0)), False),
    "a saw": (lambda m, t, x: t - tb.floor(t), False),
    "a table": (lambda m, t, x: tb.lookup(m.table("y", [0.0, 1.0, 2.0], [0, 1, 0]), t), False),
    "a sine of a state": (lambda m, t, x: -tb.sin(x), False),
    "a sine": (lambda m, t, x: tb.sin(t), True),
    "a square": (lambda m, t, x: t * t, True),
    "a hyperbola": (lambda m, t, x: 1.0 / (1.0 + t), True),
    "a wave": (lambda m, t, x: tb.cos(x - t), True),
    "a limit of time and a state": (lambda m, t, x: tb.maximum(x, t), True),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_only_laws_that_curve_in_time_bound_steps(law):
    function, bounded = LAWS[law]
    m = free_mass(law)
    m.force("push", tb.JointEffort("x", function(m, m.time, m.coordinate("x"))))
    m.sensor("beside", tb.Signal(tb.sin(m.time)))  # moves nothing
    run = run_of(m, "dopri5")
    assert run.metadata.get("longest_step") == (LONGEST if bounded else None)
    assert bounded or run.metadata["statistics"]["accepted"] < 300


def test_modes_that_share_a_drive_share_the_search_for_its_switches(monkeypatch):
    """The action of a piano has 24 modes, all driven by the same finger."""
    searches = []
    locate = adaptive_step_limits._located
    monkeypatch.setattr(
        adaptive_step_limits, "_located", lambda *given: searches.append(given) or locate(*given)
    )
    system = tb.gallery.make("piano-modes").compile()
    spec = RunSpec.read(system, 0.4)
    alone = step_limits(spec.span, spec.inputs, system.on_blocks({})[:1])
    once = len(searches)
    together = step_limits(spec.span, spec.inputs, system.on_blocks({}))
    assert len(system.on_blocks({})) > 10 and len(searches) - once <= 3
    assert set(alone.jumps) <= set(together.jumps)


def test_switches_are_searched_once_for_the_same_span_and_parameters(monkeypatch):
    """A gate sin(w t) > 1/2 opens at asin(1/2)/w and every 2π/w after that."""
    m = free_mass("gated")
    w = m.parameter("w", 3.0)
    m.force("push", tb.JointEffort("x", tb.select(tb.sin(w * m.time) > 0.5, 1.0, 0.0)))
    system, searches = m.compile(), []
    search = adaptive_step_limits._search
    monkeypatch.setattr(
        adaptive_step_limits, "_search", lambda *given: searches.append(given) or search(*given)
    )

    def jumps(duration, frequency):
        spec = RunSpec.read(system, duration, parameters={"w": frequency})
        return step_limits(spec.span, spec.inputs, system.on_blocks(spec.parameters)).jumps

    for turn in range(3):
        for duration, frequency in ((2.0, 3.0), (2.0, 4.0), (4.0, 3.0)):
            opens = (np.pi / 6 + 2 * np.pi * np.arange(9)) / frequency
            closes = (5 * np.pi / 6 + 2 * np.pi * np.arange(9)) / frequency
            wanted = np.sort(np.append(opens, closes))
            np.testing.assert_allclose(
                jumps(duration, frequency), wanted[wanted < duration], rtol=1e-14
            )
        if turn == 0:
            first = len(searches)
    assert len(searches) == first


def test_a_switch_is_found_to_the_last_bit_near_zero_and_far_from_it():
    """sin(k (t − c)) is below 0 up to c: the first number at which it isn't is the switch."""
    for start, at in ((-1.0, 0.0), (-1.0, 1e-300), (0.0, 0.3), (-2.0, -0.7), (1e6, 1e6 + 0.1)):
        m = free_mass("edge")
        m.force("push", tb.JointEffort("x", tb.select(tb.sin(m.time - at) < 0.0, 0.0, 1.0)))
        system = m.compile()
        spec = RunSpec.read(system, 1.5, start=start)
        found = step_limits(spec.span, spec.inputs, system.on_blocks({})).jumps
        assert found.tolist() == [at]
