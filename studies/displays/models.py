"""The same displays as they are built: models with a device, the simulated finger and a display."""

from collections.abc import Callable

import numpy as np

import touchback as tb
from studies.displays.loops import Servo
from touchback.haptics.displays import (
    AdmittanceDisplay,
    ImpedanceControl,
    ImpedanceDisplay,
    MeasuredImpedance,
)
from touchback.haptics.human_operator import Gesture, Operator, intention
from touchback.haptics.wall.wall_plant import Device
from touchback.model import Model
from touchback.model.value_or_expression import Value
from touchback.recording import Run
from touchback.system import System

_SUBSTEPS = 8  # of a tick
_DEPTH = 0.02  # to which the finger wants to press [m]: 4 to 5 N on a stiff wall
_REACH = 0.1  # of a table [m]


def _device(device: Device) -> Model:
    """A handle along x, and a finger that presses it along −x."""
    m = Model("device", gravity=(0, 0, 0))
    handle = m.body("handle", mass=device.mass)
    m.joint("handle", tb.Prismatic("x"), m.ground, handle, damping=device.damping)
    Operator().add(m, "finger", handle, height=0.0, along=(-1.0, 0.0, 0.0))
    return m


def _driven(m: Model, command: Value) -> System:
    m.force("motor", tb.JointEffort("handle", command))
    return m.compile()


def spring(device: Device, stiffness: float) -> System:
    """Impedance control: a spring [N/m] about the origin."""
    m = _device(device)
    control = ImpedanceControl(stiffness)
    return _driven(m, control.add(m, "display", m.coordinate("handle"), m.rate("handle")))


def table(device: Device, slope: float) -> System:
    """A measured table: nothing outside, a slope [N/m] inwards."""
    m = _device(device)
    forces = tuple(each for x in (-_REACH, 0.0, _REACH) for each in (min(x, 0.0) * slope,) * 2)
    measured = MeasuredImpedance(
        (-_REACH, 0.0, _REACH), (-1.0, 1.0), forces, (0.0, 0.0, 0.0), residual=0.0, filled=0
    )
    return _driven(m, measured.add(m, "display", m.coordinate("handle"), m.rate("handle")))


def impedance(device: Device, stiffness: float, damping: float, virtual: float) -> System:
    """An impedance display of a mass [kg] behind a coupling [N/m, N s/m]."""
    m = _device(device)
    m.joint("virtual", tb.Prismatic("x"), m.ground, m.body("virtual", mass=virtual))
    display = ImpedanceDisplay(stiffness, damping)
    where = m.coordinate("handle"), m.rate("handle")
    return _driven(m, display.add(m, "display", *where, "virtual"))


def admittance(device: Device, servo: Servo, virtual: float, period: float) -> System:
    """An admittance display of a mass [kg], told the force between finger and device."""
    m = _device(device)
    m.joint("virtual", tb.Prismatic("x"), m.ground, m.body("virtual", mass=virtual))
    display = AdmittanceDisplay(servo.proportional, servo.derivative)
    where = m.coordinate("handle"), m.rate("handle")
    felt = -m.signal("finger force")
    return _driven(m, display.add(m, "display", felt, *where, "virtual", period))


def tick_radius(system: System, rate: float) -> float:
    """The spectral radius of a tick of a model whose finger grips, column by column. The memory of
    a servo's integral is left out: without its gain nothing depends on it."""
    columns = []
    names = [name for name in system.state_names if not name.endswith(".integral")]
    for name in names:
        start = np.array([float(each == name) for each in system.state_names])
        run = tb.simulate(
            system, start, 1.0 / rate, rate=rate, step=1.0 / rate / _SUBSTEPS, method="rk4",
            parameters={"finger grip": 1.0}, progress=False,
        )  # fmt: skip
        columns.append([run[each][-1] for each in names])
    return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max())


def pressed(system: System, rate: float, hold: float = 0.3) -> Run:
    """The finger presses, stays and leaves."""
    gesture = Gesture(0.02, _DEPTH, press=0.05, stay=hold, leave=0.08)
    duration = 0.02 + 0.05 + hold + 0.08 + 0.15
    times = np.arange(0.0, duration, 1e-3)
    depth, speed = intention([gesture], times)
    return tb.simulate(
        system, duration=duration, rate=rate, step=1.0 / rate / _SUBSTEPS, method="rk4",
        output_step=1.0 / rate / _SUBSTEPS, progress=False,
        inputs={"finger intention": (times, depth), "finger intention rate": (times, speed)},
    )  # fmt: skip


def gives_nothing(run: Run) -> bool:
    """Whether the finger's work on the device was never negative: by the trapezoidal rule, which
    errs by a thousandth of what passes."""
    force, depth = run["finger force"], -run["handle"]
    work = np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(depth))
    return bool(np.isfinite(work).all() and work.min() > -1e-3 * np.abs(work).max())


def stiffest_passive(make: Callable[[float], System], rate: float, first: float) -> float:
    """The stiffness [N/m] up to which no press got energy out: in steps of a tenth from the first,
    then of a fiftieth."""
    good = 0.0
    for share in (1.1, 1.02):
        tried = good * share or first
        while gives_nothing(pressed(make(tried), rate)):
            good, tried = tried, share * tried
    return good
