"""What ties and drives a model, as MJCF says it: equalities, tendons, motors, sensors."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np

from touchback.interop.pose import quaternion_of
from touchback.interop.robot_files.links import Mechanism, words
from touchback.interop.robot_files.motors import motor_of
from touchback.model.closures import Rod
from touchback.model.constraint_kinds import coordinate_of
from touchback.model.forces import JointEffort, SpringDamper
from touchback.model.frame import Frame
from touchback.model.joints import Fixed, Spherical
from touchback.model.sensors import AngularVelocity, Position, SensorKind, Velocity
from touchback.symbolic.expression import Expr

_SENSORS: dict[type[SensorKind], str] = {
    Position: "framepos", Velocity: "framelinvel", AngularVelocity: "frameangvel",
}  # fmt: skip


def add_acting(mechanism: Mechanism, root: Element, bodies: dict[str, Element]) -> list[float]:
    """All of it, in sections after the bodies; gives what the motors' controls are by default."""
    acting = _Acting(mechanism, root, bodies)
    acting.add()
    return acting.controls


class _Acting:
    def __init__(self, mechanism: Mechanism, root: Element, bodies: dict[str, Element]) -> None:
        self.mechanism, self.model, self.bodies = mechanism, mechanism.model, bodies
        self.tendons, self.equalities, self.actuators, self.sensors = (
            SubElement(root, tag) for tag in ("tendon", "equality", "actuator", "sensor")
        )
        self.motors: dict[str, list[tuple[str, float]]] = {}
        self.controls: list[float] = []

    def add(self) -> None:
        for name in self.model.closures:
            self._closure(name)
        for name, coupling in self.model.couplings.items():
            offset = self.mechanism.number(coupling.offset)
            terms = [
                (self._coordinate(joint, index), self.mechanism.number(factor))
                for joint, index, factor in coupling.terms()
            ]
            self._equal(name, terms, offset, coupling.active)
        for name in self.model.constraints:
            self.mechanism.leave_out(f"constraint '{name}'")
        for name, drive in self.model.drives.items():
            if isinstance(drive.position, Expr):
                self.mechanism.leave_out(f"drive '{name}'")
            else:
                moved = self._coordinate(drive.joint, drive.index)
                self._equal(name, [(moved, 1.0)], drive.position, drive.active)
        for name, force in self.model.forces.items():
            self._force(name, force)
        for name, pulls in self.motors.items():
            self._motor(name, pulls)
        for name, sensor in self.model.sensors.items():
            if isinstance(sensor, Position | Velocity | AngularVelocity):
                site = self._site(sensor.frame, f"{name} sensor")
                kind = _SENSORS[type(sensor)]
                SubElement(self.sensors, kind, name=name, objtype="site", objname=site)
            else:
                self.mechanism.leave_out(f"sensor '{name}'")

    def _closure(self, name: str) -> None:
        closure = self.model.closures[name]
        active = str(closure.active).lower()
        if isinstance(closure.kind, Rod):
            self._rod(
                name, closure.a, closure.b, self.mechanism.number(closure.kind.length), active
            )
            return
        if not isinstance(closure.kind, Spherical | Fixed):
            kind = type(closure.kind).__name__
            self.mechanism.leave_out(f"closure '{name}': a {kind} is no equality of MuJoCo")
            return
        one, two = (
            self._site(end, f"{name} {number}")
            for number, end in enumerate((closure.a, closure.b), 1)
        )
        tag = "connect" if isinstance(closure.kind, Spherical) else "weld"
        SubElement(self.equalities, tag, name=name, site1=one, site2=two, active=active)

    def _rod(self, name: str, a: Frame, b: Frame, length: float, active: str) -> None:
        self._line(name, a, b)
        drawn = np.subtract(*(self._drawn(end) for end in (a, b)))
        off = length - float(np.linalg.norm(drawn))  # from where the file draws it
        SubElement(
            self.equalities, "tendon", name=name, tendon1=name, active=active,
            polycoef=words([off, 0.0, 0.0, 0.0, 0.0]),
        )  # fmt: skip

    def _drawn(self, end: Frame) -> np.ndarray:
        """A point with all joints at zero, where a file draws them."""
        found, body = self.mechanism.place(end), end.body
        while body in self.mechanism.links:
            link = self.mechanism.links[body]
            found, body = link.place @ found, link.carrier
        return found.p

    def _equal(
        self, name: str, terms: list[tuple[str, float]], offset: float, active: bool
    ) -> None:
        """Σ factor · q = offset: an equality of a tendon that is this sum."""
        self._sum(name, terms)
        SubElement(
            self.equalities, "tendon", name=name, tendon1=name, active=str(active).lower(),
            polycoef=words([offset, 0.0, 0.0, 0.0, 0.0]),
        )  # fmt: skip

    def _sum(self, name: str, terms: list[tuple[str, float]]) -> None:
        fixed = SubElement(self.tendons, "fixed", name=name)
        for coordinate, factor in terms:
            SubElement(fixed, "joint", joint=coordinate, coef=repr(factor))

    def _coordinate(self, named: str, place: int) -> str:
        joint, index = coordinate_of(self.model.joints, named, place)
        return self.model.joints[joint].velocity_names(joint)[index]

    def _force(self, name: str, force: object) -> None:
        if isinstance(force, SpringDamper):
            line = self._line(name, force.a, force.b)
            for ours, theirs in (
                (force.stiffness, "stiffness"), (force.damping, "damping"),
                (force.length, "springlength"),
            ):  # fmt: skip
                line.set(theirs, repr(self.mechanism.number(ours)))
            return
        motor = motor_of(self.mechanism, force.effort) if isinstance(force, JointEffort) else None
        if motor is None or not isinstance(force, JointEffort):
            self.mechanism.leave_out(f"force '{name}'")
            return
        kind = self.model.joints[force.joint].kind
        if kind.nq != kind.nv:
            self.mechanism.leave_out(f"force '{name}': a motor along one axis of a ball")
            return
        called, gear = motor
        moved = self._coordinate(force.joint, force.index)
        self.motors.setdefault(called, []).append((moved, gear))

    def _motor(self, name: str, pulls: list[tuple[str, float]]) -> None:
        """A motor of an input, on its joint, or on a tendon of all that it drives."""
        element = SubElement(self.actuators, "motor", name=name)
        if len(pulls) == 1:
            element.attrib.update(joint=pulls[0][0], gear=repr(pulls[0][1]))
        else:
            self._sum(f"{name} motor", pulls)
            element.set("tendon", f"{name} motor")
        given = self.model.inputs[name]
        if given.min is not None and given.max is not None:
            element.set("ctrlrange", words([given.min, given.max]))
        self.controls.append(given.default)

    def _line(self, name: str, a: Frame, b: Frame) -> Element:
        line = SubElement(self.tendons, "spatial", name=name)
        for number, end in enumerate((a, b), 1):
            SubElement(line, "site", site=self._site(end, f"{name} {number}"))
        return line

    def _site(self, frame: Frame, name: str) -> str:
        pose = self.mechanism.place(frame)
        SubElement(
            self.bodies[frame.body], "site", name=name, pos=words(pose.p),
            quat=words(quaternion_of(pose.R)),
        )  # fmt: skip
        return name
