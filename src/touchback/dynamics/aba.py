"""Forward dynamics by articulated bodies (Featherstone 1983), one column at a time.

The bias wrench comes from the Newton–Euler pass with zero joint accelerations, so only the
*changes* of acceleration are propagated. Columns of one link are eliminated one after the other: a
joint with several freedoms needs no matrix inverse. Articulated inertia: N = J ω̇ + H a, F = Hᵀ ω̇
+ M a."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from touchback.dynamics.kinematic_tree import Link, Tree
from touchback.dynamics.link_accelerations import Base, link_motions
from touchback.dynamics.rnea import required_link_wrenches, shift_to_parent
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import ZERO, Articulated, Inertia, Twist, Vectors, Wrench, skew
from touchback.symbolic import Scalars


@dataclass
class Eliminated:
    """What the forward pass needs of one column: U/D (angular, linear), 1/D and the net effort."""

    angular: Vector
    linear: Vector
    inverse: Scalar
    effort: Scalar


Carried = tuple[Articulated, Wrench]


def forward_dynamics(
    tree: Tree,
    k: Scalars,
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    base: Base,
    external: Mapping[int, Wrench],
    armature: Sequence[Scalar],
) -> list[Scalar]:
    """Accelerations a with M a + c = τ."""
    motions = link_motions(tree, k, v, None, base)
    wrenches = required_link_wrenches(tree, k, motions, external)
    own = [
        (articulated(k, link.inertia, link.added), wrench)
        for link, wrench in zip(tree.links, wrenches, strict=True)
    ]
    steps, _ = eliminate(tree, k, lambda link: own[link.index], tau, armature)
    a: list[Scalar] = [0] * tree.nv
    for link, (rates, _) in zip(tree.links, accelerations(tree, k, steps), strict=True):
        a[link.v_index : link.v_index + len(rates)] = rates
    return a


def eliminate(
    tree: Tree,
    k: Scalars,
    own: Callable[[Link], Carried],
    tau: Sequence[Scalar],
    armature: Sequence[Scalar],
) -> tuple[list[list[Eliminated]], dict[int, Carried]]:
    """Leaves to root: the columns of every link, of which each has its `own` inertia and the wrench
    that its motion needs; and what each leaves to its carrier, about and along its own frame (of
    links on the ground, anything)."""
    vectors = Vectors(k)
    eliminated: list[list[Eliminated]] = [[] for _ in tree.links]

    def settle(link: Link, total: Carried) -> Carried:
        inertia, bias = total
        for offset in reversed(range(len(link.columns))):
            index = link.v_index + offset
            step, inertia, bias = _without(
                k, inertia, bias, link.columns[offset], tau[index], armature[index],
                needed=link.parent >= 0 or offset > 0,
            )  # fmt: skip
            eliminated[link.index].insert(0, step)
        return inertia, bias

    def gather(link: Link, above: Carried, own: Carried) -> Carried:
        both = above[0].plus(k, articulated_up(link, k, own[0]))
        F, N = shift_to_parent(link, k, own[1])
        return both, (vectors.add(above[1][0], F), vectors.add(above[1][1], N))

    left = dict(tree.gathering(own, gather, settle))
    return eliminated, left


def articulated(k: Scalars, inertia: Inertia, fluid: Articulated | None) -> Articulated:
    """That of a link alone, with the fluid that it carries along, if any."""
    m = inertia.m
    own = Articulated(inertia.tensor(k), skew(inertia.h), [[m, 0, 0], [0, m, 0], [0, 0, m]])
    return own if fluid is None else own.plus(k, fluid)


def articulated_up(link: Link, k: Scalars, inertia: Articulated) -> Articulated:
    """About and along the parent's frame: shift by d, turn, shift by p."""
    return inertia.shifted(k, link.d).turned_up(k, link.rotation).shifted(k, link.p)


def _without(
    k: Scalars,
    inertia: Articulated,
    bias: Wrench,
    column: tuple[Vector, Vector],
    tau: Scalar,
    armature: Scalar,
    needed: bool,
) -> tuple[Eliminated, Articulated, Wrench]:
    """Take one freedom out: I − U Uᵀ/D, bias + U u/D.

    With U = I s, D = s·U + armature, u = τ − s·bias."""
    vectors, add, mul = Vectors(k), k.add, k.mul
    angular, linear = column
    U_ang = vectors.add(vectors.apply(inertia.J, angular), vectors.apply(inertia.H, linear))
    U_lin = vectors.add(
        vectors.apply_transposed(inertia.H, angular), vectors.apply(inertia.M, linear)
    )
    D = add(add(vectors.dot(angular, U_ang), vectors.dot(linear, U_lin)), armature)
    inverse = k.div(1, D)
    F, N = bias
    u = add(tau, -add(vectors.dot(angular, N), vectors.dot(linear, F)))
    # Along its own axis a plain column has U/D = 1 and leaves nothing: exact zeros instead of
    # differences of equals.
    plain = isinstance(armature, int) and armature == 0 and _single(angular, linear)
    own_ang = [plain and s == 1 for s in angular]
    own_lin = [plain and s == 1 for s in linear]
    V_ang = [1 if own else mul(x, inverse) for x, own in zip(U_ang, own_ang, strict=True)]
    V_lin = [1 if own else mul(x, inverse) for x, own in zip(U_lin, own_lin, strict=True)]
    step = Eliminated(V_ang, V_lin, inverse, u)
    if not needed:
        return step, inertia, bias
    left = Articulated(
        _less_symmetric(k, inertia.J, V_ang, U_ang, own_ang),
        [
            [0 if own_ang[i] or own_lin[j] else add(inertia.H[i][j], -mul(V_ang[i], U_lin[j]))
             for j in range(3)]
            for i in range(3)
        ],
        _less_symmetric(k, inertia.M, V_lin, U_lin, own_lin),
    )  # fmt: skip
    N = [tau if own_ang[i] else add(N[i], mul(V_ang[i], u)) for i in range(3)]
    F = [tau if own_lin[i] else add(F[i], mul(V_lin[i], u)) for i in range(3)]
    return step, left, (F, N)


def _single(angular: Vector, linear: Vector) -> bool:
    """Whether a column is a single unit entry."""
    entries = [*angular, *linear]
    return all(isinstance(x, int) for x in entries) and sum(map(abs, entries)) == 1


def _less_symmetric(
    k: Scalars, A: Matrix, V: Vector, U: Vector, own: Sequence[bool]
) -> list[list[Scalar]]:
    """A − V Uᵀ where V ∥ U, with exact zeros in the rows and columns that are `own`."""
    upper = {
        (i, j): 0 if own[i] or own[j] else k.add(A[i][j], -k.mul(V[i], U[j]))
        for i in range(3)
        for j in range(i, 3)
    }
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]


def accelerations(
    tree: Tree, k: Scalars, eliminated: Sequence[Sequence[Eliminated]]
) -> Iterator[tuple[list[Scalar], Twist]]:
    """Root to leaves: a_j = u/D − (U/D)·(change of acceleration so far) of the columns of each, and
    the change of its own acceleration."""
    vectors, add, mul = Vectors(k), k.add, k.mul

    def changes(link: Link, parent: tuple[list[Scalar], Twist]) -> tuple[list[Scalar], Twist]:
        _, (turned, moved) = parent
        alpha = link.rotation.down(k, turned)
        carried = vectors.add(moved, vectors.cross(turned, link.p))
        linear = vectors.add(link.rotation.down(k, carried), vectors.cross(alpha, link.d))
        rates: list[Scalar] = []
        for step, (s_ang, s_lin) in zip(eliminated[link.index], link.columns, strict=True):
            already = add(vectors.dot(step.linear, linear), vectors.dot(step.angular, alpha))
            rate = add(mul(step.inverse, step.effort), -already)
            rates.append(rate)
            alpha = vectors.add(alpha, vectors.scale(rate, s_ang))
            linear = vectors.add(linear, vectors.scale(rate, s_lin))
        return rates, (alpha, linear)

    return tree.outward(([], (ZERO, ZERO)), changes)
