"""Frames of the wire: checksum, stuffing, and streams that break anywhere."""

import ctypes
import random

from hypothesis import given, strategies as st

from touchback.native.shared_library import LIB
from wires import DAMAGED, FRAME, PAYLOAD, VERSION_1, Unframer, frame, old_frame

payloads = st.binary(min_size=1, max_size=PAYLOAD)


def test_the_checksum_is_the_catalogue_s() -> None:
    assert LIB.tb_checksum(b"123456789", 9) == 0xE3069283  # CRC-32C (iSCSI), its check value


@given(payloads)
def test_a_frame_has_no_zero_but_its_last_and_costs_six_bytes(payload: bytes) -> None:
    made = frame(payload)
    assert 0 not in made[:-1] and made[-1] == 0
    assert len(made) == len(payload) + 6 <= FRAME


def test_payloads_that_are_empty_or_too_long_have_no_frame() -> None:
    assert frame(b"") == b"" and frame(bytes(PAYLOAD + 1)) == b""


@given(st.lists(payloads, max_size=10), st.data())
def test_payloads_come_back_from_a_stream_cut_anywhere(sent: list[bytes], data) -> None:
    stream = b"".join(map(frame, sent))
    cut = data.draw(st.integers(0, len(stream)))
    unframer = Unframer()
    assert unframer.feed(stream[:cut]) + unframer.feed(stream[cut:]) == sent
    assert unframer.struct.damaged == 0


@given(payloads, payloads, st.data())
def test_a_flipped_bit_costs_one_frame_and_never_makes_a_wrong_one(first, second, data) -> None:
    stream = bytearray(frame(first))
    place = data.draw(st.integers(0, len(stream) - 2))
    stream[place] ^= 1 << data.draw(st.integers(0, 7))
    unframer = Unframer()
    assert unframer.feed(bytes(stream) + b"\0" + frame(second)) == [second]
    assert unframer.struct.damaged + unframer.struct.old >= 1


@given(st.binary(max_size=400), payloads)
def test_a_receiver_that_starts_in_noise_is_in_step_at_the_next_zero(noise, payload) -> None:
    assert Unframer().feed(noise + b"\0" + frame(payload))[-1:] == [payload]


def test_a_hundred_thousand_frames_of_noise_make_none() -> None:
    noise = random.Random(3).randbytes(1_000_000)
    unframer, length = LIB.struct("tb_unframer")(), ctypes.c_long()
    take, at, of = LIB.tb_unframe, ctypes.addressof(unframer), ctypes.addressof(length)
    for byte in noise:  # a zero comes after 256 bytes on average
        take(at, byte % 16, of)  # here after 16
    assert unframer.whole == 0
    assert unframer.damaged > 50_000


def test_frames_of_version_1_are_known_as_such() -> None:
    unframer = Unframer()
    assert unframer.feed(old_frame(b"\x04\x01") + old_frame(bytes([2, *range(12)]))) == []
    assert unframer.outcomes == [VERSION_1, VERSION_1]
    assert unframer.feed(old_frame(b"\x09\x01")) == [] and unframer.outcomes[-1] == DAMAGED
