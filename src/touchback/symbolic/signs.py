"""Signs that are open: each is a sum, modulo 2, of unknowns and a known bit, and equations between
them are met one after the other."""

from dataclasses import dataclass, field

Sign = tuple[int, int]  # unknowns as bits of a number, and the known bit
PLUS: Sign = (0, 0)


class Contradiction(ValueError):
    """No choice of signs meets the equations."""


def times(*signs: Sign) -> Sign:
    """The sign of a product."""
    unknowns = known = 0
    for each in signs:
        unknowns, known = unknowns ^ each[0], known ^ each[1]
    return unknowns, known


@dataclass
class Signs:
    """Unknowns, and equations: rows whose newest unknowns differ."""

    count: int = 0
    rows: dict[int, Sign] = field(default_factory=dict)  # by their newest unknown

    def unknown(self) -> Sign:
        """One more."""
        self.count += 1
        return 1 << (self.count - 1), 0

    def require(self, sign: Sign) -> None:
        """That it be plus."""
        unknowns, known = self._reduced(sign)
        if unknowns:
            self.rows[unknowns.bit_length() - 1] = unknowns, known
        elif known:
            raise Contradiction

    def _reduced(self, sign: Sign) -> Sign:
        unknowns, known = sign
        left = unknowns
        while left:
            top = left.bit_length() - 1
            if top in self.rows:
                unknowns, known = unknowns ^ self.rows[top][0], known ^ self.rows[top][1]
                left = unknowns & ((1 << top) - 1)
            else:
                left &= (1 << top) - 1
        return unknowns, known

    def is_minus(self, sign: Sign) -> bool:
        """Of a choice that meets all equations; unknowns that are free are plus."""
        return bool(self._reduced(sign)[1])
