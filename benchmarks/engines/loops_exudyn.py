"""Exudyn on loops: planar rigid bodies in absolute coordinates, every joint a constraint.

Its generalised-α rule in index 3 (spectral radius 0.9, modified Newton), files and printing off.
"""

from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.engines.build import Unavailable
from benchmarks.engines.loop_engine import Quality
from benchmarks.planar_loops import GROUND, PlanarLoops
from benchmarks.timing import Floats


class Exudyn:
    """A system that is solved anew from its start for every measurement."""

    def __init__(
        self, mechanism: PlanarLoops, system: Any, state: tuple[Floats, Floats], step: float
    ) -> None:
        try:
            import exudyn
        except ImportError:
            raise Unavailable("the package exudyn is not installed (pip install exudyn)") from None
        self.name, self.note = "Exudyn generalised-α", "absolute coordinates, sparse solver, in C++"
        self.exudyn, self.mechanism, self.step = exudyn, mechanism, step
        self.places = absolute(mechanism, *state)
        self.container = exudyn.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.nodes, self.sensors = _build(self.mbs, mechanism, *self.places)

    def _solve(self, steps: int, every: int = 0) -> float:
        settings: Any = self.exudyn.SimulationSettings()
        integration, solution = settings.timeIntegration, settings.solutionSettings
        integration.numberOfSteps, integration.endTime = steps, steps * self.step
        integration.verboseMode = 0
        integration.newton.useModifiedNewton = True
        settings.linearSolverType = (
            self.exudyn.LinearSolverType.EigenSparse
            if len(self.mechanism.links) > 10
            else self.exudyn.LinearSolverType.EXUdense
        )
        solution.writeSolutionToFile = False
        solution.sensorsWritePeriod = max(every, 1) * self.step if every else 1e9
        kind = self.exudyn.DynamicSolverType.GeneralizedAlpha
        start = perf_counter()
        try:
            self.mbs.SolveDynamic(settings, solverType=kind)
        except self.exudyn.SolverError:  # at the singular positions of four-bars
            raise Unavailable(f"its solver gives up within {steps} steps") from None
        return perf_counter() - start

    def seconds(self, steps: int) -> float:
        few = max(steps // 10, 1)
        return max(self._solve(steps + few) - self._solve(few), 0.0) / steps  # less the start

    def quality(self, steps: int, every: int) -> Quality:
        self._solve(steps, every)
        stored = [
            [np.array(self.mbs.GetSensorStoredData(sensor))[:, 1:4] for sensor in pair]
            for pair in self.sensors
        ]
        places, rates = (np.array([pair[i] for pair in stored]) for i in range(2))
        places = places + self.places[0][:, None, :]  # coordinates are displacements
        return _judge(self.mechanism, places, rates)


def absolute(mechanism: PlanarLoops, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """x, y, angle of every centre of mass, and their rates."""
    frames: list[tuple[Floats, Floats]] = []  # of the joints: x, y, angle and rates
    places, rates = [], []
    for i, link in enumerate(mechanism.links):
        base = (np.zeros(3), np.zeros(3)) if link.parent == GROUND else frames[link.parent]
        place, rate = point(*base, link.at)
        if link.slide:
            along, _ = point(np.array([0, 0, place[2]]), np.zeros(3), (1.0, 0.0))
            place, rate = place + q[i] * along * [1, 1, 0], rate + v[i] * along * [1, 1, 0]
        else:
            place, rate = place + [0, 0, q[i]], rate + [0, 0, v[i]]
        frames.append((place, rate))
        centre, speed = point(place, rate, link.com)
        places.append(centre)
        rates.append(speed)
    return np.array(places), np.array(rates)


def point(place: Floats, rate: Floats, at: tuple[float, float]) -> tuple[Floats, Floats]:
    """A point of a body with its own axes; arrays of states in the first dimension are welcome."""
    c, s = np.cos(place[..., 2]), np.sin(place[..., 2])
    x, y = c * at[0] - s * at[1], s * at[0] + c * at[1]
    zero = np.zeros_like(x)
    turn = rate[..., 2]
    return place + np.stack([x, y, zero], -1), rate + np.stack([-turn * y, turn * x, zero], -1)


def _build(
    mbs: Any, mechanism: PlanarLoops, places: Floats, rates: Floats
) -> tuple[list[int], list[tuple[int, int]]]:
    import exudyn
    from exudyn import itemInterface as item

    ground = mbs.AddObject(item.ObjectGround())
    bodies, nodes, sensors = [], [], []
    for link, place, rate in zip(mechanism.links, places, rates, strict=True):
        node = mbs.AddNode(
            item.NodeRigidBody2D(referenceCoordinates=list(place), initialVelocities=list(rate))
        )
        body = mbs.AddObject(
            item.ObjectRigidBody2D(mass=link.mass, inertia=link.inertia, nodeNumber=node)
        )
        weight = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
        pull = [0, -mechanism.gravity, 0]
        mbs.AddLoad(item.LoadMassProportional(markerNumber=weight, loadVector=pull))
        kinds = exudyn.OutputVariableType.Coordinates, exudyn.OutputVariableType.Coordinates_t
        sensors.append(
            tuple(
                mbs.AddSensor(
                    item.SensorNode(nodeNumber=node, outputVariableType=kind, storeInternal=True)
                )
                for kind in kinds
            )
        )
        bodies.append(body)
        nodes.append(node)

    def marker(link: int, at: tuple[float, float]) -> int:
        if link == GROUND:
            return int(
                mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=ground, localPosition=[*at, 0]))
            )
        com = mechanism.links[link].com
        local = [at[0] - com[0], at[1] - com[1], 0]
        return int(
            mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=bodies[link], localPosition=local))
        )

    for i, link in enumerate(mechanism.links):
        ends = [marker(link.parent, link.at), marker(i, (0, 0))]
        if link.slide:
            joint: Any = item.ObjectJointPrismatic2D(
                markerNumbers=ends, axisMarker0=[1, 0, 0], normalMarker1=[0, 1, 0]
            )
        else:
            joint = item.ObjectJointRevolute2D(markerNumbers=ends)
        mbs.AddObject(joint)
    for pin in mechanism.pins:
        ends = [marker(pin.a, pin.at_a), marker(pin.b, pin.at_b)]
        mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=ends))
    for spring in mechanism.springs:
        ends = [marker(GROUND, spring.ground), marker(spring.link, spring.at)]
        mbs.AddObject(
            item.ObjectConnectorSpringDamper(
                markerNumbers=ends, referenceLength=spring.length, stiffness=spring.stiffness
            )
        )
    for i, torque in mechanism.torques.items():
        mbs.AddLoad(
            item.LoadTorqueVector(markerNumber=marker(i, (0, 0)), loadVector=[0, 0, torque])
        )
    mbs.Assemble()
    return nodes, sensors


def _judge(mechanism: PlanarLoops, places: Floats, rates: Floats) -> Quality:
    """As for the others, in absolute coordinates (link, instant, xy and angle)."""
    still = np.zeros_like(places[0])

    def at(link: int, where: tuple[float, float]) -> Floats:
        if link == GROUND:
            return point(still, still, where)[0][:, :2]
        com = mechanism.links[link].com
        local = (where[0] - com[0], where[1] - com[1])
        return point(places[link], rates[link], local)[0][:, :2]

    gaps = [np.abs(at(pin.a, pin.at_a) - at(pin.b, pin.at_b)).max() for pin in mechanism.pins]
    kinetic, other = np.zeros(len(still)), np.zeros(len(still))
    for link, place, rate in zip(mechanism.links, places, rates, strict=True):
        kinetic += link.mass * (rate[:, :2] ** 2).sum(1) / 2 + link.inertia * rate[:, 2] ** 2 / 2
        other += link.mass * mechanism.gravity * place[:, 1]
    for spring in mechanism.springs:
        length = np.linalg.norm(at(GROUND, spring.ground) - at(spring.link, spring.at), axis=1)
        other += spring.stiffness * (length - spring.length) ** 2 / 2
    for i, torque in mechanism.torques.items():
        other -= torque * places[i][:, 2]
    energy = kinetic + other
    return Quality(float(max(gaps)), float(np.abs(energy - energy[0]).max() / kinetic.max()))
