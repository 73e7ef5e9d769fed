"""The gearbox of Gallo's buggy (2012, table 3.1), and a map by which it shifts."""

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select
from touchback.vehicle.part import FromZero, Part, Positive


class Gearbox(Part, frozen=True):
    """Gears and a differential, without losses (4.7–4.8), and the map by which an automatic one
    shifts. Numbers of the buggy's three gears (table 3.1).

    Gallo leaves shifting out and stays in the second gear; this map is ours: up above
    `up` = (n at no throttle, n at full throttle), down below `down`, linear between them [rpm]."""

    ratios: tuple[Positive, ...] = (2.475, 1.475, 1.0)
    differential: Positive = 3.673
    up: tuple[FromZero, FromZero] = (2500.0, 5000.0)
    down: tuple[FromZero, FromZero] = (1200.0, 2500.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.ratios:
            raise self.wrong("ratios", "it has no gear; give at least one ratio.")
        for low, high in zip(self.ratios[1:], self.ratios, strict=False):
            for throttle, up, down in zip(("no", "full"), self.up, self.down, strict=True):
                if not up * low / high > down:
                    raise self.wrong(
                        "up",
                        f"at {throttle} throttle it shifts up at {up:g} rpm, which the next gear "
                        f"makes {up * low / high:g}, and down below {down:g}: it would hunt. "
                        "Raise `up`, or lower `down`.",
                    )

    def ratio(self, gear: Scalar) -> Scalar:
        """τ = ρ_gb ρ_d of a gear, from 1 (4.8)."""
        found: Scalar = self.ratios[-1]
        for i in range(len(self.ratios) - 1, 0, -1):
            found = select(gear < i + 0.5, self.ratios[i - 1], found)
        return found * self.differential

    def shifted(self, gear: Scalar, n: Scalar, throttle: Scalar) -> Scalar:
        """The gear after this one, at n [rpm] and a throttle from 0 to 1: one up, one down, or the
        same."""
        f = minimum(maximum(throttle, 0.0), 1.0)
        up = self.up[0] + (self.up[1] - self.up[0]) * f
        down = self.down[0] + (self.down[1] - self.down[0]) * f
        higher = minimum(gear + 1.0, float(len(self.ratios)))
        lower = maximum(gear - 1.0, 1.0)
        return select(n > up, higher, select(n < down, lower, gear))
