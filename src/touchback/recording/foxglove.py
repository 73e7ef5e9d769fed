"""A layout for Foxglove that shows a recording at once: where bodies are, and how signals went.

Its form is that of files which Foxglove exports; Foxglove itself isn't part of our tests."""

from __future__ import annotations

import json
from collections.abc import Mapping

from touchback.model.flatten import flatten
from touchback.recording.ros2.ros2_messages import JOINT_STATES, WORLD, scalar_coordinates
from touchback.recording.run_data import RunData

_MOST = 6  # lines of a plot
_COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2")


def foxglove_layout(run: RunData, ros2: bool) -> str:
    """The text of the file: a plot of signals for each unit that there is, up to three; with
    messages of ROS 2 a view of the frames and a plot of the joints."""
    units: dict[str, list[str]] = {}
    for name, unit in run.units.items():
        units.setdefault(unit, []).append(name)
    panels: dict[str, Mapping[str, object]] = {}
    if ros2:
        panels["3D!frames"] = {
            "followTf": WORLD, "layers": {}, "topics": {},
            "scene": {"transforms": {"showLabel": True, "axisScale": 0.3}},
        }  # fmt: skip
        joints = [] if run.model is None else list(scalar_coordinates(flatten(run.model)))
        places = {name: f"{JOINT_STATES}.position[{i}]" for i, name in enumerate(joints[:_MOST])}
        panels["Plot!joints"] = _plot("joints", places)
    for number, (unit, names) in enumerate(list(units.items())[:3]):
        paths = {name: f"/signals.{json.dumps(name)}" for name in names[:_MOST]}
        panels[f"Plot!signals{number}"] = _plot(f"signals [{unit}]" if unit else "signals", paths)
    layout = {
        "configById": panels, "globalVariables": {}, "userNodes": {},
        "playbackConfig": {"speed": 1}, "layout": _side_by_side(list(panels), "row"),
    }  # fmt: skip
    return json.dumps(layout, indent=2)


def _plot(title: str, paths: Mapping[str, str]) -> dict[str, object]:
    """A panel with a line for each path of a message."""
    lines = [
        {"value": path, "label": name, "enabled": True, "timestampMethod": "receiveTime",
         "color": _COLOURS[i % len(_COLOURS)]}
        for i, (name, path) in enumerate(paths.items())
    ]  # fmt: skip
    return {
        "foxglovePanelTitle": title, "paths": lines, "xAxisVal": "timestamp",
        "showLegend": True, "isSynced": True,
    }  # fmt: skip


def _side_by_side(panels: list[str], direction: str) -> object:
    """Panels, each beside the rest."""
    if len(panels) == 1:
        return panels[0]
    other = "column" if direction == "row" else "row"
    rest = _side_by_side(panels[1:], other)
    share = 100.0 / len(panels) if direction == "column" else 50.0
    return {"direction": direction, "first": panels[0], "second": rest, "splitPercentage": share}
