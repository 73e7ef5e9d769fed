"""Mailboxes give the last message, whole, whoever writes."""

import threading
import time

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.native.live.mailbox import HEADER, Mailbox, mailbox_bytes
from touchback.native.shared_library import address_of

WIDE = 4096  # doubles: writing takes microseconds, so that readers meet writers


def make(count: int) -> tuple[Mailbox, np.ndarray]:
    memory = np.zeros(mailbox_bytes(count) // 8)
    return Mailbox(address_of(memory), count), memory


def test_the_last_message_is_read_as_often_as_one_likes() -> None:
    box, _memory = make(3)
    assert (box.read().number, box.read().values.tolist()) == (0, [0.0, 0.0, 0.0])
    box.write([1.0, 2.0, 3.0], stamp=5)
    box.write([4.0, 5.0, np.nan], stamp=6)
    for _ in range(2):
        message = box.read()
        assert message.values[:2].tolist() == [4.0, 5.0]
        assert np.isnan(message.values[2])
        assert (message.stamp, message.number) == (6, 2)


def test_the_layout_is_as_documented() -> None:
    box, memory = make(2)
    box.write([1.5, -2.5], stamp=77)
    words = memory.view(np.uint64)
    assert words[:4].tolist() == [2, 77, 2, 1]  # sequence, stamp, count, type
    assert memory[HEADER // 8 :][:2].tolist() == [1.5, -2.5]
    assert mailbox_bytes(1) == 64 and mailbox_bytes(4) == 64 and mailbox_bytes(5) == 128


@pytest.mark.parametrize("count", [0, 10**5, 2**40])
def test_a_count_that_another_process_wrote_is_not_believed(count: int) -> None:
    box, memory = make(2)
    memory.view(np.uint64)[2] = count
    box.write([1.5, -2.5])
    assert box.read().values.tolist() == [1.5, -2.5]
    assert memory[HEADER // 8 + 2 :].tolist() == [0.0, 0.0]


def test_a_message_of_another_size_is_refused() -> None:
    box, _memory = make(2)
    with pytest.raises(InputError, match="takes 2 numbers"):
        box.write([1.0, 2.0, 3.0])


def test_messages_of_several_threads_are_never_torn_lost_or_reordered() -> None:
    box, _memory = make(WIDE)
    done = threading.Event()
    written = [0, 0]

    def write(which: int) -> None:
        k = 0
        while not done.is_set():
            k += 1
            box.write(np.full(WIDE, float(2 * k + which)), stamp=2 * k + which)
            written[which] = k

    writers = [threading.Thread(target=write, args=(which,)) for which in (0, 1)]
    for writer in writers:
        writer.start()
    latest, number, read = [0.0, 0.0], 0, 0
    begun = time.monotonic()
    try:
        while (spent := time.monotonic() - begun) < 1.5 or (
            min(read, *written) <= 100 and spent < 60.0
        ):
            message = box.read()
            value = message.values[0]
            assert (message.values == value).all()
            assert message.stamp == value
            assert message.number >= number
            assert value >= latest[int(value) % 2]  # each writer's messages keep their order
            latest[int(value) % 2], number, read = value, message.number, read + 1
    finally:
        done.set()
        for writer in writers:
            writer.join()
    assert box.read().number == sum(written)
    assert read > 100 and min(written) > 100
