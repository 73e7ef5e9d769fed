"""How an axle gives way to forces at its wheels: by rubber, springs and the rack's stiffness."""

from math import ceil, inf

import numpy as np

from touchback.analysis.equilibrium import equilibrium
from touchback.analysis.linearise import linearise
from touchback.model.closures import PointOnPlane
from touchback.model.forces import Wrench
from touchback.model.frame import BodyHandle
from touchback.model.joints import Prismatic
from touchback.model.model import Model
from touchback.model.sensors import Direction, Position
from touchback.vehicle.suspension.axle import AxleKind, add_axle
from touchback.vehicle.suspension.rig import SHORT, SIDES

_LOADS = {"side": "N", "brake": "N", "push": "N", "turn": "N m"}
#: What `LoadRig.at` tells, with units.
COMPLIANCES = {
    "lateral compliance steer": "rad/N", "lateral compliance camber": "rad/N",
    "lateral compliance": "m/N", "braking compliance toe": "rad/N",
    "longitudinal compliance": "m/N", "aligning compliance steer": "rad/(N m)",
}  # fmt: skip


class LoadRig:
    """An axle below a chassis that stands still, on pads that hold the height of its wheels'
    centres and slide. Both wheels are loaded alike, on what carries them, as if brakes held them:
    to the left and backwards in the contact, backwards at the centre, and about the vertical. The
    rack gives way by 1/`rack_stiffness` [m/N]."""

    def __init__(self, axle: AxleKind, rack_stiffness: float) -> None:
        model = Model("compliance")
        rack = _rack(model, rack_stiffness) if axle.steered() else None
        corners = add_axle(model, axle, model.ground, "axle", rack=rack)
        radius, travel = axle.wheel_centre[2], model.input("travel", unit="m")
        side, brake, push, turn = (model.input(name, unit=unit) for name, unit in _LOADS.items())
        for word, corner in zip(SIDES, corners, strict=True):
            pad, place = model.body(f"{word} pad"), model.ground.at(0, 0, radius)
            model.drive(model.joint(f"{word} pad", Prismatic("z"), place, pad), travel, 0.0, 0.0)
            model.close(f"{word} load", PointOnPlane("z"), pad, corner.carrier)
            model.drive(corner.spin, 0.0)
            load = Wrench(
                corner.carrier, force=(-brake - push, side, 0.0),
                torque=(radius * side, radius * brake, turn),
            )  # fmt: skip
            model.force(f"{word} load", load)
        model.sensor("centre", Position(corners[0].carrier))
        model.sensor("axle", Direction(corners[0].carrier, "y"))
        self.radius, self.system = radius, model.compile()
        self._travel, self._state = 0.0, self.system.initial_state()

    def at(self, travel: float) -> dict[str, float]:
        """What the left wheel does per force or moment at both, this far [m] above design: exact
        slopes about the equilibrium there."""
        for way in np.linspace(self._travel, travel, 1 + self._steps(travel))[1:]:
            self._state = equilibrium(self.system, self._state, {"travel": float(way)}).state
        self._travel = travel
        linear = linearise(self.system, self._state, {"travel": travel})
        given = [linear.inputs.index(name) for name in _LOADS]
        slopes = (linear.D - linear.C @ np.linalg.solve(linear.A, linear.B))[:, given]
        seen = self.system.sensors(self._state.q, u={"travel": travel})
        axle = np.array([float(seen[f"axle.{axis}"]) for axis in "xyz"])
        by = dict(zip(linear.outputs, slopes, strict=True))
        centre, turned = (
            np.array([by[f"{what}.{i}"] for i in "xyz"]) for what in ("centre", "axle")
        )
        steer = (axle[0] * turned[1] - axle[1] * turned[0]) / (axle[0] ** 2 + axle[1] ** 2)
        camber = -turned[2] / np.sqrt(1.0 - axle[2] ** 2)
        contact = centre + self.radius * _lowest(axle, turned)
        found = (steer[0], camber[0], contact[1][0], -steer[1], -centre[0][2], steer[3])
        return dict(zip(COMPLIANCES, map(float, found), strict=True))

    def _steps(self, travel: float) -> int:
        """Short ones, as `Rig` takes them; one where it stands, to find the equilibrium."""
        return max(1, ceil(abs(travel - self._travel) / SHORT))


def _rack(model: Model, stiffness: float) -> BodyHandle:
    rack = model.body("rack", 1.0)
    stiff = stiffness < inf
    joint = model.joint(
        "rack", Prismatic("y"), model.ground, rack, spring=stiffness if stiff else None
    )
    if not stiff:
        model.drive(joint, 0.0)
    return rack


def _lowest(axle: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """How the direction from a wheel's centre to its lowest point changes as its axle does, for
    each column of `turned`."""
    down = axle[2] * axle - np.array([0.0, 0.0, 1.0])
    length = np.linalg.norm(down)
    change = np.outer(axle, turned[2]) + axle[2] * turned
    away = change / length - np.outer(down, down @ change) / length**3
    return np.asarray(away)
