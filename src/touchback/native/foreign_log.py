"""What foreign code logs in the manner of printf (foreign_log.h): its newest texts."""

from touchback.native.c_struct import Record
from touchback.native.shared_library import LIB

_TEXTS: int = LIB.constant("TB_LOG_TEXTS")


class ForeignLog:
    """The memory that a logger of C writes to: `teller` is the logger's address, `address` the
    environment that it must be given, as long as this object lives."""

    def __init__(self) -> None:
        self._record = Record("tb_foreign_log")
        self.address = self._record.address
        self.teller: int = LIB.tb_foreign_log_teller()

    @property
    def texts(self) -> list[str]:
        """The newest, oldest first."""
        count = int(self._record.struct.count)
        rows = [self._record.struct.texts[k % _TEXTS] for k in range(max(count - _TEXTS, 0), count)]
        return [bytes(row).split(b"\0")[0].decode("utf-8", "replace") for row in rows]
