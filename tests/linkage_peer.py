"""Linkages without joints of ours: double wishbones and MacPherson struts by natural coordinates,
points at constant distances that SciPy solves; and elastic ones by Castigliano's theorem, of forces
alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import fsolve

from touchback.vehicle import DoubleWishbone, MacPherson, Mounts


class NaturalWishbone:
    """The left corner of a `DoubleWishbone`: its three balls are the unknowns; the tie rod's inner
    end may move with a rack. No angle, joint or matrix of ours is used."""

    def __init__(self, axle: DoubleWishbone) -> None:
        self.axle = axle
        self.design = np.array([axle.lower_ball, axle.upper_ball, axle.tie_outer])
        self.fixed = [np.array(p) for p in (axle.lower_front, axle.lower_rear, axle.upper_front,
                                            axle.upper_rear, axle.tie_inner)]  # fmt: skip
        self.lengths = self._distances(self.design, 0.0)
        self.local = self._frame(self.design).T @ (np.array(axle.wheel_centre) - self.design[0])
        self.local_axle = self._frame(self.design).T @ np.array([0.0, 1.0, 0.0])

    def _distances(self, balls: np.ndarray, rack: float) -> np.ndarray:
        low, high, tie = balls
        inner = self.fixed[4] + [0.0, rack, 0.0]
        pairs = (
            (low, self.fixed[0]), (low, self.fixed[1]), (high, self.fixed[2]),
            (high, self.fixed[3]), (tie, inner), (low, high), (low, tie), (high, tie),
        )  # fmt: skip
        return np.array([np.linalg.norm(a - b) for a, b in pairs])

    @staticmethod
    def _frame(balls: np.ndarray) -> np.ndarray:
        x = balls[1] - balls[0]
        z = np.cross(x, balls[2] - balls[0])
        x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
        return np.column_stack([x, np.cross(z, x), z])

    def at(self, travel: float, rack: float = 0.0) -> np.ndarray:
        """The balls with the wheel's centre so far above design."""
        wanted = self.axle.wheel_centre[2] + travel

        def off(unknown: np.ndarray) -> np.ndarray:
            balls = unknown.reshape(3, 3)
            return np.append(self._distances(balls, rack) - self.lengths,
                             self.centre(balls)[2] - wanted)  # fmt: skip

        found, _, ok, said = fsolve(off, self.design.ravel(), xtol=1e-13, full_output=True)
        assert ok == 1 or np.abs(off(found)).max() < 1e-12, said
        return np.asarray(found).reshape(3, 3)

    def centre(self, balls: np.ndarray) -> np.ndarray:
        """The wheel's centre."""
        return np.asarray(balls[0] + self._frame(balls) @ self.local)

    def direction(self, balls: np.ndarray) -> np.ndarray:
        """The axle's direction, to the left."""
        return np.asarray(self._frame(balls) @ self.local_axle)

    def potential(self, travel: float, gravity: float) -> float:
        """Of one corner's weights and spring."""
        axle, balls = self.axle, self.at(travel)
        carried = self._frame(balls) @ self._frame(self.design).T
        com = balls[0] + carried @ (np.array(axle.wheel_centre) - axle.lower_ball) / 2
        low = (np.array(axle.lower_front) + axle.lower_rear) / 2
        high = (np.array(axle.upper_front) + axle.upper_rear) / 2
        weights = ((axle.wheel.mass, self.centre(balls)[2]), (axle.knuckle_mass, com[2]),
                   (axle.lower_mass, (low[2] + balls[0][2]) / 2),
                   (axle.upper_mass, (high[2] + balls[1][2]) / 2))  # fmt: skip
        stored = sum(mass * gravity * height for mass, height in weights)
        foot = low + _turned(low, np.array(axle.lower_ball), balls[0], np.array(axle.strut_foot),
                             np.array(axle.lower_front) - axle.lower_rear)  # fmt: skip
        length = np.linalg.norm(np.array(axle.strut_top) - foot)
        start = np.linalg.norm(np.array(axle.strut_top) - axle.strut_foot)
        x = np.linspace(0.0, start - length, 20001)
        spring = np.interp(x, axle.strut.compression, axle.strut.force)
        return float(stored + np.trapezoid(spring, x))


class NaturalStrut:
    """The left corner of a `MacPherson`: its ball, the tie rod's outer end and two points of the
    tube are the unknowns. They keep their distances, and the strut's top stays in line with the
    tube. The tie rod's inner end may move with a rack."""

    def __init__(self, axle: MacPherson) -> None:
        self.axle, self.top = axle, np.array(axle.strut_top)
        foot = np.array(axle.strut_foot)
        self.design = np.array([axle.lower_ball, axle.tie_outer, foot, (foot + self.top) / 2])
        self.fixed = [np.array(p) for p in (axle.lower_front, axle.lower_rear, axle.tie_inner)]
        self.lengths = self._distances(self.design, 0.0)
        self.local = self._frame(self.design).T @ (np.array(axle.wheel_centre) - self.design[0])
        self.local_axle = self._frame(self.design).T @ np.array([0.0, 1.0, 0.0])

    def _distances(self, points: np.ndarray, rack: float) -> np.ndarray:
        ball, tie, foot, tube = points
        front, rear, inner = self.fixed
        pairs = (
            (ball, front), (ball, rear), (tie, inner + [0.0, rack, 0.0]), (ball, tie),
            (ball, foot), (ball, tube), (tie, foot), (tie, tube), (foot, tube),
        )  # fmt: skip
        return np.array([np.linalg.norm(a - b) for a, b in pairs])

    @staticmethod
    def _frame(points: np.ndarray) -> np.ndarray:
        x = points[2] - points[0]
        z = np.cross(x, points[1] - points[0])
        x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
        return np.column_stack([x, np.cross(z, x), z])

    def at(self, travel: float, rack: float = 0.0) -> np.ndarray:
        """The points with the wheel's centre so far above design."""
        wanted = self.axle.wheel_centre[2] + travel

        def off(unknown: np.ndarray) -> np.ndarray:
            points = unknown.reshape(4, 3)
            aside = np.cross(points[3] - points[2], self.top - points[2])[:2]
            lengths = self._distances(points, rack) - self.lengths
            return np.concatenate([lengths, aside, [self.centre(points)[2] - wanted]])

        found, _, ok, said = fsolve(off, self.design.ravel(), xtol=1e-13, full_output=True)
        assert ok == 1 or np.abs(off(found)).max() < 1e-12, said
        return np.asarray(found).reshape(4, 3)

    def centre(self, points: np.ndarray) -> np.ndarray:
        """The wheel's centre."""
        return np.asarray(points[0] + self._frame(points) @ self.local)

    def direction(self, points: np.ndarray) -> np.ndarray:
        """The axle's direction, to the left."""
        return np.asarray(self._frame(points) @ self.local_axle)

    def length(self, points: np.ndarray) -> float:
        """Of the strut, from its foot to its top."""
        return float(np.linalg.norm(self.top - points[2]))


def _turned(pivot: np.ndarray, was: np.ndarray, now: np.ndarray, point: np.ndarray,
            line: np.ndarray) -> np.ndarray:  # fmt: skip
    """From the pivot to where a point of an arm goes, whose ball goes from `was` to `now`."""
    e = line / np.linalg.norm(line)

    def aside(a: np.ndarray) -> np.ndarray:
        return np.asarray(a - (a @ e) * e)

    r, s = aside(was - pivot), aside(now - pivot)
    angle = np.arctan2(e @ np.cross(r, s), r @ s)
    p = point - pivot
    across = aside(p)
    turned = np.cos(angle) * across + np.sin(angle) * np.cross(e, across) + (p @ e) * e
    return np.asarray(turned)


class LeastWork:
    """Bodies held by ties, each a force or a moment with a compliance: the forces are those of
    least work that balance the loads (Castigliano), the multipliers of these balances are how the
    bodies move. No position, joint or energy of ours is used."""

    def __init__(self, *bodies: str) -> None:
        self.bodies, self.ties = bodies, list[tuple[np.ndarray, float]]()

    def tie(
        self, a: str | None, b: str, at: tuple[float, ...], way: object, compliance: float = 0.0,
        moment: bool = False,
    ) -> None:  # fmt: skip
        """Along `way` at a point, on `b` and back on `a` (None: the ground)."""
        d = np.asarray(way, float)
        wrench = np.concatenate([0 * d, d] if moment else [d, np.cross(at, d)])
        column = np.zeros((len(self.bodies), 6))
        for body, sign in ((a, -1.0), (b, 1.0)):
            if body is not None:
                column[self.bodies.index(body)] += sign * wrench
        self.ties.append((column.ravel(), compliance))

    def ball(self, a: str, b: str, at: tuple[float, ...]) -> None:
        """Three rigid ties."""
        for way in np.eye(3):
            self.tie(a, b, at, way)

    def rubber(self, body: str, at: tuple[float, ...], line: np.ndarray, mounts: Mounts) -> None:
        """A bushing of the ground about a line."""
        x = line / np.linalg.norm(line)
        y = np.cross(x, [0.3, 0.4, 0.5])
        y /= np.linalg.norm(y)
        axes = (x, y, np.cross(x, y))
        for way, k, twist in zip(axes, (mounts.axial, mounts.radial, mounts.radial),
                                 (mounts.torsion, mounts.conical, mounts.conical)):  # fmt: skip
            self.tie(None, body, at, way, 1.0 / k)
            self.tie(None, body, at, way, 1.0 / twist, moment=True)

    def moved(self, loads: dict[str, tuple[tuple[float, ...], object, object]]) -> dict[str, Twist]:
        """Displacement of the world's origin on each body and its rotation, under forces at points
        and moments."""
        A = np.array([column for column, _ in self.ties]).T
        C = np.diag([compliance for _, compliance in self.ties])
        given = np.zeros((len(self.bodies), 6))
        for body, (at, force, moment) in loads.items():
            f = np.asarray(force, float)
            given[self.bodies.index(body)] = [*f, *(np.cross(at, f) + np.asarray(moment, float))]
        n, m = len(self.ties), A.shape[0]
        whole = np.block([[C, A.T], [A, np.zeros((m, m))]])
        found = np.linalg.solve(whole, np.concatenate([np.zeros(n), -given.ravel()]))[n:]
        return {name: Twist(u[:3], u[3:]) for name, u in zip(self.bodies, found.reshape(-1, 6))}


class Twist(NamedTuple):
    """A small motion: of the origin, and rotation."""

    origin: np.ndarray
    turn: np.ndarray

    def at(self, point: object) -> np.ndarray:
        """Displacement of a point."""
        return np.asarray(self.origin + np.cross(self.turn, np.asarray(point, float)))
