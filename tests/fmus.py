"""Mechanisms written as FMUs, and calls of these through FMPy, the same for both versions of the
interface."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave

import touchback as tb

KINDS = {(2, "me"): FMU2Model, (2, "cs"): FMU2Slave, (3, "me"): FMU3Model, (3, "cs"): FMU3Slave}
DOUBLES = ctypes.POINTER(ctypes.c_double)


class Unit:
    """An instance, by names."""

    def __init__(self, path: Path, version: int, kind: str, folder: str) -> None:
        self.about = fmpy.read_model_description(str(path))
        token = self.about.guid if version == 2 else self.about.instantiationToken
        self.fmu = KINDS[version, kind](
            guid=token, unzipDirectory=folder, instanceName="it",
            modelIdentifier=self.about.coSimulation.modelIdentifier,
        )  # fmt: skip
        self.version, self.kind = version, kind
        self.variables = {each.name: each for each in self.about.modelVariables}
        self.states = [each.variable.derivative.name for each in self.about.derivatives]
        self.rates = [each.variable.name for each in self.about.derivatives]
        self.fmu.instantiate()

    def begin(self, start: float = 0.0, **values: float) -> None:
        """Initialised, with some values set."""
        if self.version == 2:
            self.fmu.setupExperiment(startTime=start)
        self.set(values)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        if self.kind == "me":
            self.update()
            self.fmu.enterContinuousTimeMode()

    def update(self) -> tuple[object, ...]:
        update = self.fmu.newDiscreteStates if self.version == 2 else self.fmu.updateDiscreteStates
        return tuple(update())

    def references(self, names: Sequence[str]) -> list[int]:
        return [self.variables[name].valueReference for name in names]

    def get(self, *names: str) -> np.ndarray:
        call = self.fmu.getReal if self.version == 2 else self.fmu.getFloat64
        return np.array(call(self.references(names)))

    def set(self, values: dict[str, float]) -> None:
        call = self.fmu.setReal if self.version == 2 else self.fmu.setFloat64
        if values:
            call(self.references(list(values)), list(values.values()))

    def set_states(self, x: np.ndarray) -> None:
        numbers = np.ascontiguousarray(x)
        self.fmu.setContinuousStates(numbers.ctypes.data_as(DOUBLES), len(numbers))

    def slopes(self, unknowns: Sequence[str], known: str) -> np.ndarray:
        found = self.fmu.getDirectionalDerivative(
            self.references(unknowns), self.references([known]), [1.0]
        )
        return np.array(found)

    def step(self, t: float, h: float) -> None:
        self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)


@contextmanager
def units(path: Path, version: int, kind: str, count: int = 1) -> Iterator[list[Unit]]:
    """So many instances of one FMU, in this process."""
    folder = fmpy.extract(str(path))
    made: list[Unit] = []
    try:
        made += [Unit(path, version, kind, folder) for _ in range(count)]
        yield made
    finally:
        for each in made:
            each.fmu.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Written:
    """A system, and the file that it was written to."""

    system: tb.System
    path: Path
    version: int


def arm_on_a_cart() -> tb.Model:
    """A tree: a cart on a spring, an arm on it, a top on a ball joint (a quaternion), a felt."""
    m = tb.Model("arm on a cart")
    length = m.parameter("arm length", 0.4, unit="m", min=0.1, max=1.0)
    cart = m.body("cart", mass=1.0)
    arm = m.body("arm", mass=0.5, com=(0, 0, -length), inertia=(1e-3, 2e-3, 1e-3))
    top = m.body("top", mass=0.3, com=(0.02, 0.01, 0.05), inertia=(1e-3, 2e-3, 1.5e-3))
    m.joint("cart", tb.Prismatic("x"), m.ground, cart)
    m.joint("arm", tb.Revolute("y"), cart, arm, position=0.7)
    m.joint("top", tb.Spherical(), arm.at(0, 0, -length), top)
    m.force("push", tb.JointEffort("cart", m.input("push", unit="N", min=-50, max=50)))
    spring = tb.SpringDamper(m.ground.at(-1, 0, 0), cart, stiffness=30, damping=1, length=0.5)
    m.force("spring", spring)
    felt = tb.contact.Felt(4e5, exponent=2.2, memory=0.3, memory_time=5e-3)
    bob, floor = (
        tb.contact.Circle(arm.at(0, 0, -length), 0.02),
        tb.contact.Line(m.ground.at(0, 0, -0.4)),
    )
    m.force("pad", tb.contact.ProfileContact(bob, floor, felt))
    m.sensor("bob", tb.Position(arm.at(0, 0, -length)))
    m.sensor("bob acceleration", tb.Acceleration(arm))
    return m


def double_crank() -> tb.Model:
    """Four bars whose cranks swing far, so that now these, now those coordinates depend on others;
    a felt floor for one of them, and a table that follows a drive and pulls at the other."""
    m = tb.Model("double crank")
    apart = m.parameter("pivots apart", 0.1, unit="m", min=0.05, max=0.2)
    bars = {}
    for name, length in (("first", 0.3), ("coupler", 0.25), ("second", 0.28)):
        moment = 4.0 * length**3 / 12
        bars[name] = m.body(name, 4.0 * length, (length / 2, 0, 0), (1e-5, moment, moment))
    first, coupler, second = bars.values()
    table = m.body("table", 0.5)
    m.joint("first", tb.Revolute("-y"), m.ground, first, position=0.5, velocity=8.0)
    m.joint("coupler", tb.Revolute("-y"), first.at(0.3, 0, 0), coupler, position=0.7)
    m.joint("second", tb.Revolute("-y"), m.ground.at(apart, 0, 0), second, position=1.6)
    m.joint("table", tb.Prismatic("x"), m.ground, table)
    m.close("pin", tb.PointInPlane("xz"), coupler.at(0.25, 0, 0), second.at(0.28, 0, 0))
    m.drive("table", tb.Sine(amplitude=0.01, frequency=2.0))
    m.force("motor", tb.JointEffort("first", m.input("torque", unit="N m")))
    spring = tb.SpringDamper(table, first.at(0.3, 0, 0), stiffness=20, damping=0.2, length=0.3)
    m.force("spring", spring)
    felt = tb.contact.Felt(4e5, exponent=2.2, memory=0.3, memory_time=5e-3)
    end, floor = (
        tb.contact.Circle(second.at(0.28, 0, 0), 0.02),
        tb.contact.Line(m.ground.at(0, 0, -0.25)),
    )
    m.force("pad", tb.contact.ProfileContact(end, floor, felt))
    m.sensor("end", tb.Position(second.at(0.28, 0, 0)))
    m.sensor("coupler acceleration", tb.Acceleration(coupler))
    return m


def mass_on_a_spring() -> tb.Model:
    """What others may call a load: 1 kg on 100 N/m."""
    m = tb.Model("mass", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("mass", 1.0))
    force = m.input("force", unit="N")
    m.force("spring", tb.JointEffort("x", force - 100.0 * m.coordinate("x")))
    m.sensor("place", tb.Signal(m.coordinate("x"), "m"))
    return m


MAKERS: dict[str, Callable[[], tb.Model]] = {
    "tree": arm_on_a_cart,
    "loop": double_crank,
    "mass": mass_on_a_spring,
}
