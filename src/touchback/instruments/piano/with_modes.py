"""The grand piano action with modes after Gillespie (1996, §3.5), on the geometry,
masses, screws and felts of the full-contact model.

Where the full-contact model has felt, this one has rigid contacts that are made and broken: capstan
and whippen, jack and knuckle, toe and let-off button, jack and its stop. They are constraints of
some modes (modes/changes.py), with friction. The string is met in an instant. Repetition lever,
backcheck, rails and damper are felts here, too, as Gillespie's springs k₂, k₃ and k₆ are.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from touchback import Model
from touchback.contact.contact_laws import Felt
from touchback.contact.profiles import Circle, Line
from touchback.instruments.piano.action import Builder
from touchback.instruments.piano.driving import Touch, add_drive
from touchback.instruments.piano.geometry import Surface, placements
from touchback.instruments.piano.modes.changes import add_modes, add_rigid_string
from touchback.instruments.piano.modes.contacts import DOWN, RIGID, add_rigid_contacts
from touchback.instruments.piano.modes.plane import Flat, Plane, Round
from touchback.instruments.piano.modes.sensing import action_load, add_sensors_with_modes
from touchback.instruments.piano.parameters import Specification
from touchback.instruments.piano.screws import add_screws

# Rigid contacts give nothing, so that three screws stand otherwise than over cloth:
CAPSTAN_SAG = -0.005e-3  # only cloth of back rail and lever gives: brings the blow to its value [m]
BUTTON_SAG = 0.165e-3  # the jack's corner lifts the knuckle on: brings the let-off to its value [m]
DEEPER = 0.19e-3  # the drop: quick presses of soft fingers would graze the string once more [m]
RESTITUTION = 0.42  # of hammer and string; felt gives 0.52 at 0.7 m/s and 0.32 at 3.5 m/s


def piano_action_with_modes(
    driven: str = "force",
    touch: Touch | None = None,
    specification: Specification | None = None,
    felt_string: bool = False,
) -> Model:
    """The action of one key with modes, driven as `grand_piano_action` is.

    A free hammer rebounds from the string at once, by the parameter "string restitution", as in
    Gillespie's simulator. With a `felt_string`, felt holds it for a millisecond or two, as in the
    full-contact model; so it does in either case where the jack pushes the hammer on."""
    spec = regulated(specification or Specification())
    m = Model("grand piano action with modes")
    at = placements(spec.dimensions, spec.regulation)
    screws = add_screws(m, spec)
    builder = _Felts(m, spec, at, screws)
    builder.bodies()
    builder.joints()
    builder.contacts()
    plane = Plane(m, at)
    contacts = add_rigid_contacts(m, plane, spec, at, screws)
    found = contacts.meetings
    add_sensors_with_modes(m, spec, builder.on("hammer", at.crown), found)
    add_modes(m, contacts, action_load(m, spec, found["capstan"]))
    if not felt_string:
        string = Surface(np.array([at.crown[0], at.string]), DOWN)
        crown = Round("hammer", at.crown, spec.dimensions.crown_radius)
        higher = screws.blow - spec.regulation.blow
        restitution = m.parameter("string restitution", RESTITUTION, min=0.0, max=1.0)
        add_rigid_string(m, plane.meeting(crown, Flat("ground", string, higher)).gap, restitution)
    add_drive(m, spec.dimensions.key_front, driven, touch)
    return m


def regulated(given: Specification) -> Specification:
    """The specification with the three screws that rigid contacts need set otherwise."""
    ours = given.regulation
    screws = {"capstan_sag": CAPSTAN_SAG, "button_sag": BUTTON_SAG, "drop": ours.drop + DEEPER}
    return replace(given, regulation=replace(ours, **screws))


class _Felts(Builder):
    """Bodies, hinges and those felts that no rigid contact stands for."""

    def _touch(
        self, name: str, circle: Circle, face: Line, friction: Any = None, felt: Felt | None = None
    ) -> None:
        if name not in RIGID:
            super()._touch(name, circle, face, friction, felt)
