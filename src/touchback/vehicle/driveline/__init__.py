"""From the throttle and the brake line to the wheels."""

from touchback.vehicle.driveline.brake import BAR, DiscBrake, line_pressure
from touchback.vehicle.driveline.drive import Driveline, add_driveline
from touchback.vehicle.driveline.engine import RPM, Engine
from touchback.vehicle.driveline.gearbox import Gearbox

__all__ = [
    "BAR",
    "RPM",
    "DiscBrake",
    "Driveline",
    "Engine",
    "Gearbox",
    "add_driveline",
    "line_pressure",
]
