"""The contacts of the action that are rigid while they last."""

import numpy as np

from touchback.gallery.piano.geometry import Placements, Surface
from touchback.gallery.piano.parameters import Specification
from touchback.gallery.piano.phases.plane import Flat, Meeting, Plane, Round
from touchback.gallery.piano.screws import Screws
from touchback.model import Model

DOWN, FRONT = np.pi, -np.pi / 2  # lean of faces that look down or, from upright, to the front
RIGID = ("capstan", "jack", "button", "jack stop")


def add_rigid_contacts(
    m: Model, plane: Plane, spec: Specification, at: Placements, s: Screws
) -> dict[str, Meeting]:
    """The constraints "capstan", "jack", "button" and "jack stop": gaps [m] of the surfaces that
    the full-contact model covers with felt, by the names of those felts."""
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
    for name in RIGID:
        m.constrain(name, found[name].gap, unit="m")
    return found
