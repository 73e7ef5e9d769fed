"""An engine and a gearbox on the driven wheels of a model."""

from dataclasses import dataclass

from touchback.errors import ModelError
from touchback.model.forces import JointEffort
from touchback.model.model import Model
from touchback.symbolic.expression import Expr
from touchback.vehicle.driveline.engine import RPM, Engine
from touchback.vehicle.driveline.gearbox import Gearbox


@dataclass(frozen=True)
class Driveline:
    """What a driveline tells: speed of the engine n [rpm], gear, and torque on all driven wheels
    [N m]."""

    speed: Expr
    gear: Expr | float
    torque: Expr


def add_driveline(
    model: Model,
    wheels: tuple[str, ...],
    throttle: Expr,
    engine: Engine | None = None,
    gearbox: Gearbox | None = None,
    gear: int | None = None,
    name: str = "driveline",
    clutch: Expr | float = 0.0,
) -> Driveline:
    """Drive the joints of these wheels, which turn forward about their coordinate, with a throttle
    from 0 to 1. An open differential: n is that of the wheels' mean speed (4.9–4.10), and each gets
    the same share of the torque T τ (4.14). With a `gear` it stays engaged; otherwise a memory
    "`name` gear" shifts at ticks, as the gearbox's map says. A `clutch` that is pressed, 0 to 1,
    takes this share of the torque away."""
    motor, box = engine or Engine(), gearbox or Gearbox()
    if not wheels:
        raise ModelError(f"Driveline '{name}': it drives no wheel; name their joints.")
    if gear is not None and not 1 <= gear <= len(box.ratios):
        raise ModelError(
            f"Driveline '{name}': it has no gear {gear}; its gears are 1 to {len(box.ratios)}."
        )
    mean = sum((model.rate(wheel) for wheel in wheels[1:]), model.rate(wheels[0])) / len(wheels)
    engaged: Expr | float
    if gear is None:
        engaged = model.memory(f"{name} gear", 1.0)
        n = mean * box.ratio(engaged) * RPM
        model.set_update(f"{name} gear", box.shifted(engaged, n, throttle))
    else:
        engaged = float(gear)
        n = mean * (box.ratio(engaged) * RPM)
    torque = motor.torque(n, throttle) * box.ratio(engaged) * (1.0 - clutch)
    for wheel in wheels:
        model.force(f"{name} {wheel}", JointEffort(wheel, torque / len(wheels)))
    return Driveline(n, engaged, torque)
