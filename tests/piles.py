"""Balls in a box, which tests and benchmarks share."""

import numpy as np

import touchback as tb

RADIUS, MASS, G = 0.05, 1.0, 9.81
WALLS = (("y", -np.pi / 2), ("x", np.pi / 2), ("y", np.pi / 2), ("x", -np.pi / 2))


def places(side: int, layers: int, slack: float = 0.05) -> tuple[np.ndarray, float]:
    """Centres in layers of side × side, a little off a lattice, and half of the box's width."""
    wide, rng = RADIUS * (1 + slack), np.random.default_rng(1)
    level, y, x = np.unravel_index(np.arange(side * side * layers), (layers, side, side))
    centres = np.stack([(2 * x + 1 - side) * wide, (2 * y + 1 - side) * wide], axis=1)
    centres += rng.uniform(-0.5, 0.5, centres.shape) * slack * RADIUS
    return np.column_stack([centres, RADIUS * (1.02 + 2.05 * level)]), side * wide


def pile(
    side: int, layers: int, friction: float = 0.5, wall_friction: float = 0.5
) -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    """Free balls, each with a contact to the floor, to walls near it and to neighbours."""
    m = tb.Model("pile", gravity=(0, 0, -G))
    centres, half = places(side, layers)
    contacts: dict[str, tb.contact.ContactKind] = {}
    balls: list[tb.Frame] = []
    for i, centre in enumerate(centres):
        body = m.body(f"ball {i}", MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3)
        m.joint(f"ball {i}", tb.Free(), m.ground, body, position=(*centre, 1, 0, 0, 0))
        ball = body.at(0, 0, 0)
        floor = tb.contact.SpherePlaneContact(ball, tb.Frame("ground"), RADIUS, friction=friction)
        contacts[f"floor {i}"] = floor
        for k, turn in enumerate(WALLS):
            out = np.round([np.cos(k * np.pi / 2), np.sin(k * np.pi / 2)])
            if centre[:2] @ out > half - 4 * RADIUS:
                wall = m.ground.at(half * out[0], half * out[1], 0, turn=turn)
                contacts[f"wall {k} {i}"] = tb.contact.SpherePlaneContact(
                    ball, wall, RADIUS, friction=wall_friction
                )
        for j, other in enumerate(balls):
            if np.linalg.norm(centre - centres[j]) < 3.4 * RADIUS:
                contacts[f"{i} {j}"] = tb.contact.SphereSphereContact(
                    ball, other, RADIUS, RADIUS, friction=friction
                )
        balls.append(ball)
    return m.compile(), contacts
