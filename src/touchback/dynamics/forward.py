"""Forward dynamics by either algorithm, and the mass matrix in either form."""

from collections.abc import Sequence

from touchback.dynamics import aba
from touchback.dynamics.crba import Entries, dof_parents, mass_matrix, mass_matrix_root
from touchback.dynamics.factor import Factors
from touchback.dynamics.instant import Instant
from touchback.dynamics.rnea import efforts, gathered, inverse_dynamics
from touchback.dynamics.tree import Tree
from touchback.spatial.vectors import ZERO, Scalar

ALGORITHMS = ("articulated", "factorised", "factorised at the root")


def inverse(instant: Instant, a: Sequence[Scalar] | None) -> list[Scalar]:
    """Joint efforts τ = M a + c; without `a` the bias c(q, v, external forces)."""
    k = instant.k
    tau = inverse_dynamics(
        instant.regrouped(), k, instant.at.v, a, instant.base(), instant.external()
    )
    if a is None:
        return tau
    return [
        k.add(t, k.mul(rotor, x)) for t, rotor, x in zip(tau, instant.armature(), a, strict=True)
    ]


def entries(instant: Instant, at_root: bool = False) -> Entries:
    """Entries of the mass matrix, armature included."""
    tree = instant.regrouped()
    M = mass_matrix_root(tree, instant.k) if at_root else mass_matrix(tree, instant.k)
    return with_armature(instant, M)


def with_armature(instant: Instant, M: Entries) -> Entries:
    """A mass matrix of the bodies with that of rotors."""
    for i, rotor in enumerate(instant.armature()):
        M[i, i] = instant.k.add(M[i, i], rotor)
    return M


def pushed(instant: Instant) -> list[Scalar]:
    """What forces on bodies do in each velocity coordinate."""
    tree, external = instant.tree, instant.external()
    if not external:
        return [0] * tree.nv
    own = (external.get(link.index, (ZERO, ZERO)) for link in tree.links)
    return efforts(tree, instant.k, gathered(tree, instant.k, own))


def forward(instant: Instant, tau: Sequence[Scalar], algorithm: str) -> list[Scalar]:
    """Accelerations for given joint efforts."""
    k = instant.k
    if algorithm == "articulated":
        return aba.forward_dynamics(
            instant.regrouped(), k, instant.at.v, tau, instant.base(), instant.external(),
            instant.armature(),
        )  # fmt: skip
    bias = inverse(instant, None)
    M = entries(instant, at_root=algorithm == "factorised at the root")
    rest = [k.sub(t, c) for t, c in zip(tau, bias, strict=True)]
    return factors(instant, M).solve(rest)


def factors(instant: Instant, M: Entries) -> Factors:
    """The mass matrix as factors along the tree."""
    return Factors(instant.k, M, dof_parents(instant.tree), dof_order(instant.tree))


def dof_order(tree: Tree) -> list[int]:
    """Velocity coordinates, parents before children."""
    return [link.v_index + offset for link in tree.links for offset in range(len(link.columns))]


def configuration_rate(instant: Instant) -> list[Scalar]:
    """q̇ from q and v."""
    rates: list[Scalar] = [0] * instant.tree.nq
    for link in instant.tree.links:
        motion = link.motion
        q = instant.at.q[link.q_index : link.q_index + motion.nq]
        v = instant.at.v[link.v_index : link.v_index + motion.nv]
        rates[link.q_index : link.q_index + motion.nq] = motion.rate(instant.k, q, v)
    return rates
