"""Python source of a model, run again, gives the same model: the same file, the same bits."""

import keyword
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import touchback as tb
from described_models import ALL, every_joint, leg, loops, walker
from touchback.model.io import model_from_text, python_text, to_text
from touchback.model.value_or_expression import Data

MODELS = (*ALL, loops)


def run(text: str) -> tb.Model:
    """The model that a source makes, as a user's Python does."""
    scope: dict[str, Any] = {"__name__": "written"}
    exec(compile(text, "written.py", "exec"), scope)
    model: tb.Model = scope["m"]
    return model


def answers(model: tb.Model) -> list[bytes]:
    """Bits of what the compiled system computes in a general state."""
    system = model.compile(backend="interpreter")
    start = system.initial_state()
    rng = np.random.default_rng(3)
    q = start.q + 0.05 * rng.standard_normal(start.q.shape)
    v = start.v + 0.3 * rng.standard_normal(start.v.shape)
    rate = system.forward_dynamics(q, v, t=0.3)
    return [rate.tobytes(), str(system.sensors(q, v, t=0.3)).encode()]


@pytest.mark.parametrize("describe", MODELS, ids=lambda describe: describe.__name__)
def test_the_source_describes_the_same_model(describe: Callable[[], tb.Model]) -> None:
    text = python_text(describe())
    again = run(text)
    assert to_text(again) == to_text(describe())
    assert python_text(again) == text
    assert max(map(len, text.splitlines())) <= 100
    read = model_from_text(to_text(describe()))
    assert python_text(read) == text


@pytest.mark.parametrize("describe", ALL, ids=lambda describe: describe.__name__)
def test_the_source_gives_the_same_bits(describe: Callable[[], tb.Model]) -> None:
    assert answers(run(python_text(describe()))) == answers(describe())


@pytest.mark.parametrize("name", ["pendulum", "crank-rocker", "bouncing-hammer", "four-bars"])
def test_a_mechanism_of_the_gallery_gives_the_same_bits(name: str) -> None:
    described = tb.gallery.make(name)
    assert answers(run(python_text(described))) == answers(tb.gallery.make(name))


QUICK = ("gyroscope", "buoy", "stewart-platform", "omni-wheel", "piano-modes", "kart-bench")


@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.soak) for n in tb.gallery.names()],
)
def test_every_mechanism_of_the_gallery_has_a_source(name: str) -> None:
    """Also those with kinds that only their modules know, which are imported from there."""
    described = tb.gallery.make(name)
    text = python_text(described)
    again = run(text)
    assert python_text(again) == text
    if not any("omni" in type(force).__module__ for force in described.forces.values()):
        assert to_text(again) == to_text(described)


def test_a_source_reads_as_a_person_writes() -> None:
    assert python_text(tb.gallery.make("slider-crank")) == (
        """import touchback as tb

m = tb.Model("slider-crank")
crank_radius = m.parameter("crank radius", 0.1, unit="m", min=0.02, max=0.2)

motor_torque = m.input("motor torque", unit="N m")

crank = m.body("crank", mass=1.0, com=(0.5 * crank_radius, 0, 0), inertia=(0.0001, 0.0008, 0.0008))
rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(0.0001, 0.007, 0.007))
slider = m.body("slider", mass=0.8)

m.joint("crank", tb.Revolute("y"), m.ground, crank)
m.joint("rod", tb.Revolute("y"), crank.at(crank_radius, 0, 0), rod)
m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.5)

m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)

m.force(
    "spring",
    tb.SpringDamper(m.ground.at(1, 0, 0), slider, stiffness=200.0, damping=2.0, length=0.5),
)
m.force("motor", tb.JointEffort("crank", motor_torque))

m.sensor("slider position", tb.Position(slider))
m.sensor("pin force", tb.Reaction("pin"))
m.sensor("energy", tb.Energy())
"""
    )


def test_limits_are_numbers_where_the_joint_makes_their_parameters() -> None:
    text = python_text(leg())
    assert "limits=(0, 2.5)," in text and '"knee low"' not in text
    assert list(run(text).parameters) == list(leg().parameters)


def test_limits_stay_parameters_where_their_order_asks_for_it() -> None:
    m = leg()
    m.parameters = dict(reversed(m.parameters.items()))
    again = run(python_text(m))
    assert list(again.parameters.items()) == list(m.parameters.items())


def test_copies_of_one_part_are_one_model() -> None:
    again = run(python_text(walker()))
    assert again.parts["left"].model is again.parts["right"].model


def test_things_that_name_each_other_are_written_too() -> None:
    m = model_from_text(
        """
        touchback: 1
        name: circle
        sensors:
          first: {kind: signal, expression: 2 * second + 1}
          second: {kind: signal, expression: sin(time)}
        """
    )
    again = run(python_text(m))
    assert list(again.sensors) == ["first", "second"]
    assert to_text(again) == to_text(m)


def test_saving_goes_by_the_suffix(tmp_path: Path) -> None:
    walker().save(tmp_path / "walker.py")
    assert (tmp_path / "walker.py").read_text(encoding="utf-8") == python_text(walker())
    (path,) = tb.generate(every_joint(), "model", tmp_path / "chain.py")
    assert path.read_text(encoding="utf-8") == python_text(every_joint())


class _Inner:
    class Pull(tb.ForceKind, frozen=True, tag="pull of a test"):  # in no module by its name
        joint: str = "a"


def test_a_kind_that_no_module_names_is_refused_by_name() -> None:
    m = tb.Model("m")
    m.joint("a", tb.Revolute(), m.ground, m.body("a", mass=1.0))
    m.force("pull", _Inner.Pull())
    with pytest.raises(tb.ModelError, match=r"Force 'pull': Python source can't name its _Inner"):
        python_text(m)


class Loaded(Data, frozen=True):
    """Data with what is no description."""

    law: object = None


class Push(tb.ForceKind, frozen=True, tag="push of a test"):
    inner: Loaded = Loaded()


def test_what_is_no_description_is_refused_by_name() -> None:
    m = tb.Model("m")
    m.forces["push"] = Push(Loaded(math.sin))
    with pytest.raises(tb.ModelError, match=r"Force 'push': <built-in function sin> has no Python"):
        python_text(m)


def test_tables_are_looked_up_with_their_slopes() -> None:
    text = """
        touchback: 1
        name: tables
        tables:
          curve: {x: [0, 1, 2], values: [0, 3, 1]}
          map: {x: [0, 1], y: [0, 2], values: [[0, 1], [2, 5]]}
        sensors:
          a: {kind: signal, expression: "lookup_dx(curve, time) + lookup_dy(map, 0.5, time)"}
          b: {kind: signal, expression: "(time == 1) * select(0.5 < time, exp(1e3), -inf)"}
        """
    m = model_from_text(text)
    assert to_text(run(python_text(m))) == to_text(m)


NAMES = st.one_of(
    st.sampled_from(["class", "lambda", "m", "tb", "print", "None", "match", "_", "2nd", "a b", "ß",
                     "a-b", "a.b", "a_b", "ﬁ", "fi", "½", "日本", "\\", "{x}", "%s", "x#y",
                     "term_1", "Want", "Å", "A\u030a", "sin", "🦵"]),
    st.text(st.characters(blacklist_categories=("C", "Z"), blacklist_characters="'\"/:"),
            min_size=1, max_size=12),
).filter(lambda name: name not in ("ground", "time", "mode"))  # fmt: skip
NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-300, 5e-324, 0.1, 2.5e22, 1e15, -3.0, 123456.0]),
    st.floats(-1e9, 1e9, allow_nan=False),
)


@settings(deadline=None)
@given(
    st.lists(NAMES, min_size=4, max_size=8, unique=True), st.lists(NUMBERS, min_size=3), st.data()
)
def test_odd_names_and_deep_expressions_survive(
    names: list[str], numbers: list[float], data: st.DataObject
) -> None:
    m = tb.Model(names[0])
    leaves: list[Any] = [m.time]
    for name, number in zip(names, numbers, strict=False):
        leaves.append(m.parameter(name, number, unit="m"))
    unary = [abs, tb.sin, tb.sqrt, tb.exp, tb.atan, tb.floor, lambda x: -x, lambda x: x**2]
    binary = [
        lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b,
        tb.minimum, tb.maximum, lambda a, b: tb.select(a < b, a, b), tb.atan2,
        lambda a, b: a.equals(b), lambda a, b: a**b,
    ]  # fmt: skip
    for step in range(data.draw(st.integers(1, 40))):
        x = leaves[data.draw(st.integers(0, len(leaves) - 1))]
        if step % 3:
            y = data.draw(st.sampled_from([leaves[-1], leaves[0], numbers[0], 2.0]))
            made = data.draw(st.sampled_from(binary))(x, y)
        else:
            made = data.draw(st.sampled_from(unary))(x)
        leaves.append(made)
    for name in names:
        m.body(name, mass=leaves[1], com=(leaves[-1], numbers[-1], -0.0))
        m.joint(name, tb.Prismatic(), m.ground, m.bodies and tb.Frame(name), rest=leaves[-1],
                spring=1.0)  # fmt: skip
    m.force("effort", tb.JointEffort(names[0], leaves[-1] + m.coordinate(names[1])))
    text = python_text(m)
    again = run(text)
    assert python_text(again) == text
    assert to_text(again) == to_text(m)
    for name in names:
        assert repr(again.parameters.get(name)) == repr(m.parameters.get(name))
    words = [line.split(" = ")[0] for line in text.splitlines() if " = m." in line]
    assert len({*words}) == len(words) and not any(keyword.iskeyword(word) for word in words)
