"""Sensors, actuators and lines, as `tb.devices`: real and simulated behind one interface, and what
stands between them and a live run. MIDI ports, the serial line, steering wheels, data acquisition
boards and GPS have packages of their own: `tb.devices.midi`, `tb.devices.serial_line`,
`tb.devices.evdev`, `tb.devices.daq`, `tb.devices.gps`."""

from touchback.devices import (
    by_wire as by_wire,
    daq as daq,
    evdev as evdev,
    gps as gps,
    midi as midi,
    sensors as sensors,
    serial_line as serial_line,
)
from touchback.devices.by_wire import (
    BrakeServo as BrakeServo,
    RoadWheelMotor as RoadWheelMotor,
    SteeringWheelMotor as SteeringWheelMotor,
    ThrottleStepper as ThrottleStepper,
)
from touchback.devices.device_registry import open_device
from touchback.devices.evdev.force_wheel import (
    PLACES as PLACES,
    ForceWheel as ForceWheel,
    WheelScale as WheelScale,
    calibrate as calibrate,
    find_wheels as find_wheels,
    open_wheel as open_wheel,
)
from touchback.devices.gps.geodesy import Site as Site
from touchback.devices.gps.gps_receiver import Receiver as Receiver
from touchback.devices.gps.urban_canyon import Building as Building
from touchback.devices.midi import MidiPort
from touchback.devices.midi.midi_messages import (
    Control as Control,
    Message as Message,
    NoteOff as NoteOff,
    NoteOn as NoteOn,
    data_length as data_length,
    decode as decode,
    encode as encode,
    speed_of as speed_of,
    velocity_of as velocity_of,
)
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
    noise as noise,
)
from touchback.devices.serial_line import SerialDevice
from touchback.devices.serial_line.axis_identification import (
    IdentifiedAxis as IdentifiedAxis,
    identify as identify,
)
from touchback.devices.serial_line.serial_device import BAUD as BAUD
from touchback.realtime import GuardedOutput, WatchedInput

__all__ = [
    "Coil", "Converter", "Encoder", "GuardedOutput", "HallPair", "HallSensor", "Imu", "LinearMotor",
    "LoadCell", "MidiPort", "Motor", "Noise", "Potentiometer", "SerialDevice", "Tachometer",
    "Unwrap", "WatchedInput", "calibrate_coil", "calibrate_hall_pair", "calibrate_load_cell",
    "open_device",
]  # fmt: skip
