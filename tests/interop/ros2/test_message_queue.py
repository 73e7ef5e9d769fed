"""What comes faster than it is taken: the newest wait, in memory that has an end."""

import threading

from touchback.interop.ros2.message_queue import MessageQueue
from touchback.interop.ros2.model_node import ErrorCounter
from touchback.recording import unknown_name
from waiting import until


def test_of_a_flood_the_newest_wait_and_the_oldest_are_told_of() -> None:
    begun, go, taken, left_out = threading.Event(), threading.Event(), list[int](), list[int]()

    def take(item: int) -> None:
        begun.set()
        go.wait()
        taken.append(item)

    line = MessageQueue(take, lambda: left_out.append(1))
    try:
        line.put(-1, 1)
        assert begun.wait(60)
        for item in range(5003):
            line.put(item, 1)
        assert len(left_out) == 3
        line.put(5003, 1 << 26)  # bytes: there is room for nothing else
        assert len(left_out) == 3 + 5000
        go.set()
        until(lambda: taken == [-1, 5003])
    finally:
        go.set()
        line.close()


def test_a_line_that_is_closed_takes_nothing_of_what_waited() -> None:
    begun, go, taken = threading.Event(), threading.Event(), list[int]()

    def take(item: int) -> None:
        begun.set()
        go.wait()
        taken.append(item)

    line = MessageQueue(take, lambda: None)
    for item in range(1000):
        line.put(item, 1)
    assert begun.wait(60)
    closing = threading.Thread(target=line.close)
    closing.start()
    until(lambda: not line._open)
    go.set()
    closing.join()
    assert taken == [0]


def test_names_of_a_million_letters_are_told_in_a_line() -> None:
    told = list[str]()
    complaints = ErrorCounter(told.append)
    for letter in "ab":
        error = unknown_name("input", letter * 10**6, ["voltage"])
        assert len(str(error)) < 400
        complaints(f"refused: {error}")
    assert len(told) == 1  # of one kind
