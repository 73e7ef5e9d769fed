"""Frames and messages of the serial line."""

from hypothesis import given
from hypothesis import strategies as st

from touchback.devices.serial_line import Command, Hello, Sample, Unframer, frame
from touchback.devices.serial_line.frames import LONGEST, _stuffed, _unstuffed, checksum
from touchback.devices.serial_line.messages import Ask, unpacked

payloads = st.binary(min_size=1, max_size=LONGEST - 4)


def test_the_checksum_is_the_catalogue_s():
    assert checksum(b"123456789") == 0x29B1  # CRC-16/CCITT-FALSE, its published check value


@given(st.binary(max_size=600))
def test_stuffing_removes_every_zero_and_gives_the_bytes_back(data):
    stuffed = _stuffed(data)
    assert 0 not in stuffed
    assert _unstuffed(stuffed) == data
    assert len(stuffed) <= len(data) + 1 + len(data) // 254


@given(st.lists(payloads, max_size=10), st.data())
def test_payloads_come_back_from_a_stream_cut_anywhere(sent, data):
    stream = b"".join(map(frame, sent))
    cut = data.draw(st.integers(0, len(stream)))
    unframer = Unframer()
    assert unframer.feed(stream[:cut]) + unframer.feed(stream[cut:]) == sent
    assert unframer.damaged == 0


@given(payloads, payloads, st.data())
def test_a_flipped_bit_costs_one_frame_and_never_makes_a_wrong_one(first, second, data):
    stream = bytearray(frame(first))
    place = data.draw(st.integers(0, len(stream) - 2))
    stream[place] ^= 1 << data.draw(st.integers(0, 7))
    unframer = Unframer()
    found = unframer.feed(bytes(stream) + b"\0" + frame(second))
    assert found == [second]
    assert unframer.damaged >= 1


@given(st.binary(max_size=400), payloads)
def test_a_receiver_that_starts_in_noise_is_in_step_at_the_next_zero(noise, payload):
    assert Unframer().feed(noise + b"\0" + frame(payload))[-1:] == [payload]


@given(
    st.one_of(
        st.builds(Sample, st.integers(0, 65535), st.integers(0, 2**32 - 1),
                  st.integers(-(2**31), 2**31 - 1), st.integers(-32768, 32767)),
        st.builds(Command, st.integers(0, 65535), st.integers(-32768, 32767)),
        st.builds(Hello, st.booleans(), st.floats(1.0, 1e6), st.floats(1e-6, 1.0),
                  st.text("abc key", max_size=20)),
        st.just(Ask()),
    )
)  # fmt: skip
def test_messages_come_back(message):
    assert unpacked(message.packed()) == message


@given(st.binary(max_size=60))
def test_no_payload_breaks_the_reader(payload):
    unpacked(payload)
