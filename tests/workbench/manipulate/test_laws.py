"""A controller's law as text, swapped without stopping."""

from collections.abc import Callable

import pytest

import touchback as tb
from growth import assert_linear
from manipulated import Start, arm
from touchback.workbench.manipulate.controller_laws import drives_of, law_text


def test_another_law_acts_from_a_tick_on_and_the_motion_goes_on(start: Start) -> None:
    """τ̇ was −4 q − v; a law that asks for a torque of its own gives it to the motor."""
    m = arm()
    x0 = m.compile().assemble(hinge=0.3)
    run = start(m, x0, speed=1.0)
    run.live.run(0.02)
    before = run.live.read("hinge")
    told = run.ask(do="law", control="hold", text="2 - 'q:hinge' * sin(time) / (1 + 'v:hinge'**2)")
    assert told["state"] == "taken" and told["gap"] == 0.0 and told["energy_lost"] == 0.0
    assert abs(run.live.read("hinge") - before) < 0.3
    system = run.live.system
    moment = 0.02 + 2.0 * 0.5**2
    a = system.forward_dynamics({"hinge": 0.4}, {"hinge": 0.5}, t=0.7)
    wanted = 2 - 0.4 * 0.644217687237691 / 1.25  # sin 0.7
    assert a[0] == pytest.approx(wanted / moment, rel=1e-12)
    run.ask(do="undo")
    a = run.live.system.forward_dynamics({"hinge": 0.4}, {"hinge": 0.5})
    assert a[0] == pytest.approx((-4 * 0.4 - 0.5) / moment, rel=1e-12)


def test_a_law_reads_back_as_text_that_gives_it_again(start: Start) -> None:
    run = start(arm())
    (law,) = run.ask(do="laws")["laws"]
    assert law["name"] == "hold" and law["drives"] == ["torque"]
    assert "'q:hinge'" in law["names"]
    model = run.live.system.model
    assert drives_of(model, "hold", law["text"]) == model.controls["hold"].drives


def several() -> tb.Model:
    m = tb.Model("two motors", gravity=(0, 0, 0))
    body = m.body("a", 1.0, inertia=(1, 1, 1))
    m.joint("j", tb.Universal("x", "y"), m.ground, body)
    for i, name in enumerate(("left motor", "right")):
        m.force(name, tb.JointEffort("j", m.input(name), i))

    def law(q: tb.Expr, v: tb.Expr) -> list[tb.Expr]:
        shared = tb.sin(q) * tb.sin(q) + tb.cos(v) * tb.exp(-q * q) + tb.sqrt(1 + v * v)
        return [shared - q, 2 * shared + v]

    m.control("both", law, of=["q:j.first", "v:j.second"], to=["left motor", "right"])
    return m


def test_a_law_for_several_inputs_has_a_line_for_each_after_what_they_share() -> None:
    m = several()
    text = law_text(m, "both")
    assert text.startswith("$1 = ") and "\n'left motor' = " in text and "\nright = " in text
    assert drives_of(m, "both", text) == m.controls["both"].drives
    assert set(drives_of(m, "both", "right = 1\n\n'left motor' = 2 * time")) == {
        "left motor", "right",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 * (", "line 1, column 6: expected a number"),
        ("2 *\n 'q:hing'", "line 2, column 2: there is no name 'q:hing'. Did you mean 'q:hinge'"),
        ("1 + foo(2)", "line 1, column 5: there is no function 'foo'"),
        ("__import__('os')", "there is no function '__import__'"),
        ("", "its law is empty"),
        ("  \n ", "its law is empty"),
        ("tork = 2", "line 1, column 1: `input = expression` is expected, for one of torque"),
        ("torque = 1\ntorque = 2", "line 2, column 1: 'torque' is said twice"),
        ("torque = 1 +* 2", "line 1, column 13: expected a number"),
        ("$1 = 2", "doesn't say what drives torque"),
        ("9e999", "too large"),
        ("torque", "circle"),
    ],
)
def test_a_law_that_can_not_be_read_is_refused_with_its_place(
    text: str, said: str, start: Start
) -> None:
    run = start(arm())
    told = run.refused(do="law", control="hold", text=text)
    assert said in told
    assert not run.live.structures


def test_a_place_in_a_law_is_pointed_at(start: Start) -> None:
    told = start(arm()).refused(do="law", control="hold", text="1 +\n2 * foo")
    assert told.splitlines()[1:] == ["  2 * foo", "      ^"]


def test_a_control_that_is_not_there_is_named(start: Start) -> None:
    assert "did you mean 'hold'" in start(arm()).refused(do="law", control="hald", text="1")


@pytest.mark.parametrize(
    "make",
    [
        lambda n: " " * n,
        lambda n: " " * n + "x",
        lambda n: "x" + " " * n,
        lambda n: "'" + " " * n,
        lambda n: "'" * n,
        lambda n: "'" + "\\" * n,
        lambda n: "=" * n,
        lambda n: "$" * n,
        lambda n: "x\n" * (n // 2),
        lambda n: "1\n" * (n // 2),
        lambda n: "1" * n,
        lambda n: "." * n,
        lambda n: "(" * n,
        lambda n: "-" * n + "1",
        lambda n: "time" + "+time" * (n // 5),
        lambda n: "$0 = 1\n" + "".join(f"${i} = sin(${i - 1})\n" for i in range(1, n // 16)),
    ],
)
def test_a_law_of_twice_the_length_takes_at_most_about_twice_the_processor_time(
    make: Callable[[int], str],
) -> None:
    """The expression that told lines apart was cubic in spaces: 4000 of them took 72 s."""
    model = arm()
    assert_linear(lambda text: drives_of(model, "hold", text), make, 20_000)
    assert_linear(lambda text: drives_of(model, "hold", text), lambda n: make(n) + "=1", 20_000)


def test_names_with_any_letters_are_assigned_to() -> None:
    m = tb.Model("odd names")
    body = m.body("a", 1.0, inertia=(1, 1, 1))
    m.joint("j", tb.Universal("x", "y"), m.ground, body)
    for i, name in enumerate(("a = b\\c", "less<more")):
        m.force(name, tb.JointEffort("j", m.input(name), i))
    m.control("both", lambda q: [q, 2 * q], of=["q:j.first"], to=["a = b\\c", "less<more"])
    assert drives_of(m, "both", law_text(m, "both")) == m.controls["both"].drives
