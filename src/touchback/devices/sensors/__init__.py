"""Sensors: from what they feel to the number that a computer gets, and back.

Each is written over any scalar: the same lines turn recorded readings into quantities, simulate the
sensor sample by sample, and stand in a model that runs against a clock."""

from touchback.devices.sensors.coil import Coil, calibrate_coil
from touchback.devices.sensors.encoder import Encoder, Unwrap
from touchback.devices.sensors.hall_pair import HallPair, HallSensor, calibrate_hall_pair
from touchback.devices.sensors.imu import Imu
from touchback.devices.sensors.load_cell import LoadCell, calibrate_load_cell
from touchback.devices.sensors.potentiometer import Potentiometer
from touchback.devices.sensors.tachometer import Tachometer

__all__ = [
    "Coil",
    "Encoder",
    "HallPair",
    "HallSensor",
    "Imu",
    "LoadCell",
    "Potentiometer",
    "Tachometer",
    "Unwrap",
    "calibrate_coil",
    "calibrate_hall_pair",
    "calibrate_load_cell",
]
