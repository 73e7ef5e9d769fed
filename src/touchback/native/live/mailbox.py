"""Last-value mailboxes (mailbox.h): messages of doubles that are never seen half written."""

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import DeviceError, InputError, SolveError
from touchback.native.live.locked_arena import Arena
from touchback.native.shared_library import LIB, Floats, address_of, as_floats

HEADER = ctypes.sizeof(LIB.struct("tb_mailbox"))  # bytes before the doubles


ALIGNMENT = 64  # bytes: a mailbox has cache lines of its own


_TRIES = 1000  # at a stretch, before others get the processor


_PATIENCE = 1.0  # seconds: a writer that is alive lets go long before


def clock_now() -> int:
    """Nanoseconds of the monotonic clock that stamps and schedules are in."""
    return int(LIB.tb_clock_now())


def mailbox_bytes(count: int) -> int:
    """What a mailbox of so many doubles takes, whole cache lines."""
    return -(-(HEADER + 8 * count) // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class Message:
    """The values, when they were made (monotonic ns), and how many messages came so far."""

    values: Floats
    stamp: int
    number: int


class Mailbox:
    """A mailbox at an address; the caller keeps the memory alive."""

    def __init__(self, address: int, count: int, open_it: bool = True) -> None:
        self.address, self.count = address, count
        if open_it:
            LIB.tb_mailbox_open(address, count)

    def write(self, values: ArrayLike, stamp: int | None = None) -> None:
        """Replaces the message; `stamp` is now unless said otherwise."""
        numbers = np.atleast_1d(as_floats(values))
        if numbers.shape != (self.count,):
            raise InputError(
                f"The mailbox takes {self.count} numbers, got an array of shape {numbers.shape}."
            )
        when = clock_now() if stamp is None else stamp
        data = address_of(numbers)
        self._try(lambda: LIB.tb_mailbox_write(self.address, self.count, when, data, _TRIES))

    def read(self) -> Message:
        """The last message, whole."""
        values, stamp = np.empty(self.count), ctypes.c_int64()
        sequence = self._try(
            lambda: LIB.tb_mailbox_read(
                self.address, self.count, ctypes.byref(stamp), address_of(values), _TRIES
            )
        )
        return Message(values, stamp.value, sequence // 2)

    def glance(self) -> Message | None:
        """The last message; None where a writer is at it, or left it half written."""
        values, stamp = np.empty(self.count), ctypes.c_int64()
        sequence = LIB.tb_mailbox_read(
            self.address, self.count, ctypes.byref(stamp), address_of(values), _TRIES
        )
        return None if sequence < 0 else Message(values, stamp.value, sequence // 2)

    @staticmethod
    def _try(attempt: Callable[[], int]) -> int:
        """Attempts until one doesn't give −1; a writer may have been interrupted for a while."""
        end = time.monotonic() + _PATIENCE
        while (found := attempt()) < 0:
            if time.monotonic() > end:
                raise SolveError(
                    "A writer holds the mailbox and doesn't let go: a process that wrote into it "
                    "was probably killed while it did. Start the live run anew."
                )
            time.sleep(50e-6)
        return found


@dataclass(frozen=True)
class Publication:
    """What a run publishes: the mailbox, ns between messages, and the word of its directory, with
    its address, for which places hold."""

    mailbox: Mailbox
    period: int
    word_address: int
    word: int

    @property
    def room(self) -> int:
        """Bytes that a message takes."""
        return 8 * self.mailbox.count

    def fill(self, struct: ctypes.Structure, arena: Arena) -> None:
        """Writes it into a tb_publication, with room for a message in the arena."""
        struct.mailbox, struct.count = self.mailbox.address, self.mailbox.count
        struct.message = address_of(arena.floats(self.mailbox.count))
        struct.period, struct.sequence = self.period, -1
        struct.word, struct.known = self.word_address, self.word


# ns that a thread has to take it: a busy machine may hold it up for seconds
_HANDOVER_PATIENCE = 30_000_000_000


def hand_over(handover: ctypes.Structure, address: int, thread: str) -> None:
    """Lets a thread take what is at an address (0: nothing); what it had before is used no more
    when this returns. `thread` says what it does."""
    if LIB.tb_hand_over(ctypes.addressof(handover), address, _HANDOVER_PATIENCE):
        raise DeviceError(f"The thread that {thread} doesn't answer: a mistake of ours.")
