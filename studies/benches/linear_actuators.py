"""The two linear actuators of Docquier's bench (2021, §5.1): the one outside that moves the key
(Fig. 13, right; in §5.1.5 a Faulhaber LM1247), and the one at the pilot of the prototype, rigidly
attached to its key, that takes the action's place (Figs 10 and 11).

The paper states of the first: its name, that it is position-driven, 10 mm/s, and that the force
felt is deduced from its current; of the second, that it is linear, sits at the pilot, is driven by
electronic boards, and that the model is computed in less than 1 ms. That the second gives up to
50 N in less than 20 ms is in the summary of the paper behind it (Timmermans, Dehez and Fisette
2020, Machines 8, 76). All else is inferred: coils, masses, amplifiers and both loops.
"""

from collections.abc import Mapping
from math import asin

import numpy as np

from studies.benches import key_sensors as sensors
from studies.benches.double_keystrokes import (
    ACTUATOR,
    SAMPLED,
    SETTLE,
    Keystroke,
    Recorded,
    asked,
    felt,
    measured,
)
from studies.benches.key_sensors import Motion
from studies.keyboard.felt_force import SPEED, ForceByDepth
from touchback.devices.motors import LinearMotor
from touchback.devices.sensors import Coil, HallSensor
from touchback.haptics.displays import hold
from touchback.instruments.piano.action_specification import Dimensions, Specification
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.joints import Fixed, Prismatic, Revolute
from touchback.model.sensors import Signal
from touchback.model.value_or_expression import Value
from touchback.recording import Run
from touchback.simulate import simulate
from touchback.symbolic.math_functions import maximum, select

# Inferred: round figures for a rod motor of that size and name; the paper gives its name alone.
OUTSIDE = LinearMotor(
    constant=6.4, resistance=13.0, inductance=0.8e-3, current_limit=1.65, supply=24.0, mass=0.03,
    friction=0.2,
)  # fmt: skip
# Inferred but for its 50 N: light, since the key is to keep its physical properties.
AT_PILOT = LinearMotor(
    constant=10.0, resistance=3.0, inductance=3e-3, current_limit=5.0, supply=24.0, mass=0.02,
)  # fmt: skip
LOOP = 2e4, 80.0  # N/m, N s/m: the position loop of the outer one (inferred)
STOP = 1700.0, 2.0  # N m/rad, N m s/rad of the key's rail and punching (inferred)
RATE = 1000.0  # Hz of the prototype's model: "less than 1 ms"
PILOT = Dimensions().key_capstan
STEP = 1e-4  # s: a third of the time in which the rod's coil would lose its current


def add_outside(m: Model, depth: Value, speed: Value, motor: LinearMotor = OUTSIDE) -> Value:
    """The rod over a key front that is so deep and fast [m], [m/s]: joint "rod", downwards, driven
    to the inputs "asked depth" and "asked speed"; gives its push on the key [N]."""
    asked = m.input("asked depth", unit="m"), m.input("asked speed", unit="m/s")
    m.joint("rod", Prismatic("-z"), m.ground, m.body("rod", mass=motor.mass))
    at, rate = m.coordinate("rod"), m.rate("rod")
    wanted = LOOP[0] * (asked[0] - at) + LOOP[1] * (asked[1] - rate)
    current = motor.add(m, "rod", wanted, rate)
    tip = ACTUATOR["finger stiffness"], ACTUATOR["finger damping"]
    inside = at - depth
    push = select(inside > 0.0, maximum(tip[0] * inside + tip[1] * (rate - speed), 0.0), 0.0)
    m.force("rod", JointEffort("rod", motor.force(current, rate) - push))
    m.sensor("push", Signal(push, "N"))
    m.sensor("told by current", Signal(motor.constant * current, "N"))
    return push


def outside_drives(motor: LinearMotor = OUTSIDE) -> Model:
    """The action with the load cell, its key moved by the outer actuator."""
    m = grand_piano_action("force")
    push = add_outside(m, m.signal("key depth"), m.signal("key speed"), motor)
    m.control("tip", lambda: push, of=[], to="key force")
    return m


def driven_keystroke(keystrokes: tuple[Keystroke, ...], motor: LinearMotor = OUTSIDE) -> Recorded:
    """Two keystrokes of the action as the outer actuator makes them."""
    times, depth, speed = asked(keystrokes)
    run = simulate(
        outside_drives(motor).compile(), duration=times[-1] + SETTLE, start=-SETTLE,
        rtol=1e-6, atol=1e-9, output_step=SAMPLED, progress=False,
        inputs={"asked depth": (times, depth), "asked speed": (times, speed)},
    )  # fmt: skip
    load = measured(run["capstan force"])
    return Recorded(run, load, [felt(run, load, each) for each in keystrokes])


def _told(m: Model, lag: float) -> tuple[Value, Value]:
    """Depth and speed of the key front as Hall pair and coil tell them, `lag` [s] late in their
    amplifiers."""
    own = sensors.KeySensors(lag)
    halls = HallSensor(own.distance, 1.0), HallSensor(own.distance, 1.0, -1.0)
    coil = Coil(own.kappa)

    def amplified(name: str, value: Value, rest: float) -> Value:
        return value if lag == 0.0 else m.state(name, rest, lambda x: (value - x) / lag, "V")

    up = sensors.TRAVEL / 2 - m.signal("key depth")
    rest = own.voltages(np.array([sensors.TRAVEL]))
    pair = [
        amplified(f"Hall voltage {i}", hall.reading(up), float(rest[i][0]))
        for i, hall in enumerate(halls)
    ]
    voltage = amplified("coil voltage", coil.reading(m.signal("key speed")), 0.0)
    return sensors.TRAVEL - own.calibrated().quantity(*pair), coil.quantity(voltage)


def _bare_key(m: Model, own: Specification) -> None:
    """A piano's key with its leads, rail and punching, and the moving part of the actuator."""
    masses, front = own.masses, own.dimensions.key_front
    moments = (1e-6, masses.key_moment, masses.key_moment)
    x, z = map(float, masses.key_centre)
    lever = m.body("key", mass=masses.key, com=(x, 0.0, z), inertia=moments)
    dip = asin(own.regulation.dip / front)
    m.joint(
        "key", Revolute("-y"), m.ground, lever, armature=AT_PILOT.mass * PILOT**2,
        limits=(0.0, dip), stop=STOP,
    )  # fmt: skip
    m.body("leads", mass=masses.leads)
    m.joint("leads", Fixed(), lever.at(-masses.lead_distance, 0.0, 0.0), "leads")
    m.sensor("key depth", Signal(front * m.coordinate("key"), "m"))
    m.sensor("key speed", Signal(front * m.rate("key"), "m/s"))


def prototype(lag: float = 0.0) -> Model:
    """A key without its action: the actuator at the pilot pushes as a model of the action does
    whose key goes where the sensors tell, `lag` [s] late; the outer actuator moves it."""
    m, own = Model("prototype"), Specification()
    _bare_key(m, own)
    depth, speed = _told(m, lag)
    inside = m.add(grand_piano_action("finger", specification=own), name="action", bind=ACTUATOR)
    # Between ticks the model goes on as fast as it was told.
    since = m.time - hold(m, "tick", m.time)
    held = hold(m, "depth told", depth), hold(m, "speed told", speed)
    ends = [inside("finger depth"), inside("finger speed")]
    m.control("told", lambda: (held[0] + held[1] * since, held[1]), of=[], to=ends)
    wanted = hold(m, "asked of the pilot", m.signal(inside("capstan force")))
    given = AT_PILOT.force(AT_PILOT.add(m, "pilot", wanted, PILOT * m.rate("key")))
    m.sensor("pilot force", Signal(given, "N"))
    push = add_outside(m, m.signal("key depth"), m.signal("key speed"))
    turning = push * own.dimensions.key_front - given * PILOT
    m.force("key", JointEffort("key", turning))
    return m


def rendered(keystrokes: tuple[Keystroke, ...], lag: float = 0.0) -> Run:
    """Two keystrokes of the prototype."""
    times, depth, speed = asked(keystrokes)
    return simulate(
        prototype(lag).compile(), duration=times[-1] + SETTLE, start=-SETTLE, rate=RATE,
        method="rk4", step=STEP, output_step=1e-3, progress=False,
        inputs={"asked depth": (times, depth), "asked speed": (times, speed)},
    )  # fmt: skip


def pressed(model: Model, parameters: Mapping[str, float] | None = None) -> Run:
    """One full dip at 10 mm/s by the outer actuator (§5.1.5), of the action or the prototype."""
    deepest = Specification().regulation.dip + 0.2e-3
    end = deepest / SPEED
    edges = np.array([-SETTLE, 0.0, np.nextafter(0.0, 1.0), end])
    given = {
        "asked depth": (edges, np.array([0.0, 0.0, 0.0, deepest])),
        "asked speed": (edges, np.array([0.0, 0.0, SPEED, SPEED])),
    }
    return simulate(
        model.compile(), duration=end + SETTLE, start=-SETTLE, method="rk4", step=STEP,
        rate=RATE if model.memories else None, output_step=1e-3, inputs=given,
        parameters=dict(parameters or {}), progress=False,
    )  # fmt: skip


def by_depth(run: Run, signal: str = "push") -> ForceByDepth:
    """What a press felt, or its actuator's current told, over the depth of the key front."""
    down = run.time > 0.0
    return ForceByDepth(run["key depth"][down], run[signal][down])


def moved(frequency: float, lag: float, deep: float = sensors.TRAVEL, periods: int = 4) -> Motion:
    """The prototype's key moved up and down by the outer actuator in a hand's place, against the
    one at the pilot."""
    asks = sensors.to_and_fro(frequency, periods, deep)
    times = np.concatenate([[-SETTLE], asks.time])
    run = simulate(
        prototype(lag).compile(), duration=float(asks.time[-1]) + SETTLE, start=-SETTLE, rate=RATE,
        method="rk4", step=STEP, output_step=sensors.SAMPLED, progress=False,
        inputs={"asked depth": (times, np.concatenate([[0.0], asks.height])),
                "asked speed": (times, np.concatenate([[0.0], asks.velocity]))},
    )  # fmt: skip
    on = run.time > -0.5 * sensors.SAMPLED
    return Motion(run.time[on], run["key depth"][on], run["key speed"][on])
