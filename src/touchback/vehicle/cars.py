"""Cars by name, for commands: a new one is its file and a line here."""

from collections.abc import Callable

from touchback.vehicle.driven_car import DrivenCar
from touchback.vehicle.single_track_car import SingleTrackCar
from touchback.vehicle.whole_car import WholeCar

#: Who makes a car of each name.
CARS: dict[str, Callable[[], DrivenCar]] = {"single-track": SingleTrackCar, "whole": WholeCar}
