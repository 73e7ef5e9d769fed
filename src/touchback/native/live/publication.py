"""The Python face of live/publication.h: what a run publishes, for the thread of a driver."""

import ctypes
from dataclasses import dataclass

from touchback.native.library import address_of
from touchback.native.live.mailbox import Mailbox
from touchback.native.live.memory import Arena


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
