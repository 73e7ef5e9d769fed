"""Icons in the model of a recording, which has them as forces, drives and inputs by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from touchback.model import Frame, Model
from touchback.model.forces import Wrench
from touchback.model.value import Value
from touchback.symbolic.expression import Expr
from touchback.workbench.manipulate.icons import Icons, at_names, end_of, tail_name, value_names
from touchback.workbench.manipulate.messages import Icon


def find_icons(icons: Icons, model: Model, numbers: Mapping[str, float]) -> None:
    """Takes up the icons that a model has, with their present numbers: they can be changed and
    removed, and are governed, as in the run in which they were put."""
    held = {name for control in model.controls.values() for name in control.drives}
    free = set(model.inputs) - held
    found = [
        icon
        for name in (*model.forces, *model.drives)
        if (icon := _load(model, name, free, numbers) or _motion(model, name, free, numbers))
    ]
    for icon in found:
        _take_out(model, icon)
    icons.take_up(model, found)


def _load(model: Model, name: str, free: set[str], numbers: Mapping[str, float]) -> Icon | None:
    """A force or torque whose components are inputs of its own."""
    force, inputs, point = model.forces.get(name), value_names(name), at_names(name)
    if not isinstance(force, Wrench) or force.frame != Frame(force.frame.body):
        return None
    if not free.issuperset(inputs):
        return None
    x, y, z = (numbers[each] for each in inputs)
    frame: Literal["world", "body"] = "body" if force.axes == "body" else "world"
    on = force.frame.body
    if _are(model, force.torque, inputs):
        return Icon(name=name, kind="torque", on=on, value=(x, y, z), frame=frame)
    if not free.issuperset(point):
        return None
    if not _are(model, (*force.force, *force.point), (*inputs, *point)):
        return None
    a, b, c = (numbers[each] for each in point)
    end = end_of(numbers.get(tail_name(name), 0.0))  # older recordings don't say
    return Icon(name=name, kind="force", on=on, at=(a, b, c), value=(x, y, z), frame=frame, end=end)


def _motion(model: Model, name: str, free: set[str], numbers: Mapping[str, float]) -> Icon | None:
    """A drive that follows a state of its own."""
    drive, inputs = model.drives.get(name), (f"{name} command", f"{name} by position")
    states = f"{name} position", f"{name} rate"
    if drive is None or not free.issuperset(inputs) or f"{name} ramp" not in model.parameters:
        return None
    if drive.velocity is None or not model.states.keys() >= set(states):
        return None
    if not _are(model, (drive.position, drive.velocity), states):
        return None
    names = model.joints[drive.joint].velocity_names(drive.joint)
    return Icon(
        name=name, kind="motion", on=names[drive.index] if drive.index else drive.joint,
        value=numbers[inputs[0]], of="position" if numbers[inputs[1]] else "rate",
    )  # fmt: skip


def _are(model: Model, values: Sequence[Value], names: Sequence[str]) -> bool:
    """Whether values are just the signals of these names."""
    return all(
        isinstance(each, Expr) and each.id == model.tape.symbol(name)
        for each, name in zip(values, names, strict=True)
    )


def _take_out(model: Model, icon: Icon) -> None:
    """What an icon brought into a model goes."""
    name = icon.name
    if icon.kind != "motion":
        del model.forces[name]
        for each in (*value_names(name), *(at_names(name) if icon.kind == "force" else ())):
            del model.inputs[each]
        model.inputs.pop(tail_name(name), None)
        return
    del model.drives[name], model.parameters[f"{name} ramp"]
    for word in ("command", "by position"):
        del model.inputs[f"{name} {word}"]
    for word in ("position", "rate"):
        del model.states[f"{name} {word}"]
    model.sensors.pop(f"{name} effort", None)
    if model.reported is not None:
        model.reported = tuple(each for each in model.reported if each != f"{name} effort")
