"""A spring in series with a damper: a force with a state of its own."""

from touchback.model import (
    ForceKind,
    Forces,
    FrameField,
    InternalState,
    Mechanics,
    Value,
    line_between,
    pull_together,
)
from touchback.numbers import Scalar


class MaxwellElement(ForceKind, frozen=True, tag="maxwell-element"):
    """Tension k (l − l₀ − x) [N] between the origins of `a` and `b`, where the damper's stretch x
    follows c ẋ = k (l − l₀ − x): a pull that is held dies away with the time c/k."""

    a: FrameField
    b: FrameField
    stiffness: Value
    damping: Value
    length: Value = 0.0

    def states(self) -> dict[str, InternalState]:
        return {"damper": InternalState(0.0, self._damper_rate, "m")}

    def apply(self, mechanics: Forces) -> None:
        tension, direction = self._tension(mechanics)
        pull_together(mechanics, self.a, self.b, tension, direction)

    def _tension(self, mechanics: Mechanics) -> tuple[Scalar, list[Scalar]]:
        k, value = mechanics.k, mechanics.value
        distance, _, direction = line_between(mechanics, self.a, self.b)
        damper = mechanics.state(self, "damper")
        stretch = k.sub(k.sub(distance, value(self.length)), damper)
        return k.mul(value(self.stiffness), stretch), list(direction)

    def _damper_rate(self, mechanics: Mechanics) -> Scalar:
        tension, _ = self._tension(mechanics)
        return mechanics.k.div(tension, mechanics.value(self.damping))
