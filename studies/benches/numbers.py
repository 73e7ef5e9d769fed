"""Every number that the two papers state of their benches, beside ours, and why they differ."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studies.benches import double_keystrokes as keystrokes, key_sensors as sensors
from studies.benches.couplers import events
from studies.benches.his_own import own_events, own_run
from studies.benches.released_weight import filmed
from studies.keyboard.felt_force import DIP, SPEED, felt_of_actions, felt_of_keys
from studies.piano.regulation import measure
from touchback.instruments.piano.finger_motions import PressedTouch
from touchback.instruments.piano.gillespie_action import (
    ASSIGNED,
    BEGIN,
    LENGTHS,
    gain,
    gillespie_specification,
)
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.piano_action_modes import RESTITUTION
from touchback.simulate import simulate

HAMMER_AT_REST = -0.35622  # rad: his q₂ at first (Table 3.5); the string is at zero


@dataclass(frozen=True)
class Number:
    """What a paper says where, what we find, and the reason of the difference."""

    where: str
    what: str
    theirs: str
    ours: str
    why: str


def docquier_sensors() -> list[Number]:
    """Figs 18 to 22."""
    lag = sensors.lag_that_explains()
    own = sensors.KeySensors(lag)
    slow, fast = (own.checked(sensors.to_and_fro(f)) for f in (sensors.SLOW, sensors.FAST))
    height, error = own.deviation()
    inside = (height >= sensors.ENDS) & (height <= sensors.TRAVEL - sensors.ENDS)
    middle, ends = np.abs(error[inside]).max(), np.abs(error[~inside]).max()
    slopes = 1.0 + np.gradient(error, height)[inside]
    half = own.checked(sensors.to_and_fro(2.0, deep=5e-3))
    return [
        Number("Fig. 19", "position, below 1 Hz", "close to the reference",
               f"off by at most {100 * slow.off:.1f} %", "lag, noise and the line's bend"),
        Number("Fig. 20", "position, around 5 Hz", "at most 10 % off",
               f"{100 * fast.off:.1f} %, with a lag of {1e3 * lag:.1f} ms",
               "the lag was found for it: the paper names no cause"),
        Number("Fig. 19", "deviation in [0; 1] and [9; 10] mm", "small, quadratic",
               f"{1e3 * ends:.2f} mm there, {1e3 * middle:.2f} mm between",
               "magnets 40 mm away (chosen); equal opposed sensors bend cubically"),
        Number("Fig. 19", "slope of measured over true, from 1 to 9 mm", "almost constant",
               f"{slopes.min():.2f} to {slopes.max():.2f}", "magnets 40 mm away (chosen)"),
        Number("§5.1.4", "vibrometer", "175 µm, 4.4 mm/s", "the same",
               "given: readings are rounded"),
        Number("Fig. 21", "velocity, fast",
               "amplitude well caught, false peaks around 5.5 and 6.7 s",
               f"{100 * fast.velocity_off:.0f} % (rms of the peak)",
               "the same lag; false peaks, of unknown cause, are not modelled"),
        Number("Fig. 22", "velocity, halfway keystroke", "caught",
               f"{100 * half.velocity_off:.0f} % (rms of the peak)", "the same lag, at 2 Hz"),
    ]  # fmt: skip


def docquier_force() -> list[Number]:
    """Figs 12 to 17."""
    slow, fast = (
        keystrokes.double_keystroke(given).keystrokes for given in keystrokes.BOTH.values()
    )
    cell = keystrokes.load_cell()
    full = 1e3 * cell.reading(keystrokes.RANGE) / keystrokes.EXCITATION

    def both(name: str, felts: list[keystrokes.Felt]) -> str:
        return " and ".join(f"{getattr(felt, name):.1f}" for felt in felts) + " N"

    shape = "the motion between is not told: a smooth reach was chosen"
    return [
        Number("§5.1.2", "the model's time", "less than 1 ms", f"{1e3 * tick():.1g} ms a tick",
               "another machine, a full action of felts too (16 steps in each tick)"),
        Number("§5.1.3", "load cell, range", "0 to 50 N", f"0 to {keystrokes.RANGE:g} N",
               "by definition: what lies outside is cut"),
        Number("§5.1.3", "load cell, gauges", "four, in a bridge", "one bridge of 10 V",
               "the voltage is chosen"),
        Number("§5.1.3", "load cell at 50 N", "0.765 mV/V", f"{full:.3f} mV/V", "by definition"),
        Number("§5.1.3", "sampling", "50 kHz", f"{1e-3 / keystrokes.SAMPLED:.0f} kHz",
               "by definition"),
        Number("§5.1.3", "resolution", "below 1 mN", f"{1e3 * keystrokes.NOISE:.1f} mN of noise",
               "chosen below it"),
        Number("§5.1.3", "camera on the markers", "1000 frames a second", "none",
               "our motion is given, not measured"),
        Number("Fig. 15", "slow keystrokes begin, are released",
               "around 0.3 and 1.5 s, 0.9 and 2.1 s", _times(keystrokes.SLOW), "given"),
        Number("Fig. 17", "fast keystrokes begin", "around 0.1 and 0.5 s",
               _times(keystrokes.FAST), "given; releases chosen"),
        Number("Fig. 15", "held, slow keystrokes", "close to 3 N", both("held", slow),
               "none to speak of; repetition and jack spring press so much"),
        Number("Fig. 15", "peaks on the way down", "oscillations, no figure", both("peak", slow),
               shape),
        Number("Fig. 15", "peaks after the release", "peaks by the hammer's rebound, no figure",
               both("release", slow), shape),
        Number("Fig. 14", "strikes, slow keystrokes", "a double blow: one each", _strikes(slow),
               "none"),
        Number("Fig. 16", "strikes, fast keystrokes", "a double blow: one each", _strikes(fast),
               "none"),
        Number("Fig. 17", "held, fast keystrokes", "no figure", both("held", fast),
               "the backcheck carries the hammer; after the slow ones the lever does"),
        Number("Fig. 17", "peaks on the way down", "no figure", both("peak", fast), shape),
        Number("Fig. 16", "the lever raises the hammer, fast",
               "measured at [0.25; 0.35] and [0.7; 0.8] s; their model differs",
               " and ".join(f"{1e3 * felt.raised:.0f}" for felt in fast)
               + " mrad, after releases at 0.3 and 0.7 s", "releases chosen to suit"),
    ]  # fmt: skip


def _strikes(felts: list[keystrokes.Felt]) -> str:
    return " and ".join(str(felt.strikes) for felt in felts)


def _times(strokes: tuple[keystrokes.Keystroke, ...]) -> str:
    down, up = (" and ".join(f"{getattr(each, name):g}" for each in strokes)
                for name in ("down", "up"))  # fmt: skip
    return f"{down} s, {up} s"


def tick(ticks: int = 1000) -> float:
    """How long a tick of 1 ms of the full-contact action takes the processor here [s], the
    key pressed."""
    system = grand_piano_action("motion", PressedTouch(0.7)).compile()
    began = time.thread_time()
    simulate(system, duration=1e-3 * ticks, method="euler", step=1e-3 / 16, output_step=1e-3,
             progress=False)  # fmt: skip
    return (time.thread_time() - began) / ticks


def docquier_prototype() -> list[Number]:
    """Figs 24 to 26."""
    actions, keys = felt_of_actions(), felt_of_keys()
    late = np.linspace(8e-3, 9e-3, 101)
    normal = actions["normal"], keys["normal"]
    past = np.linspace(6e-3, 7e-3, 101)
    bare = felt_of_actions({"no damper": {"pedal lift": 12e-3}})["no damper"]
    lifted = float((bare.at(past) - normal[0].at(past)).mean())

    def peak(name: str) -> str:
        by = [c[name].let_off - c["normal"].let_off for c in (actions, keys)]
        return f"{by[0]:+.2f} N (action), {by[1]:+.2f} N (key)"

    def mean(name: str) -> str:
        action, front, behind = (
            float((c[name].at(late, deep) - c["normal"].at(late, deep)).mean())
            for c, deep in ((actions, False), (keys, False), (keys, True))
        )
        return (
            f"{action:+.2f} N (action), {front:+.2f} N (key), {behind:+.2f} N (behind its spring)"
        )

    def heavier(name: str) -> str:
        by = [c[name].weight - c["normal"].weight for c in (actions, keys)]
        return f"{by[0]:+.2f} N (action), {by[1]:+.2f} N (key)"

    later = (
        "**not so on the key**: its force rises later, past 9 mm, the more for the spring's give"
    )
    grams = "none in the trend; 53 mN at the key for each gram, five times its weight"
    return [
        Number("§5.1.5", "speed of the actuator", "10 mm/s", f"{1e3 * SPEED:.0f} mm/s", "given"),
        Number("Fig. 24", "key dip", "9.5 mm", f"{1e3 * DIP:.1f} mm", "given"),
        Number("Fig. 24", "prototype against action", "similar; the escapement's force differs",
               f"{normal[0].off(normal[1]):.2f} N (rms); let-off {normal[0].let_off:.2f} and "
               f"{normal[1].let_off:.2f} N",
               "the key's coupling spring; theirs perhaps by the model's inaccuracies"),
        Number("Fig. 24", "the hammer turns back at", "in phase C, before 9.5 mm",
               f"{1e3 * measure().let_off_depth:.1f} mm", "regulated"),
        Number("Fig. 24", "without the damper", "a curve of its own, no figure",
               f"{lifted:+.2f} N, mean over 6–7 mm", "our pedal lifts it"),
        Number("Fig. 24", "measured three times in a row", "consistent", "to the bit",
               "computed"),
        Number("Fig. 25", "button 0.5 mm high, most from 7 mm to the bed", "higher",
               peak("button high"), "our hammer is then not let off before it meets the string"),
        Number("Fig. 25", "the same, mean over 8–9 mm", "higher", mean("button high"), later),
        Number("Fig. 25", "button 0.5 mm low, most from 7 mm to the bed", "lower",
               peak("button low"), "none in the trend; they give no figure"),
        Number("Fig. 25", "the same, mean over 8–9 mm", "lower", mean("button low"),
               "none in the trend"),
        Number("Fig. 26", "hammer + 3 g, mean over 2–4 mm", "higher", heavier("hammer + 3 g"),
               grams),
        Number("Fig. 26", "hammer + 6 g, mean over 2–4 mm", "higher still",
               heavier("hammer + 6 g"), grams),
        Number("Fig. 26", "hammer − 2 g, mean over 2–4 mm", "lower (computed only)",
               heavier("hammer − 2 g"), grams),
    ]  # fmt: skip


def gillespie_numbers() -> list[Number]:
    """§3.6.3 and §3.7."""
    soft, stiff = events("soft, scaled"), events("torsional, scaled")
    camera = filmed()

    def times(index: int) -> str:
        return f"{soft.times[index]:.4f} s (soft), {stiff.times[index]:.4f} s (torsional)"

    struck = np.interp(camera.strikes[0], camera.run.time, camera.run["hammer"])
    turns = {name: camera.time[camera.true[name].argmin()] for name in ("q3", "q6")}
    flight, ahead = (1e3 * abs(each.times[2] - each.times[1]) for each in (soft, stiff))
    return [
        Number("§3.6.3", "let-off begins", "0.1334 s (text), 0.1445 s (indicator)", times(0),
               "his ramp, scaled to our dip: his jack meets its button half-way, ours late"),
        Number("§3.6.3", "the jack slips", "0.181 s", times(1),
               "torsional: the hammer is thrown ahead of the jack, which slips after the strike"),
        Number("§3.6.3", "strike", "about 0.2 s", times(2),
               f"after the slip his hammer flies on for 19 ms, ours for {flight:.0f} ms (soft); "
               f"torsional: it strikes {ahead:.0f} ms before the slip"),
        Number("§3.6.3", "hammer to key", "about 5 times", f"{measure().ratio:.1f}",
               "a mean; it falls along the stroke"),
        Number("Table 3.5", "hammer from rest to string", f"{-HAMMER_AT_REST:.3f} rad",
               f"{struck - camera.run['hammer'][0]:.3f} rad", "another action"),
        Number("Fig. 3.18", "strike in the recording of the weight", "0.2 s",
               " and ".join(f"{time:.3f}" for time in camera.strikes) + " s",
               "by choice of the release"),
        Number("§3.7", "q₃ and q₆ both fall, then part", "at let-off",
               f"q₆ turns at {1e3 * turns['q6']:.0f} ms, q₃ at {1e3 * turns['q3']:.0f} ms",
               "none in the order; our let-off is short"),
        Number("§3.7", "light patches", "ten", f"{2 * len(camera.seen)}, two on each body",
               "where they were isn't told"),
        Number("§3.7", "camera", "1000 frames a second, about 700",
               f"{len(camera.time)} at {1 / np.diff(camera.time)[0]:.0f} a second", "given"),
        Number("§3.5.3", "hammer and string", "elastic",
               f"restitution {RESTITUTION} (modes), felt (full contact)",
               "felt takes about half of the speed"),
    ]  # fmt: skip


def own_numbers() -> list[Number]:
    """§3.5 and §3.6.3, in his own model."""
    spec, run = gillespie_specification(), own_run()
    found, t = own_events(run, spec), run.time
    let_off, slip, strike = found.times

    def change(name: str, begin: float, end: float) -> float:
        first, last = np.interp([begin, end], t, run[name])
        return 1e3 * float(last - first)

    loaded = (t > 0.02) & (t < slip)
    sunk = 1e3 * (spec.start["q2"] - run["q2"][t < BEGIN].min())
    most, jack = run["coupler force"], run["jack force"]
    guessed = "its lengths are inferred, others tried (below)"
    return [
        Number("§3.5", "coordinates, dimensions", "9, 27", f"9, {len(ASSIGNED)} of {len(LENGTHS)}",
               "the others are taken for nothing; the value of L₂₇ is missing in the text"),
        Number("Table 3.1", "equations of sliders and artificial ones, A to D",
               "4 + 2, 6 + 0, 4 + 2, 2 + 4", "the same", "built so; 3 freedoms in each phase"),
        Number("Table 3.5", "q₁ to q₉ at first", "nine numbers", "the same",
               "the three pins of ground are where the loops then close"),
        Number("§3.6.3", "hammer to key", "about 5 times", f"{gain(spec):.2f}",
               "the mass of the hammer to the key front, as the key sets out"),
        Number("§3.6.3", "the input D", "from −0.0335 to −0.0055 rad, 0.1 to 0.18 s", "the same",
               "given"),
        Number("§3.6.3", "transient as gravity sets in", "small",
               f"the hammer sinks {sunk:.0f} mrad", "k₄ and k₁ give"),
        Number("§3.6.3", "q₃ and q₆ in A", "both fall",
               f"{change('q3', BEGIN, let_off):+.0f} and {change('q6', BEGIN, let_off):+.0f} mrad",
               "none"),
        Number("§3.6.3", "A ends, toe on dolly", "0.1334 s (text), 0.1445 s (indicator)",
               f"{let_off:.4f} s",
               f"{guessed}: all but the button's come within 5 ms of the text's time"),
        Number("§3.6.3", "q₃ and q₆ in B", "opposite ways",
               f"{change('q3', let_off, slip):+.0f} and {change('q6', let_off, slip):+.0f} mrad",
               "none"),
        Number("§3.6.3", "B ends, the jack slips", "0.181 s", f"{slip:.4f} s",
               f"{guessed}: none is so late and strikes"),
        Number("Fig. 3.17", "force of the jack, k₄ q₄", "compressive throughout the run",
               f"{jack[loaded].min():.1f} to {jack[loaded].max():.1f} N until the slip, "
               f"{np.abs(jack[t > slip]).max():.0f} N after it",
               "none until the slip; a jack that has slipped pushes nothing here"),
        Number("Fig. 3.17", "felt force, let-off", "more than before",
               f"at most {most[(t > let_off) & (t < slip)].max():.1f} N, before it "
               f"{most[(t > BEGIN) & (t < let_off)].max():.1f} N", "none in the trend"),
        Number("§3.6.3", "strike, q₂ = 0", "about 0.2 s", f"{strike:.4f} s",
               f"{guessed}; it flies {1e3 * (strike - slip):.0f} ms, his 19 ms"),
        Number("§3.6.3", "g_AB in B and C", "zero",
               f"{1e3 * np.abs(run['gAB'][t > let_off + 1e-3]).max():.0e} mm", "a constraint"),
    ]  # fmt: skip


NUMBERS: dict[str, Callable[[], list[Number]]] = {
    "sensors": docquier_sensors,
    "force": docquier_force,
    "prototype": docquier_prototype,
    "gillespie": gillespie_numbers,
    "own": own_numbers,
}
