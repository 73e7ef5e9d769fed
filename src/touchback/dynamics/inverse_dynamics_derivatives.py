"""Derivatives of inverse dynamics in closed form (Singh, Russell and Wensing 2022, for joints with
any number of freedoms; Carpentier and Mansard 2018), over any scalars.

Positions vary by increments in velocity coordinates: an increment δ of column S moves all that the
link carries by the twist S δ. With the carrier's twist v and acceleration a (gravity in it),
ψ̇ = v × S, ψ̈ = a × S + v × ψ̇, Ṡ = (the link's own twist) × S, and for all that a link carries
inertia I, wrench f and 2 B, where 2 B u is the wrench of the accelerations 2 w × velocity for the
angular part w of u, coordinates j that carry i, or share its link, have

    ∂τ_i/∂q_j = S_i · (2 B_i ψ̇_j + I_i ψ̈_j)      ∂τ_i/∂v_j = S_i · (2 B_i S_j + I_i (ψ̇_j + Ṡ_j))

and those that carry i
    ∂τ_j/∂q_i = S_j · (2 B_i ψ̇_i + I_i ψ̈_i + S_i ×* f_i)
    ∂τ_j/∂v_i = S_j · (2 B_i S_i + I_i (ψ̇_i + Ṡ_i)).

2 B needs twelve numbers of all that is psi_dot: the momentum p = ∫ velocity dm, and
K = ∫ velocity rᵀ dm, by which ∫ r × (w × velocity) dm = (tr K) w − K w.

Everything is along the axes of the root link at this instant and about the point of `root_poses`:
there the first columns and inertias are as sparse as described."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from touchback.dynamics.aba import Eliminated, accelerations, articulated, eliminate
from touchback.dynamics.crba import (
    Entries,
    WorldPose,
    fluid_in_axes,
    in_axes,
    root_poses,
    unit_wrench,
)
from touchback.dynamics.kinematic_tree import Link, Tree
from touchback.dynamics.link_accelerations import Base, LinkMotion, b_matrix
from touchback.dynamics.rnea import inertial_wrench
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import (
    ZERO,
    Articulated,
    Inertia,
    Rotation,
    Twist,
    Twists,
    Vectors,
    Wrench,
    transpose,
)
from touchback.symbolic import Scalars


@dataclass
class EffortDerivatives:
    """Derivatives of the efforts by increments of positions and by velocities, for every pair on
    one path: (effort, coordinate)."""

    by_q: Entries
    by_v: Entries


@dataclass
class Column:
    """A velocity coordinate: its twist S, ψ̇, and ψ̇ + Ṡ."""

    index: int
    S: Twist
    psi_dot: Twist
    psi_S_dot: Twist


@dataclass
class LinkState:
    """A link: where it is, its twist, its acceleration without those of joints, its carrier's
    twist and its columns."""

    pose: WorldPose
    twist: Twist
    bias: Twist
    carrier: Twist
    columns: list[Column]


@dataclass
class CompositeBody:
    """Of all that a link carries: inertia, and p and K; or 2 p and 2 ((tr K) 1 − K) of 2 B."""

    inertia: Inertia
    momentum: Vector
    K: Matrix

    def plus(self, k: Scalars, other: "CompositeBody") -> "CompositeBody":
        """Of both, with p and K."""
        vectors = Vectors(k)
        return CompositeBody(
            self.inertia.plus(k, other.inertia),
            vectors.add(self.momentum, other.momentum),
            vectors.matrix_add(self.K, other.K),
        )


def composite_of_link(k: Scalars, inertia: Inertia, twist: Twist) -> CompositeBody:
    """Of one link, with p and K."""
    vectors, h, (omega, velocity) = Vectors(k), inertia.h, twist
    momentum = vectors.add(vectors.scale(inertia.m, velocity), vectors.cross(omega, h))
    turned = transpose([vectors.cross(omega, row) for row in inertia.E])
    K = [[k.add(turned[x][y], k.mul(velocity[x], h[y])) for y in range(3)] for x in range(3)]
    return CompositeBody(inertia, momentum, K)


@dataclass
class ColumnDerivatives:
    """A velocity coordinate: S, ψ̇, ψ̇ + Ṡ and ψ̈; I S and Sᵀ 2 B of all that it carries; and the
    wrenches whose products with the carriers' columns are derivatives by it."""

    index: int
    S: Twist
    psi_dot: Twist
    psi_S_dot: Twist
    I_S: Wrench
    S_2B: Vector
    psi_ddot: Twist
    by_q: Wrench
    by_v: Wrench


@dataclass
class SolvedColumn:
    """A velocity coordinate when accelerations are solved for, and what derivatives by it are made
    of: S and what is left of it; the twists of its link's carrier and of its link; the carrier's
    acceleration without those of joints, and what joints add; p and K of all that the link carries;
    the articulated inertia and the wrench that it leaves to its carrier."""

    S: Twist
    eliminated: Eliminated
    carrier: Twist
    twist: Twist
    bias: Twist
    by_joints: Twist
    momentum: Vector
    K: Matrix
    inertia: Articulated
    wrench: Wrench


class InverseDynamicsDerivatives:
    """Mass matrix, bias and derivatives of inverse dynamics of a tree (without fluid that links
    carry along) from one pass over it."""

    def __init__(self, tree: Tree, k: Scalars, v: Sequence[Scalar], base: Base) -> None:
        self._tree, self._k, self._v, self._base = tree, k, v, base
        self._vectors, self._twists = Vectors(k), Twists(k)
        self._links: list[LinkState] = []
        turns = any(base.omega) or any(base.alpha)
        for link, pose in zip(tree.links, root_poses(tree, k, turns), strict=True):
            self._links.append(self._link_state(link, pose))
        self._inertias: dict[int, Inertia] = {}
        self._biased: list[Wrench] | None = None  # what each link's bias needs, once known

    def bias(self) -> list[Scalar]:
        """The efforts that motion without joint accelerations needs."""
        tau: list[Scalar] = [0] * self._tree.nv
        for each, wrench in zip(
            self._links, self._sum_over_subtrees(self._bias_wrenches()), strict=True
        ):
            for column in each.columns:
                tau[column.index] = self._twists.power(column.S, wrench)
        return tau

    def solve_columns(
        self, tau: Sequence[Scalar], armature: Sequence[Scalar]
    ) -> list[SolvedColumn]:
        """Of each column what the derivatives of the accelerations for given efforts are products
        of, by articulated bodies whose links all have the root's frame. Fluid that links carry
        along is in what is left of columns, not in the rest."""
        links = [
            replace(
                link, p=ZERO, d=ZERO, rotation=Rotation(),
                columns=[column.S for column in each.columns],
                added=fluid_in_axes(self._k, link.added, *each.pose),
            )
            for link, each in zip(self._tree.links, self._links, strict=True)
        ]  # fmt: skip
        flat = replace(self._tree, links=links)

        def own(link: Link) -> tuple[Articulated, Wrench]:
            i = link.index
            inertia = articulated(self._k, self._inertia(i), link.added)
            return inertia, self._link_wrench(i, self._links[i].bias)

        steps, left = eliminate(flat, self._k, own, tau, armature)
        totals: dict[int, CompositeBody] = {}
        by_joints: list[Twist] = []
        # in turns: accelerations wait for each other, which leaves processors time for the rest
        changes = accelerations(flat, self._k, steps)
        for (index, total), (_, change) in zip(self._composite_of_each(), changes, strict=True):
            totals[index] = total
            by_joints.append(change)
        found: dict[int, SolvedColumn] = {}
        for link, each in zip(self._tree.links, self._links, strict=True):
            total, of_joints = totals[link.index], (ZERO, ZERO)
            if link.parent >= 0:
                of_joints = by_joints[link.parent]
            for step, column in zip(steps[link.index], each.columns, strict=True):
                found[column.index] = SolvedColumn(
                    column.S, step, each.carrier, each.twist, self._bias_above(link), of_joints,
                    total.momentum, total.K, *left[link.index],
                )  # fmt: skip
        return [found[index] for index in range(flat.nv)]

    def mass_matrix(self) -> Entries:
        """Entries for both orders of every pair on one path, without armature."""
        M: Entries = {}
        for i, link in self._columns():
            needed = self._apply_inertia(link, i.S)
            for j in self._columns_on_path(link, itself=True):
                M[i.index, j.index] = M[j.index, i.index] = self._twists.power(j.S, needed)
        return M

    def effort_derivatives(self, a: Sequence[Scalar]) -> EffortDerivatives:
        """The derivatives at given joint accelerations."""
        power, found = self._twists.power, EffortDerivatives({}, {})
        columns = {each.index: each for each in self.column_derivatives(a)}
        for i, link in self._columns():
            row = columns[i.index]
            for j in self._columns_on_path(link, itself=True):
                pair, column = (i.index, j.index), columns[j.index]
                found.by_q[pair] = self._effort_derivative(row, column.psi_dot, column.psi_ddot)
                found.by_v[pair] = self._effort_derivative(row, column.S, column.psi_S_dot)
            for j in self._columns_on_path(link, itself=False):
                found.by_q[j.index, i.index] = power(j.S, row.by_q)
                found.by_v[j.index, i.index] = power(j.S, row.by_v)
        return found

    def column_derivatives(self, a: Sequence[Scalar]) -> list[ColumnDerivatives]:
        """Of each column what the derivatives at given joint accelerations are products of."""
        twists, by_joints = self._twists, self._by_joints(a)
        wrenches = self._wrenches_with(by_joints)
        found = []
        for i, link in self._columns():
            above, carrier = self._bias_above(link), self._links[link.index].carrier
            if link.parent >= 0:
                above = twists.add(above, by_joints[link.parent])
            psi_ddot = twists.add(twists.cross(above, i.S), twists.cross(carrier, i.psi_dot))
            by_q = twists.add(self._apply_2B(link, i.psi_dot), self._apply_inertia(link, psi_ddot))
            by_q = twists.add(by_q, twists.cross_wrench(i.S, wrenches[link.index]))
            by_v = twists.add(self._apply_2B(link, i.S), self._apply_inertia(link, i.psi_S_dot))
            rows = self._apply_inertia(link, i.S), self._row_of_2B(link, i.S)
            found.append(
                ColumnDerivatives(i.index, i.S, i.psi_dot, i.psi_S_dot, *rows, psi_ddot, by_q, by_v)
            )
        return found

    # ---- outward --------------------------------------------------------------------------------

    def _link_state(self, link: Link, pose: tuple[Matrix, Vector]) -> LinkState:
        k, twists = self._k, self._twists
        if link.parent >= 0:
            carrier, bias = self._links[link.parent].twist, self._links[link.parent].bias
        else:
            carrier, bias = self._ground(link)
        own: list[tuple[int, Twist, Twist]] = []
        twist = carrier
        for offset, (angular, linear) in enumerate(link.columns):
            w = self._vectors.apply(pose[0], angular)
            u = self._vectors.add(
                self._vectors.apply(pose[0], linear), self._vectors.cross(pose[1], w)
            )
            index = link.v_index + offset
            S: Twist = (w, u)
            own.append((index, S, twists.cross(carrier, S)))
            twist = twists.add(twist, twists.scale(self._v[index], S))
        two, columns = k.const(2.0), []
        for index, S, psi in own:
            bias = twists.add(bias, twists.scale(self._v[index], psi))
            # a column alone is not turned by its own motion: Ṡ = ψ̇
            turned = (
                twists.scale(two, psi) if len(own) == 1 else twists.add(psi, twists.cross(twist, S))
            )
            columns.append(Column(index, S, psi, turned))
        return LinkState(pose, twist, bias, carrier, columns)

    def _ground(self, root: Link) -> tuple[Twist, Twist]:
        """Twist and acceleration of the ground about and along a root link's frame. A speed that
        everything has changes nothing: the ground's point there is taken to rest."""
        vectors, base = self._vectors, self._base
        down = root.rotation.down
        turning = b_matrix(self._k, base.omega, base.alpha)
        at_p = vectors.add(base.acceleration, vectors.apply(turning, root.p))
        omega, alpha = down(self._k, base.omega), down(self._k, base.alpha)
        moved = vectors.apply(b_matrix(self._k, omega, alpha), root.d)
        return (omega, ZERO), (alpha, vectors.add(down(self._k, at_p), moved))

    def _by_joints(self, a: Sequence[Scalar]) -> list[Twist]:
        """What accelerations of joints add to those of every link."""
        twists = self._twists

        def further(link: Link, above: Twist) -> Twist:
            for column in self._links[link.index].columns:
                above = twists.add(above, twists.scale(a[column.index], column.S))
            return above

        return list(self._tree.outward((ZERO, ZERO), further))

    def _bias_above(self, link: Link) -> Twist:
        return self._links[link.parent].bias if link.parent >= 0 else self._ground(link)[1]

    # ---- inward ---------------------------------------------------------------------------------

    def _inertia(self, index: int) -> Inertia:
        """Of a link, along the root's axes; told when it is first needed."""
        if index not in self._inertias:
            link, pose = self._tree.links[index], self._links[index].pose
            self._inertias[index] = in_axes(self._k, link.inertia, *pose)
        return self._inertias[index]

    def _composite_of_each(self) -> Iterator[tuple[int, CompositeBody]]:
        """Leaves to root."""
        return self._tree.gathering(
            lambda link: composite_of_link(
                self._k, self._inertia(link.index), self._links[link.index].twist
            ),
            lambda link, above, own: above.plus(self._k, own),
        )

    @cached_property
    def _composites(self) -> dict[int, CompositeBody]:
        """With 2 p and 2 ((tr K) 1 − K)."""
        two = self._k.const(2.0)
        return {
            index: replace(
                each,
                momentum=self._vectors.scale(two, each.momentum),
                K=self._rotational_2B(each.K, two),
            )
            for index, each in self._composite_of_each()
        }

    def _rotational_2B(self, K: Matrix, two: Scalar) -> Matrix:
        """2 ((tr K) 1 − K)."""
        add, mul = self._k.add, self._k.mul
        return [
            [
                mul(two, add(K[(x + 1) % 3][(x + 1) % 3], K[(x + 2) % 3][(x + 2) % 3]))
                if x == y
                else -mul(two, K[x][y])
                for y in range(3)
            ]
            for x in range(3)
        ]

    def _wrenches_with(self, by_joints: Sequence[Twist]) -> list[Wrench]:
        """What each link and all that it carries need, with accelerations that joints add. Where
        the bias is known, what they need beside it is added."""
        k, twists = self._k, self._twists
        if self._biased is None:
            biases = [each.bias for each in self._links]
            total = [twists.add(bias, x) for bias, x in zip(biases, by_joints, strict=True)]
            return self._sum_over_subtrees(self._link_wrench(i, x) for i, x in enumerate(total))
        more = (unit_wrench(k, self._inertia(i), *x) for i, x in enumerate(by_joints))
        return self._sum_over_subtrees(
            twists.add(x, y) for x, y in zip(self._biased, more, strict=True)
        )

    def _bias_wrenches(self) -> list[Wrench]:
        if self._biased is None:
            self._biased = [self._link_wrench(i, each.bias) for i, each in enumerate(self._links)]
        return self._biased

    def _link_wrench(self, index: int, acceleration: Twist) -> Wrench:
        """What a link needs to move so."""
        k, vectors = self._k, self._vectors
        (omega, velocity), (alpha, linear) = self._links[index].twist, acceleration
        of_origin = vectors.add(linear, vectors.cross(omega, velocity))
        motion = LinkMotion(omega, alpha, b_matrix(k, omega, alpha), of_origin)
        return inertial_wrench(self._inertia(index), k, motion)

    def _sum_over_subtrees(self, own: Iterable[Wrench]) -> list[Wrench]:
        return self._tree.inward(own, lambda link, above, subtree: self._twists.add(above, subtree))

    # ---- pairs ----------------------------------------------------------------------------------

    def _columns(self) -> Iterator[tuple[Column, Link]]:
        for link, each in zip(self._tree.links, self._links, strict=True):
            for column in each.columns:
                yield column, link

    def _columns_on_path(self, link: Link, itself: bool) -> Iterator[Column]:
        """The columns of the links that carry a link, and perhaps its own."""
        for carrier in self._tree.path(link.index if itself else link.parent):
            yield from self._links[carrier.index].columns

    def _apply_inertia(self, link: Link, twist: Twist) -> Wrench:
        """I u."""
        return unit_wrench(self._k, self._composites[link.index].inertia, *twist)

    def _apply_2B(self, link: Link, twist: Twist) -> Wrench:
        """2 B u."""
        of_all, w = self._composites[link.index], twist[0]
        return self._vectors.cross(w, of_all.momentum), self._vectors.apply(of_all.K, w)

    def _row_of_2B(self, link: Link, S: Twist) -> Vector:
        """Sᵀ 2 B, whose linear part is zero."""
        of_all, vectors = self._composites[link.index], self._vectors
        return vectors.add(
            vectors.apply_transposed(of_all.K, S[0]), vectors.cross(of_all.momentum, S[1])
        )

    def _effort_derivative(self, row: ColumnDerivatives, first: Twist, second: Twist) -> Scalar:
        """Sᵀ (2 B first + I second)."""
        S_2B = self._vectors.dot(row.S_2B, first[0])
        return self._k.add(S_2B, self._twists.power(second, row.I_S))
