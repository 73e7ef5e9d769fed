"""Where two implicit surfaces are nearest: Kosenko's algebraic and differential systems.

With g_A, g_B the surfaces' equations in world coordinates, the points P_A, P_B and the numbers λ, μ
obey (Kosenko 2015, eq. 5)

    ∇g_A(P_A) = λ ∇g_B(P_B),   P_A − P_B = μ ∇g_B(P_B),   g_A(P_A) = 0,   g_B(P_B) = 0:

a common normal, on which both points lie. μ > 0 where the bodies are apart, λ < 0 where they face
each other. Newton's method on (5) and the rates (eq. 7, 8 with its second line corrected) are the
same linear system with different right-hand sides:

    H_A x_A − λ H_B x_B − x_λ ∇g_B = b₁        H: Hessians
    x_A − x_B − μ H_B x_B − x_μ ∇g_B = b₂
    ∇g_A·x_A = b₃,   ∇g_B·x_B = b₄

It is solved in closed form: x_A by the second line, x_μ by the third, the part of x_B along ∇g_B by
the fourth; two tangential unknowns are left, whose matrix is singular only where the surfaces share
a flat direction. Nothing is pivoted, so it runs on the tape.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from touchback.contact.surfaces import Surface, ValueOf, refined, shape_at
from touchback.model import Scalars, Vectors
from touchback.numbers import Matrix, Scalar, Vector


@dataclass(frozen=True)
class Side:
    """A surface in the axes of a frame with the pose R_WF, p_WF."""

    surface: Surface
    R: Matrix
    p: Vector


@dataclass(frozen=True)
class Twist:
    """Angular velocity of a body and velocity of the frame's origin, along world axes."""

    omega: Vector
    v: Vector


@dataclass(frozen=True)
class Nearest:
    """The unknowns of (5): P_A, P_B along world axes, λ, μ, and hidden coordinates of surfaces."""

    on_a: Vector
    on_b: Vector
    ratio: Scalar
    reach: Scalar
    hidden_a: Scalar = 0
    hidden_b: Scalar = 0


@dataclass(frozen=True)
class WorldShape:
    """A surface at a point along world axes: g, its gradient N, its Hessian H, ∂w/∂r."""

    g: Scalar
    N: Vector
    H: Matrix
    hidden_slope: Vector


@dataclass(frozen=True)
class _TrackingRequest:
    """Right-hand sides b₁ … b₄."""

    normals: Vector
    points: Vector
    on_a: Scalar
    on_b: Scalar


class Tracking:
    """Systems (5) and (7–8) of two surfaces over the scalars `k`."""

    def __init__(self, k: Scalars, value: ValueOf, a: Side, b: Side) -> None:
        self.k, self.value, self.a, self.b = k, value, a, b
        self.vectors = Vectors(k)

    def guess(self, on_a: Vector, on_b: Vector, hidden_a: Scalar, hidden_b: Scalar) -> Nearest:
        """λ and μ that fit two points best."""
        k, vectors = self.k, self.vectors
        at = Nearest(on_a, on_b, 0, 0, hidden_a, hidden_b)
        A, B = self.both(at)
        square = vectors.dot(B.N, B.N)
        ratio = k.div(vectors.dot(A.N, B.N), square)
        reach = k.div(vectors.dot(vectors.sub(on_a, on_b), B.N), square)
        return replace(at, ratio=ratio, reach=reach)

    def residual(self, at: Nearest) -> list[Scalar]:
        """What is left of (5): three, three, one and one."""
        found = self._residual(at, *self.both(at))
        return [*found.normals, *found.points, found.on_a, found.on_b]

    def newton(self, at: Nearest) -> Nearest:
        """A step of Newton's method, hidden coordinates first."""
        at = self.refined(at)
        A, B = self.both(at)
        return self._stepped(at, A, B, A, B)

    def differentiable_root(self, at: Nearest) -> Nearest:
        """What Newton's method has found, as a function of the poses: for the tape, whose first
        derivatives of it are those of system (8).

        A root is one wherever the search began, so its numbers are held still, and so is the
        matrix of one more step; only the residual of that step follows the poses."""
        k = self.k
        at = self.refined(Nearest(*(_without_derivatives(k, part) for part in _field_values(at))))
        A, B = self.both(at)
        still_a, still_b = (
            WorldShape(*(_without_derivatives(k, part) for part in _field_values(x)))
            for x in (A, B)
        )
        return self._stepped(at, A, B, still_a, still_b)

    def _stepped(
        self, at: Nearest, A: WorldShape, B: WorldShape, by_a: WorldShape, by_b: WorldShape
    ) -> Nearest:
        """A step for the residual at A and B by the matrix there, or that of other shapes."""
        k, vectors = self.k, self.vectors
        r = self._residual(at, A, B)
        wanted = _TrackingRequest(vectors.neg(r.normals), vectors.neg(r.points), -r.on_a, -r.on_b)
        step = self._solve(at, by_a, by_b, wanted)
        on_a, on_b = vectors.add(at.on_a, step.on_a), vectors.add(at.on_b, step.on_b)
        w_a = k.add(at.hidden_a, vectors.dot(by_a.hidden_slope, step.on_a))
        w_b = k.add(at.hidden_b, vectors.dot(by_b.hidden_slope, step.on_b))
        ratio, reach = k.add(at.ratio, step.ratio), k.add(at.reach, step.reach)
        return Nearest(on_a, on_b, ratio, reach, w_a, w_b)

    def rates(self, at: Nearest, of_a: Twist, of_b: Twist) -> Nearest:
        """d/dt of the unknowns for moving bodies (7, 8)."""
        vectors = self.vectors
        A, B = self.both(at)
        v_a, v_b = (
            _point_velocity(vectors, of_a, self.a, at.on_a),
            _point_velocity(vectors, of_b, self.b, at.on_b),
        )
        left_a = vectors.sub(vectors.apply(A.H, v_a), vectors.cross(of_a.omega, A.N))
        left_b = vectors.sub(vectors.apply(B.H, v_b), vectors.cross(of_b.omega, B.N))
        wanted = _TrackingRequest(
            vectors.sub(left_a, vectors.scale(at.ratio, left_b)),
            vectors.neg(vectors.scale(at.reach, left_b)),
            vectors.dot(A.N, v_a),
            vectors.dot(B.N, v_b),
        )
        x = self._solve(at, A, B, wanted)
        w_a = vectors.dot(A.hidden_slope, vectors.sub(x.on_a, v_a))
        w_b = vectors.dot(B.hidden_slope, vectors.sub(x.on_b, v_b))
        return Nearest(x.on_a, x.on_b, x.ratio, x.reach, w_a, w_b)

    def normal(self, at: Nearest) -> tuple[Vector, Scalar]:
        """The unit normal out of B at P_B, and the gap [m] along it, negative in an overlap."""
        k, vectors = self.k, self.vectors
        N = self.surface_at(self.b, at.on_b, at.hidden_b).N
        length = vectors.norm(N)
        return vectors.scale(k.div(1, length), N), k.mul(at.reach, length)

    def curvatures(self, at: Nearest) -> tuple[Matrix, Matrix]:
        """Curvatures of A and B [1/m] along two tangents of B, positive where they bulge: symmetric
        2 × 2 matrices."""
        k, vectors = self.k, self.vectors
        A, B = self.both(at)
        tangents = _tangents(k, vectors, B.N)
        found = []
        for side in (A, B):
            inverse = k.div(1, vectors.norm(side.N))
            bent = [vectors.apply(side.H, t) for t in tangents]
            found.append([[k.mul(inverse, vectors.dot(t, x)) for x in bent] for t in tangents])
        return found[0], found[1]

    def refined(self, at: Nearest) -> Nearest:
        """Hidden coordinates that fit the points better."""
        w_a = self.refined_on(self.a, at.on_a, at.hidden_a)
        w_b = self.refined_on(self.b, at.on_b, at.hidden_b)
        return replace(at, hidden_a=w_a, hidden_b=w_b)

    # ---- the linear system ----------------------------------------------------------------------

    def _residual(self, at: Nearest, A: WorldShape, B: WorldShape) -> _TrackingRequest:
        vectors = self.vectors
        normals = vectors.sub(A.N, vectors.scale(at.ratio, B.N))
        apart = vectors.sub(vectors.sub(at.on_a, at.on_b), vectors.scale(at.reach, B.N))
        return _TrackingRequest(normals, apart, A.g, B.g)

    def _tangential(self, at: Nearest, A: WorldShape, B: WorldShape) -> tuple[list[Vector], Matrix]:
        """Two tangents t of B, and M_ij = t_i·S t_j − (t_i·H_A N_B)(N_A·K t_j)/(N_A·N_B) with
        K = 1 + μ H_B and S = H_A K − λ H_B."""
        k, vectors = self.k, self.vectors
        tangents = _tangents(k, vectors, B.N)
        along = k.div(1, vectors.dot(A.N, B.N))
        bent = vectors.apply(A.H, B.N)
        M: list[list[Scalar]] = [[0, 0], [0, 0]]
        for j, t in enumerate(tangents):
            Kt, St = self._through(at, A, B, t)
            shared = k.mul(along, vectors.dot(A.N, Kt))
            for i, other in enumerate(tangents):
                M[i][j] = k.sub(vectors.dot(other, St), k.mul(vectors.dot(other, bent), shared))
        return tangents, M

    def _through(
        self, at: Nearest, A: WorldShape, B: WorldShape, x: Vector
    ) -> tuple[Vector, Vector]:
        """K x and S x."""
        vectors = self.vectors
        Hx = vectors.apply(B.H, x)
        Kx = vectors.add(x, vectors.scale(at.reach, Hx))
        return Kx, vectors.sub(vectors.apply(A.H, Kx), vectors.scale(at.ratio, Hx))

    def _solve(self, at: Nearest, A: WorldShape, B: WorldShape, b: _TrackingRequest) -> Nearest:
        """x_A, x_B, x_λ, x_μ."""
        k, vectors = self.k, self.vectors
        tangents, M = self._tangential(at, A, B)
        square = vectors.dot(B.N, B.N)
        inverse, along = k.div(1, square), k.div(1, vectors.dot(A.N, B.N))
        normal = vectors.scale(k.mul(b.on_b, inverse), B.N)  # the known part of x_B
        K_normal, S_normal = self._through(at, A, B, normal)
        bent = vectors.apply(A.H, B.N)
        shift = k.sub(b.on_a, vectors.dot(A.N, vectors.add(b.points, K_normal)))
        turned = vectors.sub(vectors.sub(b.normals, vectors.apply(A.H, b.points)), S_normal)
        left = vectors.sub(turned, vectors.scale(k.mul(shift, along), bent))
        x, y = _solve_two_by_two(k, M, [vectors.dot(t, left) for t in tangents])
        slide = vectors.add(vectors.scale(x, tangents[0]), vectors.scale(y, tangents[1]))
        x_b = vectors.add(normal, slide)
        K_slide, S_slide = self._through(at, A, B, slide)
        x_mu = k.mul(along, k.sub(shift, vectors.dot(A.N, K_slide)))
        Kx = vectors.add(K_normal, K_slide)
        x_a = vectors.add(vectors.add(b.points, Kx), vectors.scale(x_mu, B.N))
        over = vectors.sub(vectors.add(S_slide, vectors.scale(x_mu, bent)), turned)
        return Nearest(x_a, x_b, k.mul(inverse, vectors.dot(B.N, over)), x_mu)

    # ---- surfaces along world axes --------------------------------------------------------------

    def both(self, at: Nearest) -> tuple[WorldShape, WorldShape]:
        A = self.surface_at(self.a, at.on_a, at.hidden_a)
        return A, self.surface_at(self.b, at.on_b, at.hidden_b)

    def surface_at(self, side: Side, point: Vector, hidden: Scalar) -> WorldShape:
        vectors = self.vectors
        r = vectors.apply_transposed(side.R, vectors.sub(point, side.p))
        shape = shape_at(side.surface, self.k, self.value, r, hidden)
        N, H = vectors.apply(side.R, shape.gradient), vectors.congruence(side.R, shape.hessian)
        return WorldShape(shape.f, N, H, vectors.apply(side.R, shape.hidden_slope))

    def refined_on(self, side: Side, point: Vector, hidden: Scalar) -> Scalar:
        vectors = self.vectors
        r = vectors.apply_transposed(side.R, vectors.sub(point, side.p))
        return refined(side.surface, self.k, self.value, r, hidden)


def _point_velocity(vectors: Vectors, twist: Twist, side: Side, point: Vector) -> Vector:
    """Velocity of the body's point (9)."""
    return vectors.add(twist.v, vectors.cross(twist.omega, vectors.sub(point, side.p)))


def _tangents(k: Scalars, vectors: Vectors, N: Vector) -> list[Vector]:
    """Two unit vectors square to N and to each other, without a branch that could be missed
    (Duff et al. 2017, Building an orthonormal basis, revisited)."""
    x, y, z = vectors.scale(k.div(1, vectors.norm(N)), N)
    sign = k.select(k.less(z, 0), k.neg(1), 1)
    a = k.neg(k.div(1, k.add(sign, z)))
    b = k.mul(k.mul(x, y), a)
    first = [k.add(1, k.mul(sign, k.mul(k.mul(x, x), a))), k.mul(sign, b), -k.mul(sign, x)]
    return [first, [b, k.add(sign, k.mul(k.mul(y, y), a)), -y]]


def _solve_two_by_two(k: Scalars, M: Matrix, b: Vector) -> tuple[Scalar, Scalar]:
    """M⁻¹ b."""
    inverse = k.div(1, k.sub(k.mul(M[0][0], M[1][1]), k.mul(M[0][1], M[1][0])))
    x = k.sub(k.mul(M[1][1], b[0]), k.mul(M[0][1], b[1]))
    y = k.sub(k.mul(M[0][0], b[1]), k.mul(M[1][0], b[0]))
    return k.mul(inverse, x), k.mul(inverse, y)


def _field_values(data: Nearest | WorldShape) -> list[Scalar]:
    return [getattr(data, field.name) for field in fields(data)]


def _without_derivatives(k: Scalars, x: Scalar) -> Scalar:
    """The same numbers without derivatives: scaled by 2²⁰⁰ a number is whole already (or 0), so
    that `floor`, whose derivative is zero, gives back the same bits."""
    if isinstance(x, Sequence):
        return [_without_derivatives(k, part) for part in x]
    return k.mul(k.const(2.0**-200), k.floor(k.mul(k.const(2.0**200), x)))
