"""What leaves through a port is counted, and an active wall is stopped or damped at the device."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.realtime import open_recording

RATE = 1000.0
T = 1.0 / RATE
STIFFNESS, MASS, SPEED = 800.0, 0.08, 0.4
BROUGHT = 0.5 * MASS * SPEED**2  # J that the hand brings along


def wall_model() -> tb.Model:
    """A virtual wall at x < 0 whose damping may be negative: then it pushes more than it took."""
    m = tb.Model("wall", gravity=(0, 0, 0))
    m.joint("idle", tb.Prismatic("x"), m.ground, m.body("idle", mass=1.0))
    damping = m.parameter("damping", 0.0, unit="N s/m")
    x, v = m.input("position", unit="m"), m.input("velocity", unit="m/s")
    force = tb.select(x < 0.0, -STIFFNESS * x - damping * v, 0.0)
    m.sensor("force", tb.Signal(force, "N"))
    return m


@pytest.fixture(scope="module")
def wall() -> tb.System:
    return wall_model().compile()


@dataclass
class Device:
    """A mass that moves freely but for the force delivered, held between ticks: exact steps. It is
    thrown back to the wall from behind, so that it strikes again and again."""

    x: float = 0.01
    v: float = -SPEED
    given: float = 0.0  # J: work of the force, by its own account
    forces: list[float] = field(default_factory=list)
    energies: list[float] = field(default_factory=list)
    faults: tuple[str, ...] = ()  # of the run in its last tick

    def move(self, force: float) -> None:
        a = force / MASS
        x = self.x + self.v * T + 0.5 * a * T**2
        self.given += force * (x - self.x)
        self.x, self.v = x, self.v + a * T
        if self.x > 0.02 and self.v > 0.0:
            self.v = -self.v  # a spring of its own, not the wall's business
        self.forces.append(force)
        self.energies.append(self.given)


def play(
    wall: tb.System,
    damping: float,
    observer: tb.haptics.EnergyObserver | None,
    ticks: int = 600,
    **more: object,
) -> tuple[Device, tb.Live]:
    device = Device()
    with tb.live(
        wall, rate=RATE, speed=None, parameters={"damping": damping},
        outputs={"force": tb.devices.GuardedOutput(safe=0.0)},
        energy={"wall energy": observer} if observer else None, **more,  # type: ignore[arg-type]
    ) as live:  # fmt: skip
        for _ in range(ticks):
            live["position"], live["velocity"] = device.x, device.v
            live.run(T)
            device.move(live.read("force"))
        live.run(T)
        device.faults = live.faults
    return device, live


def observe(**more: object) -> tb.haptics.EnergyObserver:
    return tb.haptics.EnergyObserver({"force": "position"}, motion="position", **more)  # type: ignore[arg-type]


def test_without_an_observer_an_active_wall_feeds_the_device() -> None:
    device, _ = play(wall_model().compile(), -2.0, None)
    assert device.given > 10 * BROUGHT


@pytest.mark.parametrize("motion", ["position", "velocity"])
def test_the_energy_is_what_the_device_got(wall: tb.System, motion: str) -> None:
    observer = tb.haptics.EnergyObserver({"force": motion}, motion=motion, limit=1e9)  # type: ignore[arg-type]
    device, live = play(wall, -2.0, observer, ticks=100)
    port = live.report().energies["wall energy"]
    # between ticks of a held force the velocity is linear: its mean is exact too
    assert port["energy"] == pytest.approx(device.given, rel=1e-9)
    assert port["largest"] == pytest.approx(max(device.energies), rel=1e-9)
    assert live.read("wall energy") == port["energy"]


@pytest.mark.parametrize("at_limit", ["safe", "damp"])
def test_a_passive_wall_is_left_alone_to_the_bit(wall: tb.System, at_limit: str) -> None:
    more = {"damping": 50.0} if at_limit == "damp" else {}
    # its damping takes more than holding the force between samples gives (Colgate: b > k T / 2)
    device, live = play(wall, 4.0, observe(limit=1e-4, at_limit=at_limit, **more))
    plain, _ = play(wall, 4.0, None)
    assert device.forces == plain.forces
    assert device.faults == () and live.report().energies["wall energy"]["damped"] == 0


def test_at_the_limit_the_device_gets_no_more(wall: tb.System) -> None:
    limit = 0.02
    device, live = play(wall, -2.0, observe(limit=limit))
    assert device.faults == ("not passive",)
    first = device.energies.index(max(device.energies))
    # foreseen with the speed at the tick, which changes by f T / m until the next one
    force = max(map(abs, device.forces))
    assert max(device.energies) <= limit + force * force / MASS * T**2 / 2
    assert all(force == 0.0 for force in device.forces[first + 1 :])
    assert "wall energy" in str(live.report())


def test_resuming_begins_to_count_anew(wall: tb.System) -> None:
    device = Device()
    with tb.live(
        wall, rate=RATE, speed=None, parameters={"damping": -2.0},
        outputs={"force": tb.devices.GuardedOutput(safe=0.0)},
        energy={"wall energy": observe(limit=0.02)},
    ) as live:  # fmt: skip
        trips = 0
        for _ in range(600):
            live["position"], live["velocity"] = device.x, device.v
            live.run(T)
            device.move(live.read("force"))
            if live.faults:
                trips += 1
                live.resume()
    assert trips >= 2
    assert device.given <= (trips + 1) * 0.021


def test_damping_keeps_the_energy_near_its_limit_and_the_wall_there(wall: tb.System) -> None:
    limit = 1e-3
    device, live = play(wall, -2.0, observe(limit=limit, at_limit="damp", damping=40.0))
    port = live.report().energies["wall energy"]
    assert device.faults == ()
    assert max(device.energies) < 2 * limit < 0.4 * BROUGHT
    assert port["damped"] > 5 and port["taken"] > 0.0
    assert max(device.forces[300:]) > 1.0  # it still pushes


def test_beyond_what_damping_may_do_the_port_trips(wall: tb.System) -> None:
    device, _ = play(wall, -20.0, observe(limit=1e-3, at_limit="damp", damping=0.5, trip=0.01))
    assert device.faults == ("not passive",)
    assert device.given < 0.03


def test_energies_are_recorded_and_the_recording_replays(wall: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "wall.mcap"
    device, _ = play(wall, -2.0, observe(limit=0.02), record=path)
    recording = open_recording(path)
    energy, flags = recording.column("wall energy"), recording.column("flags").astype(int)
    assert energy[1:] == pytest.approx(np.array(device.energies), rel=1e-9, abs=1e-15)
    tripped = int(np.flatnonzero(flags & 512)[0])
    assert (recording.column("force")[tripped:] == 0.0).all()
    assert tb.replay(path).same


def test_several_pairs_share_one_energy(wall: tb.System) -> None:
    m = tb.Model("two axes", gravity=(0, 0, 0))
    m.joint("idle", tb.Prismatic("x"), m.ground, m.body("idle", mass=1.0))
    for axis in "xy":
        m.sensor(f"f{axis}", tb.Signal(3.0 * m.input(f"v{axis}"), "N"))
    observer = tb.haptics.EnergyObserver({"fx": "vx", "fy": "vy"}, limit=10.0)
    outputs = {"fx": tb.devices.GuardedOutput(), "fy": tb.devices.GuardedOutput()}
    with tb.live(
        m.compile(), rate=100, speed=None, outputs=outputs, energy={"both": observer}
    ) as live:
        live["vx"], live["vy"] = 2.0, 1.0
        live.run(0.51)
        # 3 (4 + 1) W from the first tick to the last
        assert live.read("both") == pytest.approx(15.0 * 0.50, rel=1e-12)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: tb.haptics.EnergyObserver({}), "needs pairs"),
        (lambda: observe(limit=-1.0), "joules from 0 on"),
        (lambda: observe(at_limit="damp"), "give the most damping"),
        (lambda: observe(damping=1.0), "and only there"),
        (lambda: observe(limit=1.0, trip=0.5), "must not lie below"),
        (lambda: observe(at_limit="never"), "'safe' or 'damp'"),
        (lambda: tb.haptics.EnergyObserver({"f": "x"}, motion="force"), "'velocity' or 'position'"),  # type: ignore[arg-type]
    ],
)
def test_declarations_that_make_no_sense_are_refused(
    make: Callable[[], object], complaint: str
) -> None:
    with pytest.raises(tb.InputError, match=complaint):
        make()


@pytest.mark.parametrize(
    ("pairs", "outputs", "name", "complaint"),
    [
        ({"force": "position"}, {}, "energy", "isn't guarded"),
        ({"forse": "position"}, {}, "energy", "did you mean 'force'"),
        (
            {"force": "positon"},
            {"force": tb.devices.GuardedOutput()},
            "energy",
            "did you mean 'position'",
        ),
        (
            {"force": "position"},
            {"force": tb.devices.GuardedOutput()},
            "force",
            "a signal has that name",
        ),
    ],
)
def test_ports_that_do_not_fit_are_refused(
    wall: tb.System, pairs: dict[str, str], outputs: dict[str, tb.devices.GuardedOutput], name: str,
    complaint: str,
) -> None:  # fmt: skip
    with pytest.raises(tb.InputError, match=complaint):
        tb.live(wall, outputs=outputs, energy={name: tb.haptics.EnergyObserver(pairs)})
