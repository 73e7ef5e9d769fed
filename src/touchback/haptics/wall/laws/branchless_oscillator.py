"""The mass, damper and spring of the laboratory over any scalar, without a branch: what a duration
does to a state, and when within it a wall is entered or left.

`closed_form_oscillator.py` solves it by exponentials and sines, case by case; constants that are
live cannot choose cases while they are traced. Here a power series of a short duration is doubled.
"""

from dataclasses import dataclass, field

from touchback import maximum, minimum, select, sqrt
from touchback.haptics.wall.closed_form_oscillator import Flow, State
from touchback.numbers import Scalar

_HALVINGS = 3  # of the duration, before the series
_TERMS = 14  # of the series: (π/8)^15/15! is below rounding
_DEGREE = 18  # of a whole period's: its slope's 2^18/18! is 4e-11 at the most damped
_REFINEMENTS = 4  # Newton's, of a crossing that a parabola guessed; bisected outside the bracket


@dataclass(frozen=True, eq=False)
class Motion:
    """m ÿ + b ẏ + k y = f: mass [kg], damping [N s/m], stiffness [N/m]."""

    mass: Scalar
    damping: Scalar
    stiffness: Scalar
    _known: dict[float, Flow] = field(default_factory=dict, init=False, repr=False)

    def flow(self, duration: Scalar) -> Flow:
        """The solution over a duration [s] of at most half a swing; numbers are solved once."""
        if not isinstance(duration, float):
            return self._solved(duration)
        if duration not in self._known:
            self._known[duration] = self._solved(duration)
        return self._known[duration]

    def _solved(self, duration: Scalar) -> Flow:
        t = duration * 0.5**_HALVINGS
        damping, square = self._numbers(t)
        # The answer h to a unit step of acceleration, term by term, and its derivative s.
        before: Scalar = 0.0
        term: Scalar = 0.5
        h, s = term, 2.0 * term
        for n in range(1, _TERMS - 1):
            before, term = term, -(damping * (n + 1) * term + square * before) / ((n + 1) * (n + 2))
            h, s = h + term, s + (n + 2) * term
        inverse = t / self.mass
        flow = Flow(
            1.0 - square * h, t * s, -self.stiffness * inverse * s, 1.0 - damping * s - square * h,
            h * t * inverse, s * inverse,
        )  # fmt: skip
        for _ in range(_HALVINGS):
            flow = _over_double_duration(flow)
        return flow

    def polynomial(self, y: Scalar, w: Scalar, force: Scalar, duration: Scalar) -> list[Scalar]:
        """y over shares u of a duration as a polynomial, from y and w = dy/du on."""
        damping, square = self._numbers(duration)
        push = force * duration * duration / self.mass
        terms = [y, w, 0.5 * (push - damping * w - square * y)]
        for n in range(1, _DEGREE - 1):
            rest = damping * (n + 1) * terms[n + 1] + square * terms[n]
            terms.append(-rest / ((n + 1) * (n + 2)))
        return terms

    def _numbers(self, t: Scalar) -> tuple[Scalar, Scalar]:
        return self.damping * t / self.mass, self.stiffness * t * t / self.mass


def _over_double_duration(flow: Flow) -> Flow:
    yy, yv, vy, vv, yf, vf = flow
    y, v = flow(State(yf, vf), 1.0)
    both = yy + vv
    return Flow(yy * yy + yv * vy, yv * both, vy * both, vy * yv + vv * vv, y, v)


def advance_period(
    free: Motion, in_contact: Motion, state: State, force: Scalar, period: Scalar
) -> State:
    """The continuous motion a period later (Gillespie 1996, 5.7, 5.11, 5.16), with up to two
    crossings of the wall within it. A graze that begins and ends on one side counts as none."""
    y, w = state.y, state.v * period
    inside = y < 0.0
    own = _chosen(inside, in_contact, free)
    other = _chosen(inside, free, in_contact)
    first = own.polynomial(y, w, force, period)
    end, slope = _at(first, 1.0)
    crossed = select(inside, end >= 0.0, end < 0.0)
    u = _root(first, 1.0, select(inside, -1.0, 1.0))
    w = _at(first, u)[1]
    rest = 1.0 - u
    second = other.polynomial(0.0, w, force, period)
    there, fast = _at(second, rest)
    back = select(inside, there < 0.0, there >= 0.0)
    again = _root(second[1:], rest, select(inside, 1.0, -1.0))
    w = _at(second, again)[1]
    third = own.polynomial(0.0, w, force, period)
    home, quick = _at(third, rest - again)
    y = select(crossed, select(back, home, there), end)
    v = select(crossed, select(back, quick, fast), slope)
    return State(y, v / period)


def crossing(
    motion: Motion, y: Scalar, v: Scalar, force: Scalar, period: Scalar, edge: Scalar
) -> Scalar:
    """The share of a period after which a motion passes an edge [m] that lies between its ends;
    anything between 0 and 1 if none does."""
    return polynomial_crossing(motion.polynomial(y, v * period, force, period), edge)


def polynomial_crossing(terms: list[Scalar], edge: Scalar) -> Scalar:
    """The share from 0 to 1 at which a polynomial passes an edge that lies between its ends;
    anything there if none does."""
    falls = sum(terms[1:]) < 0.0  # asked of its ends, since it may begin on the edge itself
    return _root([terms[0] - edge, *terms[1:]], 1.0, select(falls, 1.0, -1.0))


def _chosen(condition: Scalar, yes: Motion, no: Motion) -> Motion:
    return Motion(
        select(condition, yes.mass, no.mass), select(condition, yes.damping, no.damping),
        select(condition, yes.stiffness, no.stiffness),
    )  # fmt: skip


def is_known_false(condition: Scalar) -> bool:
    """Whether a condition is a number, and zero: of an expression nobody knows yet."""
    return isinstance(condition, float | int) and not condition


def is_zero(number: Scalar) -> Scalar:
    """Whether a number is zero: `==` of expressions asks whether they are the same one."""
    return maximum(number, -number) <= 0.0


def _at(terms: list[Scalar], u: Scalar) -> tuple[Scalar, Scalar]:
    """A polynomial and its derivative (Horner)."""
    y, slope = terms[-1], 0.0
    for term in reversed(terms[:-1]):
        slope = slope * u + y
        y = y * u + term
    return y, slope


def _root(terms: list[Scalar], end: Scalar, sign: Scalar) -> Scalar:
    """Where a polynomial that has the `sign` at 0 and the other one at `end` is zero; anything in
    between if it has no other sign there."""
    y, w, bend = (sign * term for term in terms[:3])
    under = sqrt(maximum(w * w - 4.0 * bend * y, 0.0)) - w
    u = minimum(select(under > 0.0, 2.0 * y / select(under > 0.0, under, 1.0), end), end)
    low, high = 0.0 * end, end
    for _ in range(_REFINEMENTS):
        y, slope = _at(terms, u)
        before = y * sign > 0.0
        low, high = select(before, u, low), select(before, high, u)
        tried = u - y / select(is_zero(slope), 1.0, slope)
        within = select(tried >= low, tried <= high, 0.0)
        u = select(within, tried, 0.5 * (low + high))
    return u
