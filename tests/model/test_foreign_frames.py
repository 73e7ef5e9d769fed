"""A frame or body of another model is refused wherever one is given, though the names match: silent
results would be about another body."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import touchback as tb
from described_models import ALL, loops
from touchback.model import BodyHandle, Frame, Model
from touchback.model.body import Bodies
from touchback.model.field_traversal import frames_of, map_frames
from touchback.vehicle import MacPherson, add_axle

SAMPLES = {make.__name__: make for make in (*ALL, loops)}
GIVE: dict[str, Callable[[Model, Any], object]] = {
    "joints": lambda m, item: m.joint("new", item.kind, item.parent, item.child),
    "forces": lambda m, item: m.force("new", item),
    "contacts": lambda m, item: m.contact("new", item),
    "shapes": lambda m, item: m.shape("new", item.frame, item.solid),
    "sensors": lambda m, item: m.sensor("new", item),
    "closures": lambda m, item: m.close("new", item.kind, item.a, item.b),
    "parts": lambda m, item: m.add(item.model, at=item.at, name="new"),
}


def _given_by(owner: Model, frame: Frame) -> Frame:
    return BodyHandle(frame.body, owner.ground.owner).at(*frame.at, turn=frame.turn)


def _with_frames(model: Model) -> Iterator[tuple[str, Any]]:
    for section in GIVE:
        for item in getattr(model, section).values():
            if frames_of(item.at if section == "parts" else item):
                yield section, item


def _given_again(section: str, item: Any, owner: Model) -> Any:
    if section == "parts":
        return type(item)(item.model, _given_by(owner, item.at), item.share, item.bind)
    return map_frames(item, lambda frame: _given_by(owner, frame))


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_described_takes_frames_of_its_own_model_only(name: str) -> None:
    model, other, met = SAMPLES[name](), tb.Model("other"), 0
    for section, item in _with_frames(model):
        with pytest.raises(tb.ModelError, match="belongs to another model, 'other'"):
            GIVE[section](model, _given_again(section, item, other))
        assert "new" not in getattr(model, section)
        met += 1
    assert met or name == "latch"


def test_frames_of_ones_own_model_are_taken_and_kept_without_a_trace() -> None:
    met = set()
    for make in SAMPLES.values():
        model = make()
        for section, item in [*_with_frames(model)]:
            GIVE[section](model, _given_again(section, item, model))
            found = getattr(model, section).pop("new")
            for frame in frames_of(found.at if section == "parts" else found):
                assert frame.owner is None
            met.add(section)
    assert met == set(GIVE)


def _arm(name: str) -> tuple[Model, BodyHandle]:
    m = tb.Model(name)
    arm = m.body("arm", mass=1.0, com=(0, 0, -1))
    m.joint("shoulder", tb.Revolute("y"), m.ground, arm)
    return m, arm


def test_the_handles_of_a_model_all_know_it() -> None:
    """Also in a part, and after the model has got one and is flattened."""
    m, arm = _arm("a")
    other, _ = _arm("other")
    assert isinstance(other.bodies, Bodies)
    foreign = (other.bodies["arm"].at(0, 0, -1), other.ground, other.ground.at(1, 0, 0))
    m.add(other, at=arm.at(0, 0, -2), name="part")
    for given in foreign:
        with pytest.raises(tb.ModelError, match=r"Sensor 'tip': '\w+' belongs to another model"):
            m.sensor("tip", tb.Position(given))
    system = m.compile()
    for own in (arm, m.bodies["arm"].at(0, 0, 0), system.model.bodies["arm"].at(0, 0, 0), "arm"):
        assert system.pose(own, [0.1, 0.0])[1].tolist() == [0.0, 0.0, 0.0]
    assert system.pose(tb.Frame("part/arm"), [0.0, 0.0])[1].tolist() == [0.0, 0.0, -2.0]


def test_functions_of_a_system_take_frames_of_its_model_only() -> None:
    system, (_, foreign) = _arm("a")[0].compile(), _arm("other")
    q, v = [0.1], [0.2]
    for call in (
        lambda frame: system.pose(frame, q), lambda frame: system.velocity(frame, q, v),
        lambda frame: system.jacobian(frame, q), lambda frame: system.acceleration(frame, q, v, v),
    ):  # fmt: skip
        for given in (foreign, foreign.at(0, 0, -1)):
            with pytest.raises(tb.ModelError, match="'arm' belongs to another model, 'other'"):
                call(given)


def test_an_axle_is_built_on_a_chassis_of_its_model_only() -> None:
    m, other = tb.Model("a"), tb.Model("other")
    m.body("chassis", mass=1.0)
    with pytest.raises(tb.ModelError, match="'chassis' belongs to another model, 'other'"):
        add_axle(m, MacPherson(), other.body("chassis", mass=1.0), "front")
