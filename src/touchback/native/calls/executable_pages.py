"""Machine code made runnable, never writable and executable at once."""

import ctypes
import os
import weakref

from touchback.errors import CompileError
from touchback.native.shared_library import LIB


class Published:
    """Code in executable memory at `address`; unmapped on `close` or when the object goes."""

    def __init__(self, address: int, size: int) -> None:
        self.address = address
        self.size = size
        self._withdraw = weakref.finalize(self, LIB.tb_withdraw, address, size)
        self._withdraw.atexit = False  # daemon threads may still compute when the program ends

    @property
    def closed(self) -> bool:
        return not self._withdraw.alive

    def close(self) -> None:
        """Unmaps the code; its address must not be called any more."""
        self._withdraw()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"at {self.address:#x}"
        return f"<{self.size} bytes of machine code, {state}>"


def publish(code: bytes) -> Published:
    """A read-only, executable copy of the code."""
    if not code:
        raise CompileError("There is no code to publish: zero bytes were given.")
    address = LIB.tb_publish(code, len(code))
    if not address:
        reason = os.strerror(ctypes.get_errno())
        raise CompileError(
            f"The system refuses {len(code)} bytes of executable memory ({reason}); "
            "use the C or the interpreted back end here."
        )
    return Published(address, len(code))
