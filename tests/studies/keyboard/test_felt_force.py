"""The force felt through the motorised key, beside that of the action it renders."""

from itertools import pairwise

import numpy as np
import pytest

from studies.keyboard.felt_force import (
    SPEED,
    VARIATIONS,
    ForceByDepth,
    felt_of_actions,
    felt_of_keys,
    held_key,
    press,
)
from touchback.devices.motors import Motor
from touchback.instruments.keyboard.key_device import FRONT, KeyDevice
from touchback.instruments.keyboard.key_mechanisms import (
    COUPLING,
    by_law,
    light_action,
    piano,
    piano_modes,
)
from touchback.instruments.piano.stroke_analysis import force_curve, slow_press

NORMAL = {"normal": {}}


@pytest.fixture(scope="module")
def actions():
    return felt_of_actions()


@pytest.fixture(scope="module")
def keys():
    return {rate: felt_of_keys(rate) for rate in (1000, 4000)}


@pytest.mark.parametrize("rate", [None, 1000, 4000])
def test_a_higher_button_raises_the_let_off_and_leaves_the_weight(actions, keys, rate):
    """Docquier 2021, fig. 25, on the action (left) and on the prototype (right)."""
    curves = keys[rate] if rate else actions
    low, normal, high = (curves[name] for name in ("button low", "normal", "button high"))
    assert low.let_off < normal.let_off - 0.3
    assert high.let_off > normal.let_off + 0.3
    assert low.weight == pytest.approx(normal.weight, abs=1e-3)
    assert high.weight == pytest.approx(normal.weight, abs=1e-3)


@pytest.mark.parametrize("rate", [None, 1000, 4000])
def test_a_heavier_hammer_raises_the_whole_curve(actions, keys, rate):
    """Docquier 2021, fig. 26."""
    curves = keys[rate] if rate else actions
    names = ["hammer − 2 g", "normal", "hammer + 3 g", "hammer + 6 g"]
    depths = np.linspace(0.5e-3, 7e-3, 131)
    for lighter, heavier in pairwise(names):
        assert np.all(curves[heavier].at(depths) > curves[lighter].at(depths))
        assert curves[heavier].let_off > curves[lighter].let_off
    # Three grams at the hammer, five times as fast as the key front: 0.15 N.
    assert curves[names[2]].weight - curves[names[1]].weight == pytest.approx(0.15, abs=0.02)


def test_the_piano_with_modes_shows_the_same_trends(actions):
    names = ("button low", "normal", "hammer + 3 g")
    given = {name: VARIATIONS[name] for name in names}
    low, normal, heavy = felt_of_keys(1000, given, voice=piano_modes).values()
    assert low.let_off < normal.let_off - 0.3
    assert heavy.let_off > normal.let_off + 0.15
    assert heavy.weight - normal.weight == pytest.approx(0.15, abs=0.02)
    assert normal.weight == pytest.approx(actions["normal"].weight, abs=0.02)
    assert normal.off(actions["normal"]) < 0.16  # its drop is deeper (with_modes.py)


def test_key_and_action_differ_by_the_coupling_spring_and_little_else(actions, keys):
    for name in VARIATIONS:
        slow, fast = keys[1000][name], keys[4000][name]
        # Four times as stiff: a jump counts half as much, all else a quarter.
        assert fast.off(actions[name]) < 0.6 * slow.off(actions[name])
        assert slow.off(actions[name], behind=True) < 0.04 + jump(actions[name], 1000)  # N
        assert fast.off(actions[name], behind=True) < 0.03 + jump(actions[name], 4000)


def jump(action: ForceByDepth, rate: float) -> float:
    """Where a let-off falls by ΔF more steeply than the coupling's stiffness K, the spring relaxes
    at once, over a depth of ΔF/K: what that makes of the root mean square from 0.5 to 9.2 mm."""
    depths = np.linspace(7e-3, 9.2e-3, 441)
    force = action.at(depths)
    peak = int(np.argmax(force))
    fall = force[peak] - force[peak:].min()
    return float(np.sqrt(fall**3 / (3 * COUPLING[0] * rate * 8.7e-3)))


def test_what_the_device_adds_is_its_friction_and_damping():
    """A law of 0.5 N everywhere: what is felt beyond it are rotor and bearings."""
    device = KeyDevice()
    run = press(held_key(1000, by_law(lambda depth, speed: 0.5), device), 1000)
    depth = run["key"] * FRONT
    sliding = (depth > 2e-3) & (depth < 8e-3)
    added = run["finger force"][sliding].mean() - 0.5
    friction = device.motor.friction * device.motor.gearing / FRONT
    damping = device.damping * SPEED / FRONT**2
    assert added == pytest.approx(friction + damping, rel=0.03)


def test_a_motor_that_is_too_weak_is_felt(keys):
    weak = KeyDevice(motor=Motor(torque_constant=0.0234, current_limit=0.5, gearing=24.0))
    curve = felt_of_keys(1000, NORMAL, weak)["normal"]
    limit = weak.motor.largest_torque / FRONT
    assert limit < keys[1000]["normal"].let_off
    assert curve.let_off == pytest.approx(limit, abs=0.03)


@pytest.mark.parametrize("rate", [1000, 4000])
def test_what_a_sampled_coupling_adds_is_half_a_tick_of_its_spring(rate):
    """The display holds the force of a tick's begin, while the action moves on under it: at a
    steady speed it shows K v T / 2 more than the action feels, 20 mN at every rate, since K goes
    with 1/T. Without friction, since trembling may ease it or add to it by some millinewtons."""
    rough = ("centre friction", "knuckle friction", "capstan friction")
    alone = ForceByDepth(
        *force_curve(slow_press(light_action(), SPEED), dict.fromkeys(rough, 0.0)).down
    )
    device = KeyDevice()
    run = press(held_key(rate, piano), rate, {f"action/{name}": 0.0 for name in rough})
    depth = run["key"] * FRONT
    shown = -device.motor.torque(run["command"]) / FRONT
    sliding = (depth > 2e-3) & (depth < 4e-3)
    behind = depth[sliding] - shown[sliding] / (COUPLING[0] * rate)
    added = shown[sliding].mean() - alone.at(behind).mean()
    assert added == pytest.approx(COUPLING[0] * SPEED / 2, rel=0.12)


def test_what_key_and_action_differ_by_adds_up(actions, keys):
    """Hold and friction of the device, less 14 mN that the wooden key is heavier behind."""
    device = KeyDevice()
    friction = device.motor.friction * device.motor.gearing / FRONT
    for rate in (1000, 4000):
        found = keys[rate]["normal"].weight - actions["normal"].weight
        assert found == pytest.approx(COUPLING[0] * SPEED / 2 + friction - 0.014, abs=6e-3)
