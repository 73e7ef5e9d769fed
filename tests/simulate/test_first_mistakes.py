"""What people try first and get wrong is answered by name, with the mend."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.errors import InputError
from touchback.haptics.wall import Device, stability_limits
from touchback.instruments.keyboard import by_law
from touchback.symbolic import math_functions


@pytest.fixture(scope="module")
def arm() -> tb.System:
    return gallery.make("motor-arm").compile()


@pytest.mark.parametrize(
    "call",
    [tb.simulate, tb.equilibrium, tb.vibrations, tb.quality, tb.live, tb.linearise],
)
def test_a_model_in_place_of_a_system_is_to_be_compiled(call: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match=r"'motor arm' is a model; compile it first"):
        call(gallery.make("motor-arm"))


def test_a_state_by_names_is_to_be_assembled(arm: tb.System) -> None:
    with pytest.raises(InputError, match=r"`system.assemble\(name=value\)`"):
        tb.simulate(arm, {"shoulder": 1.0}, 1.0)


def test_a_duration_in_words_is_no_number(arm: tb.System) -> None:
    with pytest.raises(InputError, match="duration must be a positive number, got '1'"):
        tb.simulate(arm, duration="1")  # type: ignore[arg-type]


def test_a_vector_is_drawn_by_its_components(arm: tb.System) -> None:
    run = tb.simulate(arm, duration=0.05, progress=False)
    lines = run.plot("hand").axes[0].lines
    assert [line.get_label() for line in lines] == ["hand.x", "hand.y", "hand.z"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda arm: tb.simulate(arm, inputs={"voltage": lambda: 1.0}),
         "Input 'voltage': its function takes 0 arguments, and is given 1 argument: time"),
        (lambda arm: tb.Event("top", lambda t: t),
         r"Event 'top': its function takes 1 argument \(t\), and is given 2 arguments: t, x"),
        (lambda arm: tb.Event("top", "shoulder", restart=lambda x: x),
         r"Event 'top': its restart takes 1 argument \(x\), and is given 2 arguments: t, x"),
        (lambda arm: tb.kinematics(arm, {"shoulder": lambda: 1.0}, [0.0, 1.0]),
         "Motion of 'shoulder': its function takes 0 arguments, and is given 1 argument: time"),
    ],
)  # fmt: skip
def test_a_function_of_another_number_of_arguments_is_told(
    arm: tb.System, call: Callable[[tb.System], object], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        call(arm)


# ---- what isn't what a call takes ----------------------------------------------------------------


@pytest.fixture(scope="module")
def bars() -> tb.System:
    return gallery.make("crank-rocker").compile()


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (tb.Event("top", "shoulder"), r"several are expected; give \[Event\(…\)\]"),
        (tb.Switch(0.1), r"several are expected; give \[Switch\(…\)\]"),
        ("slew", "a sequence of tb.Event.* is expected, got 'slew'"),
        ([3], r"a sequence of tb.Event.* is expected, got \[3\]"),
        (None, "a sequence of tb.Event.* is expected, got None"),
    ],
)
def test_events_are_several(arm: tb.System, events: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        tb.simulate(arm, duration=0.01, events=events)


def test_events_may_come_from_a_generator(arm: tb.System) -> None:
    name = arm.state_names[0]
    events: Any = (tb.Event(word, name) for word in ("one", "two"))
    assert tb.simulate(arm, duration=0.01, events=events, progress=False).events == []


@pytest.mark.parametrize("word", ["activate", "deactivate"])
def test_a_switch_takes_several_names(word: str) -> None:
    with pytest.raises(InputError, match=rf"{word} takes several names; give \['pin'\]"):
        tb.Switch(0.1, **{word: "pin"})  # type: ignore[arg-type]


@pytest.mark.parametrize("call", [tb.simulate, tb.live])
@pytest.mark.parametrize(
    ("method", "told"),
    [
        (tb.RK4, r"method=RK4 is a class; make one: method=tb.RK4\(\)"),
        (3, "method is a solver.* or its name, 'rk4'; got 3"),
        (["rk4"], r"method is a solver.*; got \['rk4'\]"),
    ],
)
def test_a_method_is_a_solver_or_a_name(
    arm: tb.System, call: Callable[..., Any], method: Any, told: str
) -> None:
    with pytest.raises(InputError, match=told):
        call(arm, method=method)


@pytest.mark.parametrize(
    ("given", "told"),
    [(tb.Baumgarte, r"is a class; make one: tb.Baumgarte\(\)"), ([1], r"no formulation \[1\]")],
)
def test_a_formulation_is_one_or_a_name(bars: tb.System, given: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        tb.simulate(bars, duration=0.01, constraints=given)


@pytest.mark.parametrize(
    ("solver", "option"),
    [
        (tb.MoreauJean, "step"), (tb.RK4, "step"), (tb.Dopri5, "rtol"), (tb.Dopri5, "atol"),
        (tb.EventDriven, "rest"),
    ],
)  # fmt: skip
def test_an_option_that_a_solver_needs_is_not_nothing(solver: Any, option: str) -> None:
    for wrong in (None, "1", -1.0, float("nan")):
        with pytest.raises(InputError, match=f"{option} must be a positive number, got"):
            solver(**{option: wrong})


@pytest.mark.parametrize("wrong", [None, "0", 1j])
def test_the_time_of_a_run_is_a_number(arm: tb.System, wrong: Any) -> None:
    with pytest.raises(InputError, match="start must be a finite time"):
        tb.simulate(arm, start=wrong)
    with pytest.raises(InputError, match="duration must be a positive number"):
        tb.simulate(arm, duration=wrong)


def test_a_constant_or_sample_beyond_an_input_s_range_is_refused_as_live_does() -> None:
    m = tb.Model("motor")
    m.joint("axle", tb.Revolute("z"), m.ground, m.body("wheel", 1.0, inertia=(0.1, 0.1, 0.1)))
    m.force("motor", tb.JointEffort("axle", m.input("torque", unit="N m", min=-12.0, max=12.0)))
    system = m.compile()
    said = []
    with tb.live(system, speed=None) as live, pytest.raises(tb.InputError) as refused:
        live["torque"] = 40.0
    said.append(str(refused.value))
    for given in (40.0, [0.0, 12.0, 40.0], ([0.0, 1.0], [40.0, 0.0])):
        with pytest.raises(tb.InputError) as refused:
            tb.simulate(system, duration=0.1, inputs={"torque": given}, progress=False)
        said.append(str(refused.value))
    assert len(set(said)) == 1 and "40.0 lies outside its range [-12.0, 12.0] N m" in said[0]
    run = tb.simulate(system, duration=0.1, inputs={"torque": [-12.0, 12.0]}, progress=False)
    assert run["torque"][-1] == 12.0


NO_NUMBERS: dict[str, Any] = {
    "None": None, "a text": "x", "a list": [1.0, 2.0], "an array": np.ones(2),
    "a matrix": np.eye(2), "an object": object(),
}  # fmt: skip


@pytest.mark.parametrize("method", ["dopri5", "rk4", "LSODA"])
@pytest.mark.parametrize("what", ["None", "a list", "an array", "a matrix", "an object"])
def test_an_input_function_that_gives_no_number_is_named(
    arm: tb.System, what: str, method: Any
) -> None:
    step = {"step": 1e-3} if method == "rk4" else {}
    with pytest.raises(tb.SolveError, match=r"'voltage': its function gives .* return one number"):
        tb.simulate(
            arm, duration=0.01, method=method, progress=False,
            inputs={"voltage": lambda t: NO_NUMBERS[what]}, **step,
        )  # fmt: skip


@pytest.mark.parametrize("given", [2, np.float32(2.0), np.array(2.0), True])
def test_an_input_function_may_give_any_number(arm: tb.System, given: Any) -> None:
    run = tb.simulate(arm, duration=0.01, inputs={"voltage": lambda t: given}, progress=False)
    same = tb.simulate(arm, duration=0.01, inputs={"voltage": float(given)}, progress=False)
    assert run["shoulder"][-1] == pytest.approx(same["shoulder"][-1], rel=1e-9)


FUNCTIONS = [
    name for name, function in inspect.getmembers(math_functions, inspect.isfunction)
    if function.__module__ == math_functions.__name__
]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_for_laws_refuse_what_is_no_number_by_name(name: str) -> None:
    function = getattr(math_functions, name)
    needed = [
        each for each in inspect.signature(function).parameters.values()
        if each.default is each.empty
    ]  # fmt: skip
    x = tb.Model("m").parameter("x", 1.0)
    table = tb.Model("m").table("curve", (0.0, 1.0), (0.0, 1.0))
    for place in range(len(needed)):
        for what in ("None", "a text", "a list", "an object"):
            for other in (1.0, x):
                given = [other] * len(needed)
                if name == "lookup":
                    given[0] = table
                given[place] = NO_NUMBERS[what]
                with pytest.raises(InputError, match=r"expected, got|it is no number"):
                    function(*given)


@pytest.mark.parametrize("name", [n for n in tb.__all__ if len(n) > 4])
def test_a_misspelt_public_name_is_answered_with_the_nearest(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"did you mean .*tb\.{name}\b"):
        getattr(tb, f"{name[:-1]}q{name[-1]}")


def test_names_by_which_tools_probe_are_answered_without_a_hint() -> None:
    with pytest.raises(AttributeError, match=r"no attribute '__simulate__'$"):
        tb.__simulate__  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(tb, "nothing_like_it")


@pytest.mark.parametrize("name", gallery.names())
def test_an_option_that_a_mechanism_lacks_is_refused_by_name(name: str) -> None:
    told = f"mechanism '{name}' has no option 'linkx'; (did you mean|known:|it takes none)"
    with pytest.raises(InputError, match=told):
        gallery.make(name, linkx=3)


@pytest.mark.parametrize("what", NO_NUMBERS)
@pytest.mark.parametrize("word", ["axle", "travel", "points", "rack_stiffness"])
def test_an_axle_is_measured_over_numbers(word: str, what: str) -> None:
    given: dict[str, Any] = {"axle": tb.vehicle.DoubleWishbone(), word: NO_NUMBERS[what]}
    with pytest.raises(InputError, match="measure_axle: "):
        tb.vehicle.measure_axle(**given)


LIMITS = [
    name for name, function in inspect.getmembers(stability_limits, inspect.isfunction)
    if function.__module__ == stability_limits.__name__ and not name.startswith("_")
]  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_walls_refuse_what_is_no_number_by_name(name: str) -> None:
    function = getattr(stability_limits, name)
    fitting: dict[str, Any] = {
        "device": Device(0.02, 3.0), "damping": 3.0, "friction": 0.1, "resolution": 1e-5,
        "stiffness": 1000.0, "mass": 0.02, "period": 1e-3, "near": 1.0, "tau": 0.1,
    }  # fmt: skip
    for each in inspect.signature(function).parameters.values():
        if each.name == "velocity":
            continue
        needed = inspect.signature(function).parameters.values()
        given = {one.name: fitting[one.name] for one in needed if one.default is one.empty}
        for what, bad in NO_NUMBERS.items():
            if isinstance(bad, np.ndarray) or (each.name == "finger" and bad is None):
                continue
            with pytest.raises(InputError, match=rf"{name}: .*expected, got") as told:
                function(**{**given, each.name: bad})
            assert each.name in str(told.value), what


@pytest.mark.parametrize("law", [lambda: 1.0, lambda depth: depth, lambda a, b, c: a])
def test_a_key_s_law_takes_a_depth_and_a_speed(law: Any) -> None:
    with pytest.raises(InputError, match=r"by_law: its law takes .* the depth, the speed"):
        by_law(law)
