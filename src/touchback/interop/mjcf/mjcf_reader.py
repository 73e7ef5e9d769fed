"""MJCF: the models of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from __future__ import annotations

import os

from touchback import Model
from touchback.interop.import_notes import safe_names
from touchback.interop.imported_bodies import drop_idle_closures
from touchback.interop.mjcf.mjcf_bodies import read_world
from touchback.interop.mjcf.mjcf_document import Folders, read_document, read_settings
from touchback.interop.mjcf.mjcf_equality import read_equalities
from touchback.interop.mjcf.mjcf_forces import (
    add_fluid,
    compensate_gravity,
    read_actuators,
    read_tendons,
    tune_springs,
)
from touchback.interop.mjcf.mjcf_geoms import add_contacts, add_visuals, read_meshes
from touchback.interop.mjcf.mjcf_robot import Robot
from touchback.interop.mjcf.mjcf_sensors import keyframes, read_sensors

_SECTIONS = (
    "compiler", "option", "default", "asset", "worldbody", "tendon", "equality", "actuator",
    "sensor", "keyframe", "contact",
)  # fmt: skip
_UNFELT = ("size", "statistic", "visual", "custom")


def read_mjcf(
    path_or_text: str | os.PathLike[str],
    constraints: bool = True,
    contacts: bool = True,
    stops: bool = True,
    meshes: bool = True,
    folders: Folders | None = None,
) -> Model:
    """The model of an MJCF file (or of its text), with what it includes.

    Coordinates are MuJoCo's, in its order; only linear velocities of free joints are along the
    body's axes here, the world's there. Bodies with several joints have massless ones between them,
    named "body~joint". Actuators are inputs of their names, sensors that have a like are outputs.

    What MuJoCo's solver softens is rigid here: equalities are constraints (not with
    `constraints=False`), planes, spheres, capsules and boxes touch with Coulomb friction (not with
    `contacts=False`), and default stops hold joints at their limits (not with `stops=False`). With
    `meshes=False` meshes weigh but aren't drawn. Files that it names must lie in its folder or in
    one of `folders`, by any name. `model.imported` has what isn't read: "notes" in words; and the
    "keyframes" by name."""
    document = read_document(path_or_text, folders)
    settings = read_settings(document)
    document.ignored = settings.ignored
    name = safe_names("Model", [document.name], document.notes)[document.name]
    robot = Robot(document, settings, Model(name, settings.gravity), stops)
    read_meshes(document, robot)
    read_world(robot)
    compensate_gravity(robot)
    add_fluid(robot)
    read_tendons(robot)
    if constraints:
        read_equalities(robot)
    read_actuators(robot)
    read_sensors(robot)
    tune_springs(robot)
    add_visuals(robot, meshes)
    if contacts:
        add_contacts(robot)
    for tag in document.sections.keys() - {*_SECTIONS, *_UNFELT}:
        document.notes.notice(f"{document.section(tag).where}: <{tag}> is not read.")
    drop_idle_closures(robot.model, document.notes)
    document.notes.finish(robot.model, "MJCF", document.source, keyframes=keyframes(robot))
    return robot.model


__all__ = ["read_mjcf"]
