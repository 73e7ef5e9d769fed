"""Arms at a steering wheel: inertia, muscles, and a reflex that comes late."""

from dataclasses import dataclass

from touchback.errors import InputError
from touchback.estimate.checks import check_finite
from touchback.haptics.displays.sampling import hold
from touchback.model import Model
from touchback.model.value import Value


@dataclass(frozen=True)
class Arms:
    """Both arms of a driver, as they act on the rim that they grip:

        T = k (θ_w − θ) − b θ̇ + k_r (θ_w − θ)(t − τ)

    with the angle θ_w that he wants, `stiffness` k and `damping` b of tensed muscles [N m/rad,
    N m s/rad], and a stretch reflex of the gain `reflex` k_r [N m/rad] after `delay` τ [s]; their
    `inertia` [kg m²] turns with the rim. He wants an angle and doesn't know what it will take: a
    heavier wheel is turned less. The numbers are ours, of no measured driver."""

    inertia: float = 0.09
    stiffness: float = 40.0
    damping: float = 1.5
    reflex: float = 20.0
    delay: float = 0.045

    def __post_init__(self) -> None:
        check_finite("Arms", **vars(self))
        if min(vars(self).values()) < 0.0 or not self.stiffness > 0.0:
            raise InputError(
                f"Arms: {vars(self)}; none of them can be below zero, and the stiffness not zero."
            )

    def torque(self, model: Model, wanted: Value, angle: Value, rate: Value, tick: float) -> Value:
        """On the rim [N m], in a model that ticks every `tick` seconds."""
        off = wanted - angle
        late = max(round(self.delay / tick) - 1, 0)  # a hold is a tick late already
        reflex = hold(model, "arms reflex", off * self.reflex, late)
        return off * self.stiffness - rate * self.damping + reflex
