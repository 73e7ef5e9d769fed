"""A key for experiments: what is varied is felt, and every force is recorded."""

import numpy as np
import pytest

import touchback as tb
from far_ends import FarDevice, patient_line
from full_disk import disk_of
from touchback.errors import InputError
from touchback.haptics.trials import FeelingSubject
from touchback.instruments.keyboard.key_device import FRONT
from touchback.instruments.keyboard.key_mechanisms import MIDDLE
from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_player import SETTLING_TIME
from touchback.instruments.keyboard.keyboard_regulation import regulation_of
from touchback.instruments.keyboard.perception_trial_key import DEPTH, FORCE, TrialKey, felt_key
from touchback.instruments.keyboard.wired_keys import ANGLE, FOLLOW, TORQUE
from touchback.instruments.piano.piano_action import grand_piano_action
from waiting import until


@pytest.fixture(scope="module")
def key():
    with TrialKey("wall-standard", "wall stiffness") as made:
        yield made


def stiffness(felt):
    """Force over how far the wall is pressed in, where all is nearly still."""
    slow = np.abs(np.gradient(felt.depth, felt.time)) < 5e-3
    inside = (felt.depth > MIDDLE + 3e-4) & slow
    return float(np.median(felt.force[inside] / (felt.depth[inside] - MIDDLE)))


def test_a_finger_feels_what_is_varied_and_the_recording_holds_it(key, tmp_path):
    path = tmp_path / "1.mcap"
    soft, hard = key.feel([800.0, 1600.0], path)
    assert stiffness(soft) == pytest.approx(800.0, rel=0.1)
    assert stiffness(hard) == pytest.approx(1600.0, rel=0.1)
    assert hard.depth.max() < soft.depth.max() < 12e-3
    touch = Stroke.of(0.0, 60, 0.3)
    whole = touch.press + touch.stay + touch.leave + 0.25  # s: a touch, and a pause
    for felt in (soft, hard):
        assert felt.span[1] - felt.span[0] == pytest.approx(whole, abs=2e-3)
        assert not felt.force[felt.time > felt.span[1] - 0.05].any()  # it is let go
    run = tb.open(path)
    for felt in (soft, hard):
        within = (run.time >= felt.span[0]) & (run.time <= felt.span[1])
        assert np.array_equal(run["finger force"][within], felt.force)
        assert len(felt.time) == pytest.approx(1e3 * (felt.span[1] - felt.span[0]), abs=2)
    assert tb.replay(path).same  # order and forces can be repeated, bit for bit


def test_a_trial_whose_forces_a_full_disk_did_not_take_is_refused(key, tmp_path):
    with disk_of(200_000), pytest.raises(InputError, match="weren't all kept"):
        key.feel([1000.0, 1200.0], tmp_path / "cut.mcap")
    assert len(key.feel([1000.0, 1200.0], tmp_path / "cut.mcap")) == 2  # once there is room


def test_a_subject_that_only_feels_forces_tells_stiffer_walls(key, tmp_path):
    subject = FeelingSubject(noise=40.0, seed=1)  # N/m
    felt = key.feel([1000.0, 1200.0], tmp_path / "2.mcap")
    told = [stiffness(each) for each in felt]
    named = [subject.choose(told, number) for number in range(400)]
    due = subject.right(told[1] - told[0])
    assert due > 0.99 and np.mean(np.array(named) == 2) > 0.98


def test_what_the_parameter_can_t_be_is_refused_before_anything_is_felt(key, tmp_path):
    with pytest.raises(InputError, match="'wall stiffness' would be -5"):
        key.feel([1000.0, -5.0], tmp_path / "3.mcap")
    assert not (tmp_path / "3.mcap").exists()
    with pytest.raises(InputError, match="has no 'wall stifness'; did you mean"):
        TrialKey("wall-standard", "wall stifness")
    with pytest.raises(InputError, match="'piano' has no 'wall stifness'; 'walls' has 'wall sti"):
        TrialKey("piano", "wall stifness")
    with pytest.raises(InputError, match="'ball' has no 'hamer mass'; 'piano' has 'action/hammer"):
        TrialKey("ball", "hamer mass")


def test_a_key_on_a_wire_is_pushed_up_by_the_wall_that_its_angle_met():
    system = felt_key("wall-standard").compile()
    with tb.live(system, rate=1000, speed=None, parameters={"wall stiffness": 1000.0}) as live:
        live[FOLLOW] = 1.0
        live.run(SETTLING_TIME)
        for depth, due in ((2e-3, 0.0), (5.75e-3, 1.0)):  # m, N: a millimetre inside
            live[ANGLE] = depth / FRONT
            live.run(0.2)
            assert live.read(FORCE) == pytest.approx(due, abs=0.02)
            assert live.read(TORQUE) == pytest.approx(-due * FRONT, abs=0.005)


def test_a_trial_is_felt_and_recorded_on_a_line(tmp_path):
    """A finger that holds the key a millimetre inside the wall, at the other end of a real line."""
    with patient_line() as far:
        far.positions[0] = (MIDDLE + 1e-3) / FRONT
        with TrialKey("wall-standard", "wall stiffness", far.path, seconds=0.6) as key:
            until(lambda: key.live.read(DEPTH) > MIDDLE)
            soft, hard = key.feel([500.0, 1000.0], tmp_path / "1.mcap")
            due = pytest.approx(-1.0 * FRONT, rel=0.06)  # N m: what the motor is told
            until(lambda: far.forces[0] == due)
    for felt, due in ((soft, 0.5), (hard, 1.0)):  # N
        assert np.median(felt.depth) == pytest.approx(MIDDLE + 1e-3, abs=5e-5)
        assert np.median(felt.force[len(felt.force) // 2 :]) == pytest.approx(due, rel=0.06)
    assert tb.replay(tmp_path / "1.mcap").same


def test_a_trial_in_which_the_motor_let_go_is_refused(tmp_path):
    """Its recording holds forces that nobody felt, though the key is well again at its end."""
    far = FarDevice()
    try:
        with TrialKey("wall-standard", "wall stiffness", far.path) as key:
            until(lambda: not key.live.faults)
            key.begin([500.0], tmp_path / "1.mcap")
            far.silent = True
            until(lambda: key.live.faults)
            far.silent = False
            until(lambda: not key.live.faults)
            with pytest.raises(InputError, match=r"The motor let go for [1-9].* ms of this trial"):
                key.end()
    finally:
        far.close()


def test_a_parameter_is_called_as_show_and_set_call_it() -> None:
    key = TrialKey("piano", "hammer mass")
    assert key.varied == "action/hammer mass" == TrialKey("piano", key.varied).varied
    assert key.parameter.default == grand_piano_action().parameters["hammer mass"].default
    assert regulation_of(["action/hammer mass=0.007"]) == regulation_of(["hammer mass=0.007"])
    own = regulation_of(["C4/action/hammer mass=0.007"])
    assert own == regulation_of(["C4/hammer mass=0.007"])
