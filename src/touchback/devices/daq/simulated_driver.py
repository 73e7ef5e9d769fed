"""Somebody who drives, as a car takes it from Gallo's board: a process of its own that samples
pedals and wheel, and the conditioning of its blocks."""

from __future__ import annotations

from contextlib import ExitStack

from touchback.devices.daq.board import Script, SimulatedBoard
from touchback.devices.daq.board_device import BoardDevice
from touchback.devices.daq.conditioning import Conditioning
from touchback.devices.daq.driver import Daq
from touchback.devices.daq.layout import GALLO
from touchback.devices.sensors import Encoder
from touchback.errors import InputError
from touchback.estimate import SmoothDifferentiator
from touchback.model.constraint_kinds import Ramp, Sine, SmoothStep

SIMULATED = "simulated"
ENCODER = Encoder(500)  # of the steering wheel: 2000 counts a turn
_LENGTH = 20  # blocks of 1 ms: as late as his N = 4 at 5 ms
#: An hour of swaying to and fro by 45°, with a quarter of the throttle.
SWAYING = Script(
    duration=3600.0,
    signals={
        "brake": Ramp(0.0),
        "throttle": SmoothStep(0.0, 105.0, 0.2, 1.5),
        "steering": Sine(250.0, 0.2),
    },
)


def driver_conditioning(length: int = _LENGTH) -> Conditioning:
    """What a car takes of Gallo's blocks: "throttle" and "brake" as counts, "steering angle" [rad]
    predicted to now, and "steering rate" and "steering acceleration" by the smooth differentiator
    of so many blocks, once and after itself, as he does it (2012, 4.2.2)."""
    c = Conditioning(GALLO)
    d = SmoothDifferentiator(GALLO.period, length)
    angle = ENCODER.quantity(c["steering"])
    rate = c.filtered(d, angle)
    c.give("steering angle", c.now(angle, rate, of="steering"), of="steering")
    c.give("steering rate", rate, of="steering", delay=d.delay)
    c.give("steering acceleration", c.filtered(d, rate), of="steering", delay=2.0 * d.delay)
    return c


class SimulatedDriver(BoardDevice):
    """A device that serves the inputs of a car, by the names of `driver_conditioning`, from a
    simulated board. The board starts with the first of them."""

    def __init__(self, script: Script = SWAYING) -> None:
        super().__init__()
        self.script = script

    def start(self, closing: ExitStack) -> Daq:
        board = closing.enter_context(SimulatedBoard(self.script))
        return closing.enter_context(Daq(board, driver_conditioning()))


def open_board(place: str) -> SimulatedDriver:
    """The device "board:simulated"."""
    if place != SIMULATED:
        raise InputError(
            f"A board is 'board:{SIMULATED}', got 'board:{place}'; 'file:…' plays a file, others "
            "are made by a program: see `touchback.devices.daq`."
        )
    return SimulatedDriver()
