"""The device's end: negotiation, limits, watchdog, sessions; and that no bytes break it."""

import random
import struct

from hypothesis import given, strategies as st

from touchback.native.wire.serial_device_end import (
    ENABLED,
    FAULT,
    HOMED,
    LET_GO,
    SIMULATED,
    AxisData,
    FarEnd,
)
from wires import Unframer, frame, old_frame

AXIS = AxisData("key", 1e-4, 1e-3, 1e-3, force=2.0, velocity=50.0, low=-0.1, high=0.2)
ASK = struct.pack("<BBBHII", 0x21, 2, 2, 15, 0, 0)
REST = [(0.01, 0.0, 0.0)]


class Key:
    """A far end of one axis, with what it says as payloads."""

    def __init__(self, session: int = 7) -> None:
        self.far, self.unframer = FarEnd("key", [AXIS], session=session), Unframer()
        self.now, self.number = 0, 0

    def hear(self, *payloads: bytes) -> list[bytes]:
        for payload in payloads:
            self.far.take(frame(payload), self.now)
        return self.said()

    def said(self) -> list[bytes]:
        return self.unframer.feed(self.far.waiting())

    def command(self, force: int, flags: int = 1, session: int = 7) -> None:
        self.number += 1
        self.far.take(
            frame(struct.pack("<BBHBh", 0x27, session, self.number & 0xFFFF, flags, force)),
            self.now,
        )

    def tick(self, measured=REST, status: int = HOMED) -> tuple[float, int]:
        """After a millisecond: the force, and the status that its sample has."""
        self.now += 1000
        (force,) = self.far.tick(self.now, measured, status)
        sample = self.said()[-1]
        return force, struct.unpack_from("<H", sample, 8)[0]


def awake() -> Key:
    key = Key()
    key.hear(ASK)
    return key


def test_it_says_hello_unasked_after_a_reset_and_sends_nothing_more_until_asked() -> None:
    key = Key()
    (hello,) = key.said()
    assert hello[:3] == bytes([0x22, 2, 7])
    key.far.tick(1000, REST)
    assert key.said() == []
    (hello,) = key.hear(ASK)
    key.far.tick(2000, REST)
    (sample,) = key.said()
    assert hello[0] == 0x22 and sample[0] == 0x26


def test_features_period_and_watchdog_are_negotiated() -> None:
    key = Key()
    key.said()
    (hello,) = key.hear(struct.pack("<BBBHII", 0x21, 1, 9, 1, 5000, 4000))
    version, _, _, _, features, period, watchdog, _ = struct.unpack_from("<BBBHHIIH", hello, 1)
    assert (version, features, period, watchdog) == (2, 1, 4000, 5000)
    heard = []
    for tick in range(1, 9):
        key.far.tick(1000 * tick, REST)
        heard += key.said()
    assert len(heard) == 2  # every fourth tick
    assert len(heard[0]) == 14 + 8  # position and velocity
    (hello,) = key.hear(struct.pack("<BBBHII", 0x21, 2, 2, 15, 10**6, 0))
    assert struct.unpack_from("<I", hello, 12)[0] == 20_000  # its own is the longest


def test_versions_that_it_does_not_speak_are_refused_with_a_word() -> None:
    key = Key()
    key.said()
    (word,) = key.hear(struct.pack("<BBBHII", 0x21, 3, 9, 15, 0, 0))
    assert word == b"\x2aonly version 2 of the protocol is spoken here"
    key.far.take(old_frame(b"\x04\x01"), 0)  # who is there, in version 1
    assert b"version 1 of the protocol isn't spoken here any more" in key.said()[0]


def test_a_force_acts_until_the_watchdog_lets_go_and_again_with_the_next_command() -> None:
    key = awake()
    key.command(500)
    seen = [key.tick() for _ in range(25)]
    assert [force for force, _ in seen] == [0.5] * 19 + [0.0] * 6  # 20 ms, counted in ticks
    assert seen[0][1] & ENABLED and not seen[0][1] & LET_GO
    assert seen[-1][1] & LET_GO and not seen[-1][1] & ENABLED
    key.command(-300)
    assert key.tick()[0] == -0.3


def test_the_longest_time_without_a_command_is_told() -> None:
    key = awake()
    key.command(500)
    for _ in range(30):
        key.tick()
    (counts,) = key.hear(struct.pack("<BB", 0x28, 7))
    _, commands, lost, refused, damaged, let_go, longest = struct.unpack_from("<7I", counts, 2)
    assert (commands, lost, refused, damaged, let_go) == (1, 0, 0, 0, 1)
    assert 18_000 <= longest < 20_000  # µs: below the watchdog's time


def test_commands_of_another_session_old_ones_and_doubles_are_not_obeyed() -> None:
    key = awake()
    key.command(500, session=8)
    assert key.tick()[0] == 0.0
    key.command(500)
    key.number -= 1
    key.command(900)  # the same number once more
    assert key.tick()[0] == 0.5


def test_another_driver_may_begin_to_number_anywhere() -> None:
    key = awake()
    key.number = 500
    key.command(500)
    key.hear(ASK)
    key.number = 3
    key.command(-200)
    assert key.tick()[0] == -0.2


def test_forces_are_clipped_at_the_limit_which_a_driver_can_only_narrow() -> None:
    key = awake()
    key.command(30_000)
    assert key.tick()[0] == 2.0
    key.hear(struct.pack("<BBB4f", 0x25, 7, 0, 0.5, 9.0, -1.0, 1.0))
    key.command(-30_000)
    assert key.tick()[0] == -0.5
    (axis,) = key.hear(struct.pack("<BBB4f", 0x25, 7, 0, 5.0, 99.0, -9.0, 9.0))
    assert struct.unpack_from("<4f", axis, 28)[0] == 0.5


def test_beyond_a_limit_it_faults_until_cleared() -> None:
    key = awake()
    key.command(500)
    force, status = key.tick([(0.21, 0.0, 0.0)])
    assert force == 0.0 and status & FAULT
    key.command(500)
    assert key.tick()[0] == 0.0  # latched, though all is well again
    key.command(500, flags=3)
    force, status = key.tick()
    assert force == 0.5 and not status & FAULT


def test_before_homing_no_force_acts() -> None:
    key = awake()
    key.command(500)
    force, status = key.tick(status=0)
    assert force == 0.0 and not status & ENABLED and status & SIMULATED


@given(st.binary(max_size=300))
def test_no_bytes_break_it_or_make_a_force(stream) -> None:
    key = awake()
    key.far.take(stream + b"\0", 0)
    assert key.tick()[0] == 0.0


def test_damaged_real_traffic_never_makes_a_force_that_nobody_sent() -> None:
    draw, key, sent = random.Random(5), awake(), {0.0}
    for _ in range(3000):
        key.number += 1
        force = draw.randrange(-1000, 1000)
        made = frame(struct.pack("<BBHBh", 0x27, 7, key.number & 0xFFFF, 1, force))
        cut = bytearray(made)
        for _ in range(draw.randrange(3)):
            cut[draw.randrange(len(cut))] = draw.randrange(256)
        sent.add(force * AXIS.force_unit)
        key.far.take(bytes(cut), key.now)
        assert key.tick()[0] in sent
