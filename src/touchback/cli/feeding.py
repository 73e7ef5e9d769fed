"""What feeds a live run of the command line: numbers, samples and functions of time, devices."""

from collections.abc import Container, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from touchback.devices.registry import open_device
from touchback.errors import InputError
from touchback.gallery.entry import Experiment
from touchback.numbers import is_real
from touchback.realtime import Live, WatchedInput
from touchback.realtime.device_io import Device, ServingDevice
from touchback.recording import unknown_name
from touchback.simulate.inputs import Inputs
from touchback.system import System


@dataclass(frozen=True)
class Following:
    """An input that follows samples or a function over the model's time."""

    run: Live
    name: str
    given: Inputs

    def read(self) -> float:
        """Its value now."""
        place = 1 + self.run.system.input_names.index(self.name)
        return float(self.given.at(self.run["time"], np.empty(0))[place])


def feed(run: Live, inputs: Mapping[str, object], given: Inputs) -> list[Following]:
    """Sets what is constant and connects the rest; what an unclocked run must be told itself."""
    following = []
    for name, value in inputs.items():
        follower = Following(run, name, given)
        if is_real(value):
            run[name] = value
        elif run.plan.speed is None:
            following.append(follower)
        else:
            run.connect(name, follower)
    return following


def connections(given: list[str] | None, experiment: Experiment) -> list[str]:
    """What `--connect` was given; the experiment's own devices where nothing was."""
    if given is not None:
        return given
    return [f"{port}={device}" for port, device in experiment.devices.items()]


def watched(experiment: Experiment, ports: Container[str]) -> dict[str, WatchedInput]:
    """How the experiment watches those of its inputs that are ports of devices."""
    return {name: each for name, each in experiment.watched.items() if name in ports}


def opened(
    given: list[str], system: System, closing: ExitStack
) -> dict[str, Device | ServingDevice]:
    """Devices by the port that each is for, from texts such as "torque=serial:/dev/ttyACM0";
    one that is named twice is opened once, and closed in the end. None is opened before all ports
    are known to be the system's."""
    wanted = dict[str, str]()
    for text in given:
        port, equals, device = text.partition("=")
        port = port.strip()
        if not equals or not port:
            raise InputError(f"--connect: a port, '=' and a device are expected, got '{text}'.")
        known = [*system.input_names, *system.output_names]
        if port not in known:
            raise unknown_name("port", port, known)
        if port in wanted:
            raise InputError(f"--connect: port '{port}' is given twice; connect one device to it.")
        wanted[port] = device
    ports = dict[str, Device | ServingDevice]()
    devices = dict[str, Device | ServingDevice]()
    for port, device in wanted.items():
        if device not in devices:
            devices[device] = open_device(device)
            closing.callback(getattr(devices[device], "close", lambda: None))
        ports[port] = devices[device]
    return ports
