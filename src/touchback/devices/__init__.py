"""Sensors, actuators and lines, as `tb.devices`: real and simulated behind one interface, and what
stands between them and a live run. MIDI ports, the serial line, steering wheels, data acquisition
boards and GPS have packages of their own: `tb.devices.midi`, `tb.devices.serial_line`,
`tb.devices.evdev`, `tb.devices.daq`, `tb.devices.gps`."""

from touchback.devices import by_wire as by_wire
from touchback.devices import daq as daq
from touchback.devices import evdev as evdev
from touchback.devices import gps as gps
from touchback.devices import midi as midi
from touchback.devices import serial_line as serial_line
from touchback.devices.midi import MidiPort
from touchback.devices.motors import LinearMotor, Motor
from touchback.devices.sensors import (
    Coil,
    Converter,
    Encoder,
    HallPair,
    HallSensor,
    Imu,
    LoadCell,
    Noise,
    Potentiometer,
    Tachometer,
    Unwrap,
    calibrate_coil,
    calibrate_hall_pair,
    calibrate_load_cell,
)
from touchback.devices.serial_line import SerialDevice
from touchback.realtime import GuardedOutput, WatchedInput

__all__ = [
    "Coil", "Converter", "Encoder", "GuardedOutput", "HallPair", "HallSensor", "Imu", "LinearMotor",
    "LoadCell", "MidiPort", "Motor", "Noise", "Potentiometer", "SerialDevice", "Tachometer",
    "Unwrap", "WatchedInput", "calibrate_coil", "calibrate_hall_pair", "calibrate_load_cell",
]  # fmt: skip
