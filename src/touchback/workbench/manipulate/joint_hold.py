"""A robot that holds its pose: gravity compensation and position control of its joints as ordinary
controllers of the model, and what a page asks of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike

import touchback as tb
from touchback import (
    Expr,
    Free,
    HoldingEffort,
    JointEffort,
    MassMatrix,
    Model,
    State,
    System,
    maximum,
    minimum,
    select,
    sqrt,
)
from touchback.errors import InputError
from touchback.model import Joint, Value, choice_name, in_si
from touchback.names import unknown_name
from touchback.realtime.control import CommandServer, Message
from touchback.realtime.control.command_server import Handler
from touchback.realtime.control.control_messages import Facts, Reset
from touchback.system import Instant, float_instant, null_space, position_rows
from touchback.workbench.manipulate.manipulator_messages import Hold, Keyframe
from touchback.workbench.manipulate.mouse_hand import model_with_hands, with_hand
from touchback.workbench.manipulate.state_snapshot import refuse_rows, take_snapshot
from touchback.workbench.manipulate.undo_history import copied

_Asked = TypeVar("_Asked", bound=Message)
FORMATS = ("URDF", "MJCF", "SDF", "USD")  # files of robots
HOLD, GRAVITY, FREE = "hold", "gravity compensation", "free"
MODES = (HOLD, GRAVITY, FREE)
_MASS, _STATIC = "hold mass", "hold gravity"  # sensors

_FREQUENCY, _UPRIGHT = 30.0, 100.0  # rad/s; of robots whose legs carry more than themselves
_STEP = 0.1  # of a radian: how far the control swings in a step at most
_DRIFT = 1.0  # 1/s: how fast a robot that only floats comes to rest
_MARGIN = 0.01  # of a joint's range: how far from its limits it begins
_SHARE = 0.5  # of the effort that gravity leaves: what going to a command takes
_LEAST = 0.1  # of the rated effort: what gravity leaves at least
_SLOW = 0.3  # of the rated speed: slower is none
_POSES = 24  # that are tried
_BRAKED = 0.25  # of the speed that a joint may lose in a step by friction and damping
_QUICK, _LEGS = 5.0, 1.2  # times as fast; of its speed, what a leg loses in a step at most
_DEPTH, _SLIP = 5e-3, 0.01  # m, m/s: what a soft contact gives way at least
_STIFF = 0.25  # of what a step follows
_AT_ONCE, _LIGHT = 4, 0.01  # points of a body that touch; of the robot's mass, the lightest foot
_MOST_CONTACTS = 400  # beyond which a tick takes too long
_SPEED = {"rad": 2.0, "m": 0.25}  # per second, of joints without a rating
_RANGE = {"rad": 2.0 * math.pi, "m": 1.0}  # to either side, of joints without limits
_FAR = 1e6  # rad, m: limits beyond are none
_NAMED, _LOOSE = 4, 1e-6  # joints; of a unit motion
_UNIT = {"rad": "deg", "m": "m"}  # in which commands are given


def is_robot(model: Model) -> bool:
    """Whether it was read from a robot's file, has joints to hold, and nobody controls it yet."""
    return is_read_robot(model) and not model.controls and bool(held_coordinates(model))


def is_read_robot(model: Model) -> bool:
    """Whether it was read from a robot's file, or is held as one: recordings don't know files."""
    return model.imported.get("format") in FORMATS or bool(held_joints(model))


def held_coordinates(model: Model) -> list[str]:
    """Joints of one coordinate that nothing else drives; of files with motors those that have
    one."""
    driven = {each.joint for each in model.drives.values()}
    motors = {each.joint for each in model.forces.values() if isinstance(each, JointEffort)}
    return [
        name
        for name, joint in model.joints.items()
        if joint.kind.nv == joint.kind.nq == 1
        and name not in driven
        and (not motors or name in motors)
    ]


def command_name(joint: str) -> str:
    """The input that says where a joint shall be."""
    return f"{joint} command"


def _effort_name(joint: str) -> str:
    return f"{joint} hold"


def held_joints(model: Model) -> dict[str, str]:
    """The input of each joint that is held, by the joint; none in a model without the controller.
    Joints that follow another have none of their own."""
    if model.parts or not {*MODES} <= model.controls.keys():
        return {}
    names = {joint: command_name(joint) for joint in model.joints}
    return {joint: name for joint, name in names.items() if name in model.inputs}


def model_that_holds(model: Model, step: float = 1e-3, q: Sequence[float] | None = None) -> Model:
    """The same mechanism, flat, with a controller of its joints that acts at steps of so long [s]:
    "hold", instead of which "gravity compensation" alone or nothing ("free") may act.

    To hold is, with the holding efforts g and the mass matrix M of the joints at their present q,

        τ = g(q) + M(q) a,    a = 2 ω (w − q̇),    w = ω/2 (q* − q), at most the joint's speed.

    As M divides out of the equations of motion, each joint goes to its command q* by itself, as
    q̈ + 2 ω q̇ + ω² (q − q*) = 0: critically damped, and equally fast whatever it carries. So there
    is one gain, the "hold frequency" ω, and no robot needs to be tuned: a finger of 10 g is held by
    a thousandth of what holds an arm of 100 kg, in every pose. ω is 30 rad/s: it gives way by a few
    centimetres to a hand that pulls, and comes back in a fifth of a second. The only other time in
    the loop is the step h; ω h is at most 0.1, where any method is stable (explicit Euler up to 1).
    Where the base isn't fixed, M lacks the weight on the legs: ω is 100 rad/s, and each joint is
    held as if its least inertia were six times as large, as much as steps of 1 ms follow.

    What the file rates bounds it. w is at most a joint's rated speed, or less where M 2 ω w would
    take more than half of the effort that gravity leaves. Where an effort is used up all the same,
    one factor scales M a of all joints, so that what one motor lacks doesn't throw the others (a
    joint may be some 10 % faster than rated then; the run's diagnostics say so). What
    damping and friction take at the speed w is added; motors of the file rest. Gravity compensation
    alone lets q̇ die out at 1/s. g and M include springs, `gravcomp`, and what equalities and loops
    pass on from joints without a motor; joints that no motor holds so are named (`not_held`).

    It begins at `q`, or where the file draws it (in the keyframe "home", if there is one) within
    its limits. Friction and damping are bounded as steps ask (`soften_joints`)."""
    other = copied(model)
    _begin(other, _first_pose(other) if q is None else q)
    soften_joints(other, step)
    add_hold(other, step)
    return other


def _first_pose(model: Model) -> list[float]:
    """The keyframe "home", else what the file draws, which in many files is beyond limits: 1 %
    within them."""
    home = model.imported.get("keyframes", {}).get("home", {}).get("q")
    drawn = [x for joint in model.joints.values() for x in joint.initial_position()]
    found = list(home) if home is not None and len(home) == len(drawn) else drawn
    instant, place = float_instant(model), 0
    for joint in model.joints.values():
        for i, pair in enumerate(joint.limits):
            low, high = (float(instant.value(end)) for end in pair)
            room = _MARGIN * (high - low)
            if not low <= found[place + i] <= high:
                found[place + i] = min(max(found[place + i], low + room), high - room)
        place += joint.kind.nq
    return found


def _begin(model: Model, q: Sequence[float]) -> None:
    """Lets the joints begin at positions."""
    place = 0
    for name, joint in model.joints.items():
        own = [float(x) for x in q[place : place + joint.kind.nq]]
        place += joint.kind.nq
        if own != joint.initial_position():
            model.joints[name] = replace(joint, position=tuple(own))


def soften_joints(model: Model, step: float) -> None:
    """Bounds damping c and friction f of joints so that (c + f/v_s) h is at most a quarter of the
    inertia m = 1/(M⁻¹)ᵢᵢ which they brake, by less damping and a larger friction speed v_s. Files
    say 1 N m for wheels and fingers of 1e-4 kg m² as well; a step of 1 ms can't follow that."""
    joints = [name for name, joint in model.joints.items() if joint.kind.nv == joint.kind.nq == 1]
    instant = float_instant(model)
    brakes = {name: _passive(instant, model.joints[name]) for name in joints}
    if not any(damping or friction for damping, friction, _ in brakes.values()):
        return
    for name, inertia in zip(joints, _least_moved(model, joints), strict=True):
        most = _BRAKED * inertia / step
        damping, friction, speed = brakes[name]
        softer = min(damping, 0.5 * most) if friction else min(damping, most)
        left = most - softer
        if (softer < damping or friction > left * speed) and most > 0.0:
            model.joints[name] = replace(
                model.joints[name],
                damping=(softer,) if damping else (),
                friction_speed=max(speed, friction / left) if friction else speed,
            )


def _least_moved(model: Model, joints: Sequence[str]) -> np.ndarray:
    """The least inertia of each joint with all others free [kg m², kg], among poses within limits.
    Where axes of a wrist come into line, it is a small part of what it is elsewhere."""
    start, draw = float_instant(model), np.random.default_rng(0)
    ends = {name: _limits(model, start, name) for name in joints}
    found = _moved(start, joints)
    for _ in range(_POSES):
        q = [
            x
            for name, joint in model.joints.items()
            for x in ([draw.uniform(*ends[name])] if name in ends else joint.initial_position())
        ]
        found = np.minimum(found, _moved(float_instant(model, q), joints))
    return found


def soften_contacts(model: Model, step: float) -> list[str]:
    """Puts soft contacts in the place of rigid ones, which live runs don't solve: points and
    spheres on planes, each of which holds the whole weight at a depth of 5 mm, as far as steps [s]
    follow with the mass of its body. Gives the names of those that are left out."""
    instant = float_instant(model)
    masses = {name: float(instant.value(body.mass)) for name, body in model.bodies.items()}
    whole = sum(masses.values())
    weight = float(np.linalg.norm([float(instant.value(x)) for x in model.gravity])) * whole
    kinds = tb.contact.SpherePlaneContact
    soft = {name: kind for name, kind in model.contacts.items() if isinstance(kind, kinds)}
    if len(soft) > _MOST_CONTACTS:
        soft = {}
    left = [name for name in model.contacts if name not in soft]
    points = Counter(kind.frame.body for kind in soft.values())
    model.contacts.clear()
    for name, kind in soft.items():
        mass = max(masses.get(kind.frame.body, 0.0), _LIGHT * whole)
        mass /= min(points[kind.frame.body], _AT_ONCE)
        stiffness = min(max(weight, 1.0) / _DEPTH, _STIFF * mass / step**2)
        most = _STIFF * mass / step  # N s/m
        slope = 0.25 * weight * float(instant.value(kind.friction))  # N, of one foot of four
        model.force(
            name if name not in model.forces else f"{name} contact",
            tb.contact.SphereOnPlane(
                kind.frame, kind.plane, kind.radius, stiffness, 1.0,
                min(math.sqrt(0.25 * stiffness * whole), most), kind.friction,
                max(_SLIP, slope / most), "spring-damper",
            ),
        )  # fmt: skip
    return left


def _moved(instant: Instant, joints: Sequence[str]) -> np.ndarray:
    """Of one pose; 0 where nothing is moved."""
    places, entries = instant.unforced.places(joints), instant.unforced.mass_matrix
    n = 1 + max([*places, *(place for pair in entries for place in pair)])
    M = np.zeros((n, n))
    for (i, j), entry in entries.items():
        M[i, j] = M[j, i] = float(entry)
    W = np.diag(np.linalg.pinv(M, hermitian=True))[places]
    return np.where(W > 0.0, 1.0 / np.maximum(W, 1e-300), 0.0)


def _passive(instant: Instant, joint: Joint) -> tuple[float, float, float]:
    """Damping, friction, and the speed over which that is regularised."""
    damping, friction = (
        float(instant.value(given[0])) if given else 0.0
        for given in (joint.damping, joint.friction)
    )
    return damping, friction, float(instant.value(joint.friction_speed))


def add_hold(model: Model, step: float) -> None:
    """Adds the controller to a model of one's own."""
    joints = held_coordinates(model)
    M = np.asarray(model.sensor(_MASS, MassMatrix(joints=tuple(joints), reflected=True)))
    g = np.asarray(model.sensor(_STATIC, HoldingEffort(joints=tuple(joints))))
    start = float_instant(model)
    floats = any(joint.kind.nv > 1 for joint in model.joints.values())
    usual = min(_UPRIGHT if floats else _FREQUENCY, _STEP / step)
    omega = model.parameter("hold frequency", usual, "rad/s", min=0.1, max=_STEP / step)
    efforts = {name: _rating(model, name, "effort") for name in joints}
    diagonal = zip(np.diag(M), g, strict=True)
    loads = [(float(start.value(m)), float(start.value(x))) for m, x in diagonal]
    speeds = _speeds(model, efforts, loads, usual, _QUICK if floats else 1.0)
    commands = _commands(model, start, joints)
    targets = [_effort_name(name) for name in joints]
    for name, target in zip(joints, targets, strict=True):
        effort = model.input(target, "N m" if _unit(model, name) == "rad" else "N")
        model.force(target, JointEffort(name, effort))
    rates = [model.rate(name) for name in joints]
    ways = [
        _within(0.5 * omega * (commands[name] - model.coordinate(name)), most)
        for name, most in speeds.items()
    ]
    brakes = [_brake(start, model.joints[name], way) for name, way in zip(joints, ways)]
    bounds = list(efforts.values())

    def law(accelerations: Sequence[Value], besides: Sequence[Value]) -> list[Value]:
        pushed = [
            sum((m * a for m, a in zip(row, accelerations, strict=True)), more)
            for row, more in zip(M, besides, strict=True)
        ]
        share: Value = 1.0
        for weight, push, most in zip(g, pushed, bounds, strict=True):
            if math.isfinite(most):
                left = maximum(most - _size(weight), _LEAST * most)
                share = minimum(share, left / maximum(_size(push), left))
        return [
            _within(weight + share * push, most)
            for weight, push, most in zip(g, pushed, bounds, strict=True)
        ]

    wanted = [2.0 * omega * (w - v) for w, v in zip(ways, rates, strict=True)]
    if floats:
        least = _least_moved(model, joints) * (_LEGS / (2.0 * usual * step) - 1.0)
        carried = [float(inertia) * a for inertia, a in zip(least, wanted, strict=True)]
        brakes = [brake + push for brake, push in zip(brakes, carried, strict=True)]
    holding = law(wanted, brakes)
    floating = law([-_DRIFT * v for v in rates], [0.0] * len(rates))
    model.control(HOLD, lambda: holding, [], targets)
    model.control(GRAVITY, lambda: floating, [], targets, HOLD)
    model.control(FREE, lambda: [0.0] * len(targets), [], targets, HOLD)
    _rest_motors(model, set(targets))


def _rest_motors(model: Model, ours: Collection[str]) -> None:
    """Motors of the file push only where nothing holds: a servo without a command would pull its
    joint to zero."""
    given = model.imported["motors"] = {}
    inputs = {model.signal(name).id for name in model.inputs if name not in ours}
    free = model.signal(choice_name(HOLD)) > MODES.index(FREE) - 0.5
    for name, force in model.forces.items():
        if name in ours or not isinstance(force, JointEffort) or not isinstance(force.effort, Expr):
            continue
        if not inputs.isdisjoint(_read_by(model, force.effort.id)):
            given[name] = force
            model.forces[name] = replace(force, effort=select(free, force.effort, 0.0))


def _read_by(model: Model, node: int) -> set[int]:
    """A node and all that it is made of."""
    seen, waiting = {abs(node)}, [abs(node)]
    while waiting:
        fresh = {abs(operand) for operand in model.tape.operands(waiting.pop())} - seen
        seen |= fresh
        waiting += fresh
    return seen


def _brake(start: Instant, joint: Joint, speed: Value) -> Value:
    """What damping and friction take at a speed [N m, N]."""
    damping, friction, over = _passive(start, joint)
    found: Value = damping * speed if damping else 0.0
    if friction:
        found = found + friction * speed / sqrt(speed * speed + over * over)
    return found


def _commands(model: Model, start: Instant, joints: Sequence[str]) -> dict[str, Value]:
    """Where each joint shall be: an input of its own, within its limits, or what it mimics."""
    mimics = model.imported.get("mimic", {})
    found = dict[str, Value]()

    def follows(name: str) -> bool:
        """Whether there is an input at the end of what it mimics."""
        seen = {name}
        while name in mimics:
            name = mimics[name].joint
            if name in seen or name not in joints:
                return False
            seen.add(name)
        return len(seen) > 1

    def command(name: str) -> Value:
        if name not in found and follows(name):
            mimic = mimics[name]
            found[name] = mimic.multiplier * command(mimic.joint) + mimic.offset
        elif name not in found:
            kind = _unit(model, name)
            unit, (low, high) = _UNIT[kind], _limits(model, start, name)
            q = float(start.coordinate(name))
            low, high = min(low, q), max(high, q)
            usual, least, most = (x / in_si(unit, 1.0) for x in (q, low, high))
            least, most = min(least, usual), max(most, usual)  # rounded
            found[name] = model.input(command_name(name), unit, usual, least, most)
        return found[name]

    return {name: command(name) for name in joints}


def _speeds(
    model: Model,
    efforts: Mapping[str, float],
    loads: Sequence[tuple[float, float]],
    omega: float,
    quick: float,
) -> dict[str, float]:
    """How fast each joint goes to its command [rad/s, m/s], so many times the usual speed where
    the file rates none; `loads` are the inertia and the holding effort of each."""
    found = {}
    for (inertia, weight), (name, most) in zip(loads, efforts.items(), strict=True):
        rated = _rating(model, name, "velocity")
        speed = rated if math.isfinite(rated) else quick * _SPEED[_unit(model, name)]
        if math.isfinite(most) and inertia > 0.0:
            left = max(most - abs(weight), _LEAST * most)
            speed = min(speed, max(_SHARE * left / (2.0 * omega * inertia), _SLOW * speed))
        found[name] = speed
    return found


def _rating(model: Model, joint: str, word: str) -> float:
    """What a file rates a joint for; infinite where it doesn't, or writes 0."""
    rated = float(model.imported.get("ratings", {}).get(joint, {}).get(word, 0.0))
    return rated if rated > 0.0 else math.inf


def _limits(model: Model, instant: Instant, joint: str) -> tuple[float, float]:
    """Of a joint of one coordinate; those of a slider where it has none."""
    wide = _RANGE[_unit(model, joint)]
    for pair in model.joints[joint].limits:
        low, high = (float(instant.value(end)) for end in pair)
        return (low if low > -_FAR else -wide), (high if high < _FAR else wide)
    return -wide, wide


def _unit(model: Model, joint: str) -> str:
    return model.joints[joint].kind.position_units()[0]


def _size(given: Value) -> Value:
    return maximum(given, -1.0 * given)


def _within(given: Value, most: float) -> Value:
    return given if math.isinf(most) else maximum(minimum(given, most), -most)


def remove_hold(model: Model) -> float | None:
    """Takes the controller from a (copied) model; the step [s] that it was made for, None where
    there was none."""
    held = held_joints(model)
    if not held:
        return None
    fastest = model.parameters["hold frequency"].max
    for name, force in model.imported.pop("motors", {}).items():
        if name in model.forces:
            model.forces[name] = force
    for name in model.controls[HOLD].drives:
        del model.inputs[name], model.forces[name]
    for name in held.values():
        del model.inputs[name]
    for name in ("hold frequency", f"{HOLD} choice"):
        del model.parameters[name]
    for name in (_MASS, _STATIC):
        del model.sensors[name]
    for name in MODES:
        del model.controls[name]
    return _STEP / fastest if fastest else None


def overloaded(model: Model) -> list[str]:
    """Joints that can't hold where the robot begins, in words, and those that no motor holds."""
    held, sensor = held_joints(model), model.sensors.get(_STATIC)
    if not held or not isinstance(sensor, HoldingEffort):
        return []
    start, found = float_instant(model), list[str]()
    for name, effort in zip(sensor.joints, start.measure(_STATIC), strict=True):
        takes, rated = abs(float(effort)), _rating(model, name, "effort")
        if takes > rated:
            unit = "N m" if _unit(model, name) == "rad" else "N"
            found.append(
                f"'{name}' sinks: to stay takes {takes:.3g} {unit}, "
                f"and the file rates it for {rated:.3g} {unit}."
            )
    if loose := not_held(model, start, sensor.joints):
        few = ", ".join(f"'{name}'" for name in loose[:_NAMED])
        more = f" and {len(loose) - _NAMED} more" if len(loose) > _NAMED else ""
        found.append(f"Free to move while all motors stand still: {few}{more}.")
    return found


def not_held(model: Model, start: Instant, held: Collection[str]) -> list[str]:
    """Joints without a spring that can move while the held ones don't; a base that is free isn't
    counted."""
    joints = {
        name: [start.freedom(name, i) for i in range(joint.kind.nv)]
        for name, joint in model.joints.items()
        if name not in held
    }
    places = [place for own in joints.values() for place in own]
    rows = position_rows(start)
    J = np.zeros((len(rows), len(places)))
    for slopes, row in zip(J, rows, strict=True):
        slopes[:] = [float(row.J.get(place, 0.0)) for place in places]
    moves = dict(zip(places, np.abs(null_space(J)).max(axis=1, initial=0.0), strict=True))
    return [
        name
        for name, own in joints.items()
        if not model.joints[name].spring
        and not isinstance(model.joints[name].kind, Free)
        and any(moves[place] > _LOOSE for place in own)
    ]


class JointHold:
    """The joints of a run that are held."""

    def __init__(self, commands: CommandServer) -> None:
        self._commands = commands
        system = commands.live.system
        self._poses = {} if system.names else keyframe_poses(system.model)
        self.overloaded = [] if system.names else overloaded(system.model)
        self._stood = dict[str, float]()
        self._begun = {name: commands.live[name] for name in self._held().values()}

    @property
    def keyframes(self) -> list[str]:
        """Poses of the file by name."""
        return list(self._poses) if self._held() else []

    def hold(self, asked: Hold, client: str) -> Facts:
        """Another controller; to hold begins where the robot is."""
        live = self._commands.live
        self._refuse_others()
        self._commands.check("parameters", HOLD)
        if asked.mode == HOLD:
            self._check_inputs()
            self.follow()
        live.choose(HOLD, asked.mode)
        return {"mode": asked.mode, "tick": live.ticks}

    def keyframe(self, asked: Keyframe, client: str) -> Facts:
        """Commands a pose of the file; a run that is paused is put there."""
        live = self._commands.live
        self._refuse_others()
        if asked.name not in self._poses:
            raise unknown_name("keyframe", asked.name, self._poses)
        self._check_inputs()
        pose = self._poses[asked.name]
        if live.state == "paused":
            self._commands.check("transport", "reset")
            now = take_snapshot(live)
            places = {name: i for i, name in enumerate(now.system.layout.q)}
            q = now.q.copy()
            for name, value in pose.items():
                if name in places:
                    q[places[name]] = value
            live.set_state(State(q, np.zeros(len(now.v)), now.z))
        self.command(pose)
        return {"name": asked.name, "tick": live.ticks}

    def reset(self, asked: Reset, client: str) -> Facts:
        """Back to the state that the run started from, with commands to stay there."""
        facts = self._commands.reset(asked, client)
        for name in self._held().values():
            if name in self._begun:
                self._commands.live[name] = self._begun[name]
        return facts

    def keeping(self, handler: Handler[_Asked]) -> Handler[_Asked]:
        """What changes the structure: joints that come to be held by it stay where they were."""

        def handled(asked: _Asked, client: str) -> Facts:
            before = self._held()
            if before:
                self._stood |= self._positions()
            facts = handler(asked, client)
            if new := self._held().keys() - before.keys():
                known = {**self._positions(), **self._stood}
                self.command({name: known[name] for name in new})
            return facts

        return handled

    def follow(self) -> None:
        """Commands the pose in which the robot is."""
        if self._held():
            self.command(self._positions())

    def _positions(self) -> dict[str, float]:
        now = take_snapshot(self._commands.live)
        return dict(zip(now.system.layout.q, now.q.tolist()))

    def command(self, positions: Mapping[str, float]) -> None:
        """Commands positions [rad, m] of joints, as far as they are held."""
        live = self._commands.live
        for joint, name in self._held().items():
            if joint in positions:
                known = live.system.model.inputs[name]
                value = float(positions[joint]) / in_si(known.unit, 1.0)
                low = -math.inf if known.min is None else known.min
                high = math.inf if known.max is None else known.max
                live[name] = min(max(value, low), high)

    def _held(self) -> dict[str, str]:
        system = self._commands.live.system
        return {} if system.names else held_joints(system.model)

    def _check_inputs(self) -> None:
        for name in self._held().values():
            self._commands.check("inputs", name)

    def _refuse_others(self) -> None:
        system = self._commands.live.system
        refuse_rows(system)
        if not held_joints(system.model):
            raise InputError(
                f"{system.name}: no controller holds its joints; a robot that is read from a file "
                "gets one where `workbench.open` or `touchback view` show it."
            )


def keyframe_poses(model: Model) -> dict[str, dict[str, float]]:
    """The keyframes of a file: positions by coordinate."""
    names = [each for name, joint in model.joints.items() for each in joint.position_names(name)]
    frames = model.imported.get("keyframes", {}).items()
    return {
        key: dict(zip(names, frame["q"], strict=True))
        for key, frame in frames
        if len(frame["q"]) == len(names)
    }


def model_for_page(
    model: Model, step: float = 1e-3, hold: bool = True, x0: State | ArrayLike | None = None
) -> Model:
    """What a page shows of a mechanism: with a hand, and a robot with what holds it where it
    starts."""
    if is_read_robot(model) and model.contacts:
        model = copied(model)
        left = soften_contacts(model, step)
        note = f"Rigid contacts are soft on the page; {len(left)} of them are left out."
        model.imported["notes"] = (*model.imported.get("notes", ()), note)
    if not (hold and is_robot(model)):
        return model_with_hands(model)
    x = None if x0 is None else np.ravel(x0.x if isinstance(x0, State) else x0).astype(float)
    nq = sum(joint.kind.nq for joint in model.joints.values())
    q = None if x is None or len(x) < nq else x[:nq].tolist()
    return model_with_hands(model_that_holds(model, step, q))


def system_for_page(
    system: System, step: float = 1e-3, hold: bool = True, x0: State | ArrayLike | None = None
) -> System:
    """The same of a system; as it is where it needs neither, or is a row of copies."""
    if system.names or not (hold and is_robot(system.model)):
        return with_hand(system)
    other = model_for_page(system.model, step, hold, x0).compile()
    for name, value in system.parameters.items():
        other[name] = value
    return other
