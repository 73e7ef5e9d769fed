"""The Python face of live/handover.h: what a driver's thread of C works with."""

import ctypes

from touchback.errors import DeviceError
from touchback.native.library import LIB

# ns that a thread has to take it: a busy machine may hold it up for seconds
_PATIENCE = 30_000_000_000


def hand_over(handover: ctypes.Structure, address: int, thread: str) -> None:
    """Lets a thread take what is at an address (0: nothing); what it had before is used no more
    when this returns. `thread` says what it does."""
    if LIB.tb_hand_over(ctypes.addressof(handover), address, _PATIENCE):
        raise DeviceError(f"The thread that {thread} doesn't answer: a mistake of ours.")
