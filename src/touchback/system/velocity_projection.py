"""What carries motion from one structure of a mechanism to another: velocities of bodies, and the
generalised velocities nearest to them.

With V_b the twist that body b had and v* a guess (what coordinates of the same name had), the
velocities that minimise Σ_b |V_b − J_b v|² in the bodies' inertias, for bodies that both have, are

    v = v* + M⁻¹ Σ_b J_bᵀ M_b (V_b − J_b v*),

an M-orthogonal projection: the impulse that removed freedoms take does no work on those that stay.
"""

from collections.abc import Sequence

from touchback.dynamics import Inertia, mass_matrix_entries
from touchback.model import Frame
from touchback.numbers import Scalar, Vector
from touchback.symbolic import gradient
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation
from touchback.system.function_definitions import Recipe
from touchback.system.system import System


def body_velocities(system: System, bodies: Sequence[str]) -> Function:
    """ω and the velocity of the origin of each body's frame, along its own axes; 6 numbers each."""

    def build(d: Derivation) -> list[int]:
        return [x for name in bodies for part in _twist(d, name) for x in part]

    recipe = Recipe(build, (6 * len(bodies),))
    return system.derived(("body velocities", *bodies), lambda: recipe)


def projected_momentum(system: System, bodies: Sequence[str]) -> Function:
    """[Σ_b J_bᵀ M_b (V_b − J_b v*), M] with V given as further inputs: n + n² numbers."""
    n = len(system.layout.v)
    extra = tuple(f"V:{name}:{i}" for name in bodies for i in range(6))

    def build(d: Derivation) -> list[int]:
        k = d.tape
        total: Scalar = 0
        for place, name in enumerate(bodies):
            given = d.extra[6 * place : 6 * place + 6]
            inertia, own = _inertia(d, name), _twist(d, name)
            # its slope by v is J_bᵀ M_b (V_b − J_b v)
            had = _product(d, inertia, (given[:3], given[3:]), own)
            has = _product(d, inertia, own, own)
            total = k.add(total, k.sub(had, k.mul(k.const(0.5), has)))
        M = mass_matrix_entries(d.instant)
        matrix = [M.get((i, j), 0) for i in range(n) for j in range(n)]
        return [*gradient(k, total, d.v), *matrix]

    recipe = Recipe(build, (n + n * n,), extra)
    return system.derived(("velocity transfer", *bodies), lambda: recipe)


def _twist(d: Derivation, body: str) -> tuple[Vector, Vector]:
    instant, frame = d.instant, Frame(body)
    R = instant.rotation(frame)
    down = instant.vectors.apply_transposed
    return down(R, instant.angular_velocity(frame)), down(R, instant.velocity(frame))


def _inertia(d: Derivation, body: str) -> Inertia:
    """About and along the body's own frame."""
    given, value = d.instant.model.bodies[body], d.instant.value
    tensor = [[value(x) for x in row] for row in given.tensor()]
    return Inertia.of_body(d.tape, value(given.mass), [value(x) for x in given.com], tensor)


def _product(
    d: Derivation, inertia: Inertia, a: tuple[Vector, Vector], b: tuple[Vector, Vector]
) -> Scalar:
    """aᵀ M_b b of two twists (ω, v)."""
    k, vectors = d.tape, d.instant.vectors
    (omega_a, v_a), (omega_b, v_b) = a, b
    linear = vectors.add(vectors.scale(inertia.m, v_b), vectors.cross(omega_b, inertia.h))
    angular = vectors.add(vectors.apply(inertia.tensor(k), omega_b), vectors.cross(inertia.h, v_b))
    return k.add(vectors.dot(v_a, linear), vectors.dot(omega_a, angular))
