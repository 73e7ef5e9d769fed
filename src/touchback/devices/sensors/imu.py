"""The inertial measurement unit: accelerometers and gyroscopes on one chip."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.estimate.checks import check_finite
from touchback.model import Model
from touchback.model.frame import Place, as_frame
from touchback.model.sensors import Acceleration, AngularVelocity, Direction
from touchback.model.value import Value, listed
from touchback.numbers import positive_number
from touchback.symbolic.functions import maximum, minimum

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Imu:
    """Three accelerometers, which feel acceleration less gravity, and three gyroscopes, along the
    axes of the chip: each with a `bias` and clipped at a `range`. Units m/s² and rad/s."""

    acceleration_bias: Triple = (0.0, 0.0, 0.0)
    rate_bias: Triple = (0.0, 0.0, 0.0)
    acceleration_range: float = 16.0 * 9.81
    rate_range: float = 34.9  # 2000 °/s

    def __post_init__(self) -> None:
        for name in ("acceleration_bias", "rate_bias"):
            given = getattr(self, name)
            bias = listed(given)
            if bias is None or len(bias) != 3:
                raise InputError(f"Imu: its {name} is {given!r}; give one for each of three axes.")
            check_finite("Imu", **{f"{name}[{axis}]": x for axis, x in enumerate(bias)})
        positive_number("Imu: its acceleration_range [m/s²]", self.acceleration_range)
        positive_number("Imu: its rate_range [rad/s]", self.rate_range)

    def reading(
        self, acceleration: Sequence[Value], gravity: Sequence[Value], rate: Sequence[Value]
    ) -> tuple[list[Value], list[Value]]:
        """What is felt, all along the chip's axes: its acceleration, gravity (the vector pointing
        down) and its angular velocity."""
        felt = [a - g for a, g in zip(acceleration, gravity, strict=True)]
        return (
            self._clipped(felt, self.acceleration_bias, self.acceleration_range),
            self._clipped(list(rate), self.rate_bias, self.rate_range),
        )

    def add(self, model: Model, name: str, frame: Place) -> tuple[list[Value], list[Value]]:
        """Put it on a frame of a model, along the frame's axes: what it feels at each instant, to
        be sampled by memories."""
        frame = as_frame(f"Imu '{name}'", frame)
        axes = [model.sensor(f"{name} {axis}", Direction(frame, axis)) for axis in "xyz"]

        def along(vector: Sequence[Value]) -> list[Value]:
            return [sum(a * b for a, b in zip(axis, vector, strict=True)) for axis in axes]

        acceleration = model.sensor(f"{name} acceleration", Acceleration(frame))
        rate = model.sensor(f"{name} rate", AngularVelocity(frame))
        return self.reading(along(acceleration), along(model.gravity), along(rate))

    @staticmethod
    def _clipped(values: Sequence[Value], bias: Triple, limit: float) -> list[Value]:
        return [
            minimum(maximum(value + offset, -limit), limit)
            for value, offset in zip(values, bias, strict=True)
        ]
