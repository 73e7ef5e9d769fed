"""The grand piano action in MuJoCo: the same hinges, masses, springs and surfaces.

Circles are spheres and faces boxes, as MuJoCo touches those at one point in closed form; only the
pairs that can touch in our model are looked at. Its contacts are its own: linear springs and
dampers per unit of the mass that they meet, where ours are felts. Each gets the stiffness that its
felt has at 0.3 mm, as far as the step allows. Dry friction of hinges is its `frictionloss`.
"""

import ctypes
from typing import Any

import numpy as np

from benchmarks.engines.build import HERE, OPTIMISED, Unavailable, compiled, wheel_folder
from benchmarks.timing import Floats
from touchback.contact import ProfileContact
from touchback.instruments.piano.action_specification import Specification, find_placements
from touchback.instruments.piano.piano_action import (
    FINGER_DAMPING,
    FINGER_STIFFNESS,
    Builder,
    add_screws,
)
from touchback.model import Model

HINGES = ("key", "whippen", "jack", "lever", "hammer", "damper")
ENDLESS, DEPTH, WIDTH = 0.05, 0.02, 0.01  # of boxes for faces without ends [m]
PRESSED = 0.3e-3  # where stiffnesses are compared [m]
IMPEDANCE = 0.5  # of contacts
POINT = 0.5e-3  # radius of a sphere for a point [m]; faces are set back by as much


class Numbers(Model):
    """A model whose live parameters are the numbers that they are at first."""

    def parameter(self, name: str, value: float, **_: Any) -> float:  # type: ignore[override]
        return value


class _PeerRun(ctypes.Structure):
    """peer_run of ticks.c."""

    _fields_ = [
        *[(name, ctypes.c_void_p) for name in (
            "step", "model", "data", "key", "key_rate", "hammer", "hammer_rate", "effort",
        )],
        *[(name, ctypes.c_double) for name in ("front", "stiffness", "damping")],
    ]  # fmt: skip


class PianoInMuJoCo:
    """One key."""

    def __init__(self, step: float) -> None:
        folder = wheel_folder("mujoco", "mujoco")
        import mujoco

        libraries = sorted(folder.glob("libmujoco.so*"))
        if not libraries:
            raise Unavailable("the package mujoco has no libmujoco.so here")
        self.spec = Specification()
        self.placed = find_placements(self.spec.dimensions, self.spec.regulation)
        self.model = mujoco_action(mujoco, self.spec, step)
        self.data = mujoco.MjData(self.model)
        self._library = ctypes.CDLL(str(libraries[0]))
        self._ticks = ctypes.CDLL(str(compiled([HERE / "ticks.c"], [*OPTIMISED, "-lm"])))
        key, hammer = (self.model.joint(name).qposadr[0] for name in ("key", "hammer"))
        data = self.data
        self._run = _PeerRun(
            ctypes.cast(self._library.mj_step, ctypes.c_void_p).value, self.model._address,
            data._address, _at(data.qpos, key), _at(data.qvel, key), _at(data.qpos, hammer),
            _at(data.qvel, hammer), _at(data.qfrc_applied, key), self.spec.dimensions.key_front,
            FINGER_STIFFNESS, FINGER_DAMPING,
        )  # fmt: skip

    def ticks(self, motion: Floats) -> tuple[Floats, Floats]:
        """Seconds of each tick under depths and speeds of the finger (rows), and the hammer's angle
        and rate after it."""
        values, count = np.ascontiguousarray(motion), len(motion)
        spent, hammer = np.empty(count, np.int64), np.empty((count, 2))
        self._ticks.ticks_of_peer(
            ctypes.byref(self._run), ctypes.c_void_p(values.ctypes.data), ctypes.c_long(count),
            ctypes.c_void_p(spent.ctypes.data), ctypes.c_void_p(hammer.ctypes.data),
        )  # fmt: skip
        return np.asarray(1e-9 * spent, float), hammer

    def strikes(self, hammer: Floats) -> Floats:
        """Speeds of the crown [m/s] at which the string was met."""
        met = -self.placed.rest_angle
        before = np.flatnonzero((hammer[:-1, 0] < met) & (hammer[1:, 0] >= met))
        return np.asarray(hammer[before, 1] * self.spec.dimensions.shank)


def _at(array: Any, place: int) -> int:
    return int(array.ctypes.data) + 8 * int(place)


def _described(spec: Specification) -> Model:
    m = Numbers("grand piano action")
    placed = find_placements(spec.dimensions, spec.regulation)
    builder = Builder(m, spec, placed, add_screws(m, spec))
    builder.bodies()
    builder.joints()
    builder.contacts()
    return m


def mujoco_action(mujoco: Any, specification: Specification, step: float) -> Any:
    """The action as a model of MuJoCo; its pairs have the names of our contacts."""
    described, spec = _described(specification), mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    bodies: dict[str, Any] = {"ground": spec.worldbody}
    fixed_last = sorted(described.joints.items(), key=lambda item: item[0] not in HINGES)
    for name, joint in fixed_last:
        body = described.bodies[joint.child.body]
        made = bodies[joint.parent.body].add_body(
            name=joint.child.body, pos=list(joint.parent.at), mass=body.mass, ipos=list(body.com),
            inertia=[max(moment, 1e-12) for moment in body.inertia[:3]], explicitinertial=True,
        )  # fmt: skip
        bodies[joint.child.body] = made
        if name in HINGES:
            _hinge(made, name, joint)
    touching = {
        name: force for name, force in described.forces.items() if isinstance(force, ProfileContact)
    }
    for name, force in touching.items():
        _contact(mujoco, spec, bodies, name, force)
    model = spec.compile()
    for pair in range(model.npair):
        felt = touching[model.pair(pair).name].law
        model.pair_solref[pair] = _stiffness(felt, _inverse_mass(model, pair), step)
        model.pair_solimp[pair, :2] = IMPEDANCE
    return model


def _inverse_mass(model: Any, pair: int) -> float:
    """What MuJoCo takes for the inverse of the mass that a pair meets."""
    geoms = (model.pair_geom1[pair], model.pair_geom2[pair])
    return float(sum(model.body_invweight0[model.geom_bodyid[geom], 0] for geom in geoms))


def _stiffness(felt: Any, inverse_mass: float, step: float) -> tuple[float, float]:
    """MuJoCo's solref in its direct form: minus stiffness and damping over mass, where a constraint
    of impedance d gives d/(1 − d) of them; bounded as those of a time constant of two steps."""
    share = IMPEDANCE / (1 - IMPEDANCE)
    K = felt.stiffness * PRESSED ** (felt.exponent - 1)
    k = min(K * inverse_mass / share, 0.25 / step**2)
    b = max(felt.exponent * felt.hysteresis * k, 0.2 * k**0.5)
    return -k, -min(b, 1 / step)


def _hinge(body: Any, name: str, joint: Any) -> None:
    sprung = {"stiffness": joint.spring[0], "springref": joint.rest[0]} if joint.spring else {}
    sign = -1.0 if joint.kind.axis == "-y" else 1.0
    body.add_joint(name=name, axis=[0, sign, 0], frictionloss=joint.friction[0], **sprung)


def _contact(mujoco: Any, spec: Any, bodies: Any, name: str, force: Any) -> None:
    circle, face = force.first, force.second
    radius = circle.radius or POINT
    back = radius - circle.radius
    bodies[circle.frame.body].add_geom(
        name=f"{name} circle", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0],
        pos=list(circle.frame.at), contype=0, conaffinity=0,
    )  # fmt: skip
    angle = sum(turn for _, turn in face.frame.turn)
    half = (face.length or ENDLESS) / 2
    middle = half if face.length else 0.0
    deep = -DEPTH / 2 - back
    c, s = np.cos(angle), np.sin(angle)
    x, _, z = face.frame.at
    bodies[face.frame.body].add_geom(
        name=f"{name} face", type=mujoco.mjtGeom.mjGEOM_BOX, size=[half, WIDTH, DEPTH / 2],
        pos=[x + c * middle + s * deep, 0, z - s * middle + c * deep],
        quat=[np.cos(angle / 2), 0, np.sin(angle / 2), 0], contype=0, conaffinity=0,
    )  # fmt: skip
    pair = spec.add_pair(name=name, geomname1=f"{name} circle", geomname2=f"{name} face")
    pair.condim = 3 if force.friction else 1
    pair.friction[:2] = [force.friction, force.friction]
