"""The contacts of the action that are rigid while they last."""

from dataclasses import dataclass

import numpy as np

from touchback import Expr, Model, maximum, minimum
from touchback.instruments.piano.geometry import Placements, Surface
from touchback.instruments.piano.modes.plane import Flat, Meeting, Plane, Round
from touchback.instruments.piano.parameters import Specification
from touchback.instruments.piano.screws import Screws

DOWN, FRONT = np.pi, -np.pi / 2  # lean of faces that look down or, from upright, to the front
RIGID = ("capstan", "jack", "button", "jack stop")
ROUNDED = 0.2e-3  # of the jack's top before its edge, over which the knuckle's friction ends [m]:
# rigid and rubbing, a corner that leans on the knuckle would wedge the light jack (Painlevé)


@dataclass(frozen=True)
class RigidContacts:
    """Where the rigid surfaces are to each other, by name, and the lever [m] by which the knuckle
    turns the jack: positive where it turns it out of its way."""

    meetings: dict[str, Meeting]
    turning: Expr


def add_rigid_contacts(
    m: Model, plane: Plane, spec: Specification, at: Placements, s: Screws
) -> RigidContacts:
    """The constraints "capstan", "jack", "button" and "jack stop": gaps [m] of the surfaces that
    the full-contact model covers with felt, by the names and with the friction of those felts."""
    d = spec.dimensions
    middle = at.jack + d.jack_stop * at.jack_top.normal
    button = Surface(np.array([at.toe[0], at.button]), DOWN)
    stop = Surface(middle, at.jack_top.lean + FRONT)
    pairs = {
        "capstan": (
            Round("key", at.capstan, d.capstan_radius, s.capstan), Flat("whippen", at.heel)
        ),
        "jack": (
            Round("hammer", at.knuckle, d.knuckle_radius),
            Flat("jack", at.jack_top, edge=d.jack_back),
        ),
        "button": (Round("jack", at.toe, d.toe_radius), Flat("ground", button, s.button)),
        "jack stop": (Round("jack", middle, 0.0), Flat("whippen", stop, slide=s.jack_position)),
    }  # fmt: skip
    found = {name: plane.meeting(*pair) for name, pair in pairs.items()}
    felts = spec.felts
    over = minimum(maximum(-found["jack"].past / ROUNDED, 0.0), 1.0)
    frictions = {
        "capstan": s.capstan_friction, "jack": s.knuckle_friction * over,
        "button": felts.button.friction,
    }  # fmt: skip
    for name in RIGID:
        rubbing = {
            "friction": frictions[name], "slides": found[name].slides,
            "slip_speed": felts.slip_speed,
        } if name in frictions else {}  # fmt: skip
        m.constrain(name, found[name].gap, unit="m", **rubbing)
    knuckle = found["jack"]
    (x, z), (n_x, n_z) = knuckle.touch, knuckle.normal
    pin_x, pin_z = plane.point("whippen", (float(at.jack[0]), float(at.jack[1])))
    return RigidContacts(found, (z - pin_z) * n_x - (x - pin_x) * n_z)
