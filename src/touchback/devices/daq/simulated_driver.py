"""Somebody who drives, as a car takes it from Gallo's board: a process of its own that samples
pedals and wheel, and the conditioning of its blocks."""

from __future__ import annotations

from typing import Self

from touchback.devices.daq.board import Script, SimulatedBoard
from touchback.devices.daq.conditioning import Conditioning
from touchback.devices.daq.driver import Daq
from touchback.devices.daq.layout import GALLO
from touchback.devices.sensors import Encoder
from touchback.errors import InputError
from touchback.estimate import SmoothDifferentiator
from touchback.model.motions import Ramp, Sine, SmoothStep
from touchback.realtime.served import ServedPort, Serving

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


class SimulatedDriver:
    """A device that serves the inputs of a car, by the names of `driver_conditioning`, from a
    simulated board. The board starts with the first of them."""

    def __init__(self, script: Script = SWAYING) -> None:
        self.script = script
        self.daq: Daq | None = None

    def serve(self, port: ServedPort) -> Serving:
        """Serves an input of a live run from the board's own thread."""
        if self.daq is None:
            self.daq = Daq(SimulatedBoard(self.script), driver_conditioning())
        return self.daq.serve(port)

    def close(self) -> None:
        """Ends the board and reads no more."""
        if self.daq is not None and isinstance(self.daq.board, SimulatedBoard):
            self.daq.close()
            self.daq.board.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_board(place: str) -> SimulatedDriver:
    """The device "board:simulated"."""
    if place != SIMULATED:
        raise InputError(
            f"A board is 'board:{SIMULATED}', got 'board:{place}'; others are made by a program: "
            "see `touchback.devices.daq`."
        )
    return SimulatedDriver()
