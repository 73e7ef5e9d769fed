"""What the paper says of its two linear actuators, beside ours, and by how much they change what
the bench found without them."""

from dataclasses import replace

import numpy as np

from studies.benches import (
    double_keystrokes as keystrokes,
    key_sensors as sensors,
    linear_actuators as actuators,
)
from studies.benches.numbers import Number
from studies.keyboard.felt_force import SPEED, VARIATIONS, ForceByDepth, felt_of_actions
from touchback.devices.motors import LinearMotor
from touchback.model import Model
from touchback.model.sensors import Signal
from touchback.simulate import simulate

INFERRED = "inferred: the paper gives a name, no figures"


def time_to(motor: LinearMotor, force: float) -> float:
    """How long a motor takes from nothing to 99 % of a force [N], standing still [s]."""
    m = Model("stroke of current")
    current = motor.add(m, "coil", motor.largest_force, 0.0)
    m.sensor("force", Signal(motor.force(current), "N"))
    run = simulate(m.compile(), duration=20e-3, output_step=10e-6, progress=False)
    reached = run["force"] >= 0.99 * force
    return float(run.time[reached.argmax()]) if reached.any() else np.inf


def described(motor: LinearMotor) -> str:
    """A motor in figures."""
    return (
        f"{motor.constant:g} N/A, {motor.resistance:g} Ω, {1e3 * motor.inductance:g} mH, "
        f"{motor.largest_force:.1f} N at most, {motor.supply:g} V, {1e3 * motor.mass:g} g"
    )


def _pairs(name: str, found: list[keystrokes.Felt], unit: str = " N") -> str:
    shape = "d" if name == "strikes" else ".2f"
    return " and ".join(format(getattr(felt, name), shape) for felt in found) + unit


def _driven() -> list[Number]:
    """Figs 14 to 17, the motion prescribed and as the outer actuator makes it."""
    rows = []
    for name, given in keystrokes.BOTH.items():
        fixed, driven = keystrokes.double_keystroke(given), actuators.driven_keystroke(given)
        figures = "Figs 14, 15" if name == "slow" else "Figs 16, 17"
        for what, label, unit in (
            ("peak", "peaks on the way down", " N"), ("held", "held", " N"),
            ("release", "peaks after the release", " N"), ("strikes", "strikes", ""),
        ):  # fmt: skip
            rows.append(Number(
                figures, f"{label}, {name}", "made by an actuator",
                f"{_pairs(what, driven.keystrokes, unit)}; prescribed: "
                f"{_pairs(what, fixed.keystrokes, unit)}",
                "rod, coil and loop give way; tip and what is asked are the same",
            ))  # fmt: skip
        off = driven.load - fixed.load
        depth = 1e3 * np.abs(driven.run["key depth"] - fixed.run["key depth"]).max()
        most = np.abs(driven.run["told by current"]).max()
        rows.append(Number(
            figures, f"actuator against prescribed motion, {name}", "no figure",
            f"force {np.sqrt(np.mean(off**2)):.2f} N (rms), depth {depth:.2f} mm at most; its coil "
            f"gives {most:.1f} N at most", "by computing both",
        ))  # fmt: skip
        others = {
            "rod twice as heavy": replace(actuators.OUTSIDE, mass=2 * actuators.OUTSIDE.mass),
            "half the voltage": replace(actuators.OUTSIDE, supply=actuators.OUTSIDE.supply / 2),
        }
        told = []
        for other, motor in others.items():
            changed = actuators.driven_keystroke(given, motor=motor).load - driven.load
            told.append(f"{other} {np.sqrt(np.mean(changed**2)):.2f} N")
        rows.append(Number(
            figures, f"were it another, {name}", "no figure", f"rms by {', '.join(told)}",
            "how much what we inferred matters",
        ))  # fmt: skip
    return rows


def _rendered(lag: float) -> list[Number]:
    """The prototype against the load cell of the action, in the same double keystrokes."""
    rows = []
    for name, given in keystrokes.BOTH.items():
        cell = actuators.driven_keystroke(given)
        for late in (0.0, lag):
            run = actuators.rendered(given, late)
            force = run["pilot force"]
            felts = [keystrokes.pushed(run.time, force, each) for each in given]
            off = force - np.interp(run.time, cell.run.time, cell.load)
            rms = np.sqrt(np.mean(off[run.time > 0.0] ** 2))
            sensed = f"sensors {1e3 * late:.1f} ms late" if late else "sensors without lag"
            rows.append(Number(
                "§5.1.3", f"force of the pilot's actuator, {name}, {sensed}",
                "exactly what the load cell measures",
                f"peaks {_two(felts, 0)}, held {_two(felts, 1)}; cell: "
                f"{_pairs('peak', cell.keystrokes)}, {_pairs('held', cell.keystrokes)}; "
                f"{rms:.2f} N (rms)",
                "a tick of 1 ms, the line's bend" + (", the lag" if late else ""),
            ))  # fmt: skip
    return rows


def _two(felts: list[tuple[float, float]], index: int) -> str:
    return " and ".join(f"{felt[index]:.2f}" for felt in felts) + " N"


def _sensed(lag: float) -> list[Number]:
    """Figs 18 to 22, the key moved against the actuator at its pilot."""
    own, rows = sensors.KeySensors(lag), []
    for where, frequency, deep in (
        ("Fig. 19", sensors.SLOW, sensors.TRAVEL), ("Fig. 20", sensors.FAST, sensors.TRAVEL),
        ("Fig. 22", 2.0, 5e-3),
    ):  # fmt: skip
        with_it = own.checked(actuators.moved(frequency, lag, deep))
        without = own.checked(sensors.to_and_fro(frequency, 4, deep))
        rows.append(Number(
            where, f"sensors at {frequency:g} Hz, the pilot pushing back",
            "at most 10 % off" if frequency == sensors.FAST else "close, caught",
            f"position {100 * with_it.off:.1f} % (free: {100 * without.off:.1f} %), velocity "
            f"{100 * with_it.velocity_off:.1f} % ({100 * without.velocity_off:.1f} %)",
            "moved by the outer actuator, the key stops at its bed",
        ))  # fmt: skip
    return rows


def _pressed() -> list[Number]:
    """Figs 23 to 26 by the outer actuator, on the action and on the prototype."""
    late, early = np.linspace(8e-3, 9e-3, 101), np.linspace(2e-3, 4e-3, 101)
    bare = felt_of_actions({"bare": {"pedal lift": 12e-3}})["bare"]
    model, action = actuators.prototype(), actuators.outside_drives()
    keys, actions = {}, {}
    for name, given in VARIATIONS.items():
        inside = {f"action/{key}": value for key, value in given.items()}
        keys[name] = actuators.pressed(model, inside)
        actions[name] = actuators.pressed(action, given)
    felt = {name: actuators.by_depth(run) for name, run in keys.items()}
    real = {name: actuators.by_depth(run) for name, run in actions.items()}

    def by(name: str, at: np.ndarray) -> str:
        def change(curves: dict[str, ForceByDepth]) -> str:
            return f"{(curves[name].at(at) - curves['normal'].at(at)).mean():+.2f} N"

        return f"{change(real)} (action), {change(felt)} (prototype)"

    told = actuators.by_depth(keys["normal"], "told by current").off(felt["normal"])
    moves = "none in the trend"
    return [
        Number("Fig. 23", "force told by the outer actuator's current", "so deduced",
               f"{told:.2f} N (rms) from what its tip gives, at {1e3 * SPEED:.0f} mm/s",
               "friction of its bearing less the weight of its rod, both inferred"),
        Number("Fig. 24", "prototype against action", "similar; the escapement's force differs",
               f"{felt['normal'].off(real['normal']):.2f} N (rms); beside the action without "
               f"damper {felt['normal'].off(bare):.2f} N",
               "the damper lies on the key's tail, not on its pilot"),
        Number("Fig. 25", "button 0.5 mm low, mean over 8–9 mm", "lower", by("button low", late),
               moves),
        Number("Fig. 25", "button 0.5 mm high, mean over 8–9 mm", "higher",
               by("button high", late),
               "**not so on the prototype**: the force rises later, past 9 mm"),
        Number("Fig. 26", "hammer + 3 g, mean over 2–4 mm", "higher", by("hammer + 3 g", early),
               moves),
        Number("Fig. 26", "hammer + 6 g, mean over 2–4 mm", "higher still",
               by("hammer + 6 g", early), moves),
    ]  # fmt: skip


def docquier_actuators() -> list[Number]:
    """Both actuators, Figs 11 and 13 to 26."""
    lag = sensors.lag_that_explains()
    pilot = actuators.AT_PILOT
    return [
        Number("§5.1.5", "the outer actuator", "Faulhaber LM1247, position-driven",
               described(actuators.OUTSIDE), INFERRED),
        Number("§5.1.2", "the actuator at the pilot", "linear, rigidly attached to the key",
               described(pilot), "inferred but for its 50 N; its mass turns with the key"),
        Number("its own paper", "force of the actuator at the pilot", "up to 50 N within 20 ms",
               f"{pilot.largest_force:.0f} N within {1e3 * time_to(pilot, 50.0):.1f} ms",
               "inferred: coil and voltage"),
        Number("§5.1.2", "the model is computed in", "less than 1 ms",
               f"each {1e3 / actuators.RATE:g} ms", "given: the force is held for so long"),
        *_driven(), *_rendered(lag), *_sensed(lag), *_pressed(),
    ]  # fmt: skip
