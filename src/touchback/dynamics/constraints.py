"""All constraint rows of a model over any scalars: h(q, t) = 0, J v = b, J a + γ = 0.

Multipliers act through Jᵀ: a row's multiplier is the generalised force that keeps it.
"""

from collections.abc import Mapping, Sequence

from msgspec import structs

from touchback.dynamics.constraint_row import Row, RowFriction
from touchback.dynamics.crba import Entries
from touchback.dynamics.forward_dynamics import MassMatrixFactors, configuration_rate
from touchback.dynamics.loop_closures import closure_rows
from touchback.dynamics.mechanism_instant import Coordinates, Instant, Unforced
from touchback.errors import ModelError
from touchback.model import (
    AnyCoupling,
    Constraint,
    Drive,
    Frame,
    Value,
    coordinate_of,
    is_zero,
    regularised_coulomb,
)
from touchback.numbers import Scalar, Vector
from touchback.spatial import ZERO
from touchback.symbolic import Place, Scalars, Tape, evaluate, jacobian, jvp, lower, replay


def constraint_rows(instant: Instant) -> list[Row]:
    """Rows of the active closures, couplings, written constraints and drives, in this order."""
    model, rows = instant.model, _rows_without_rates(instant)
    rows += [
        constraint_row(instant, x, kept) for x, kept in model.constraints.items() if kept.active
    ]
    return rows + [
        drive_row(instant, x, drive) for x, drive in model.drives.items() if drive.active
    ]


def _rows_without_rates(instant: Instant) -> list[Row]:
    """Those of closures and couplings: nothing in them is derived."""
    model = instant.model
    rows = [
        row
        for name, closure in model.closures.items()
        if closure.active
        for row in closure_rows(instant, name, closure)
    ]
    return rows + [
        coupling_row(instant, x, kind) for x, kind in model.couplings.items() if kind.active
    ]


def position_rows(instant: Instant) -> list[Row]:
    """The same rows over floats with residuals and Jacobians alone: rates of drives aren't derived,
    and written constraints are on a tape beside the instant."""
    model, written = instant.model, dict[str, Row]()
    if any(kept.active for kept in model.constraints.values()):
        written = _written_rows(instant)
    still = {
        name: structs.replace(drive, velocity=0.0, acceleration=0.0)
        for name, drive in model.drives.items()
        if drive.active
    }
    rows = _rows_without_rates(instant)
    rows += [written[x] for x, kept in model.constraints.items() if kept.active]
    return rows + [drive_row(instant, x, drive) for x, drive in still.items()]


def _written_rows(instant: Instant) -> dict[str, Row]:
    """Rows of active written constraints, evaluated at an instant over floats."""
    model, at, tape = instant.model, instant.at, Tape()
    numbers, places = list[float](), dict[int, Place]()

    def symbol(name: str, number: Scalar) -> int:
        made = tape.symbol(name)
        places[made] = ("x", len(numbers))
        numbers.append(float(number))
        return made

    symbols = Coordinates(
        [symbol(f"q:{i}", x) for i, x in enumerate(at.q)],
        [symbol(f"v:{i}", x) for i, x in enumerate(at.v)],
        {name: symbol(f"z:{name}", x) for name, x in at.z.items()},
        {name: symbol(f"u:{name}", x) for name, x in at.u.items()},
        symbol("time", at.time),
        {name: symbol(f"p:{name}", x) for name, x in at.parameters.items()},
    )
    on_tape = Instant(model, tape, symbols)
    found = dict[str, Row]()
    for name, kept in model.constraints.items():
        if kept.active:
            row = constraint_row(on_tape, name, kept)
            outputs = [*row.J.values(), *(() if row.h is None else (row.h,))]
            values = evaluate(lower(tape, outputs, places), {"x": numbers})
            h = None if row.h is None else values[-1]
            J = dict(zip(row.J, values[: len(row.J)], strict=True))
            found[name] = Row(name, row.unit, h, J)
    return found


def apply_multipliers(instant: Instant, rows: list[Row], multipliers: Sequence[Scalar]) -> None:
    """Let closures push their bodies, for reactions, once the applied forces have been used. What
    isn't active pushes nothing: its multipliers are zero."""
    k, vectors = instant.k, instant.vectors
    for names in instant.model.constraint_rows().values():
        instant.multipliers.update(dict.fromkeys(names, 0))
    for row, multiplier in zip(rows, multipliers, strict=True):
        instant.multipliers[row.name] = multiplier
        for action in row.actions:
            R = instant.link_pose(action.common)[0]
            force, torque = (
                vectors.apply(R, [k.mul(multiplier, x) for x in part])
                for part in (action.force, action.torque)
            )
            instant.push(action.frame, force, torque)
            if action is row.actions[-1]:
                _add_to_cut(instant, row.name, action.frame, force, torque)
    for name in instant.model.closures:
        instant.cuts.setdefault(name, (ZERO, ZERO))
    instant.solved = True


def _add_to_cut(instant: Instant, row: str, frame: Frame, force: Vector, torque: Vector) -> None:
    """The wrench on a closure's second body, at and along its frame."""
    vectors, name = instant.vectors, _closure_of(instant, row)
    R = instant.rotation(frame)
    F, N = instant.cuts.get(name, (ZERO, ZERO))
    instant.cuts[name] = (
        vectors.add(F, vectors.apply_transposed(R, force)),
        vectors.add(N, vectors.apply_transposed(R, torque)),
    )


def _closure_of(instant: Instant, row: str) -> str:
    return row if row in instant.model.closures else row.rpartition(".")[0]


__all__ = ["Row", "apply_multipliers", "closure_rows", "constraint_rows"]


def coupling_row(instant: Instant, name: str, kind: AnyCoupling) -> Row:
    """Σ factor · q = offset."""
    k = instant.k
    h: Scalar = -instant.value(kind.offset)
    J: dict[int, Scalar] = {}
    for named, place, factor in kind.terms():
        joint, index = coordinate_of(instant.model.joints, named, place)
        weight = instant.value(factor)
        h = k.add(h, k.mul(weight, instant.coordinate(joint, index)))
        J[instant.freedom(joint, index)] = weight
    return Row(name, _coordinate_unit(instant, *kind.terms()[0][:2]), h, J)


def constraint_row(instant: Instant, name: str, given: Constraint) -> Row:
    """ḣ = (∂h/∂q) q̇ + ∂h/∂t is linear in v: J is its derivative by v, γ its rate at a = 0."""
    label = f"Constraint '{name}'"
    tape, flow = _tape(instant, label), _along_motion(instant)
    v = list(instant.at.v)
    if given.position is not None:
        h = instant.value(given.position)
        if _uses(tape, h, v):
            raise ModelError(f"{label}: its position uses velocities; give it as `velocity`.")
        rate = jvp(tape, [h], flow)[0]
    else:
        h, rate = None, instant.value(0.0 if given.velocity is None else given.velocity)
    _refuse_states(instant, label, h or rate)
    columns = jacobian(tape, [rate], v)[0]
    J = {freedom: column for freedom, column in enumerate(columns) if column}
    if not J:
        raise ModelError(f"{label}: its expression doesn't depend on any coordinate.")
    if any(_uses(tape, entry, v) for entry in J.values()):
        raise ModelError(f"{label}: it must be linear in the velocities.")
    b = -rate if h is None else -jvp(tape, [h], {instant.at.time: 1})[0]
    if h is None:
        for freedom, column in J.items():
            b = tape.add(b, tape.mul(column, v[freedom]))
    through = {} if given.through is None else {instant.freedom(*given.through): 1}
    row = Row(name, given.unit, h, J, b, jvp(tape, [rate], flow)[0], through)
    if given.slides is not None and not is_zero(given.friction):
        row.friction = _row_friction(instant, label, given, given.slides)
    return row


def _row_friction(instant: Instant, label: str, given: Constraint, slides: Value) -> RowFriction:
    tape, v = _tape(instant, label), list(instant.at.v)
    slip = instant.value(slides)
    slopes = {i: slope for i, slope in enumerate(jacobian(tape, [slip], v)[0]) if slope}
    if not slopes or any(_uses(tape, slope, v) for slope in slopes.values()):
        raise ModelError(
            f"{label}: `slides` must be a sliding velocity, linear in the rates of coordinates."
        )
    share = regularised_coulomb(instant, given.friction, given.slip_speed, 1, [slip])[0]
    still = {symbol: symbol for symbol in tape.symbols.values()} | dict.fromkeys(v, 0)
    return RowFriction(share, slip, replay(tape, [slip], tape, still)[0], slopes)


def drive_row(instant: Instant, name: str, given: Drive) -> Row:
    """q = f(t), v = f′, a = f″ (Docquier 2021, eq. 10); the multiplier is the effort (eq. 13)."""
    label = f"Drive '{name}'"
    f = instant.value(given.position)
    rate = (
        _rate_of(instant, label, f)
        if given.velocity is None
        else instant.value(0.0 if given.velocity is None else given.velocity)
    )
    if given.acceleration is None:
        curvature = _rate_of(instant, label, rate)
    else:
        curvature = instant.value(given.acceleration)
    h = instant.k.sub(instant.coordinate(given.joint, given.index), f)
    unit = _coordinate_unit(instant, given.joint, given.index)
    return Row(name, unit, h, {instant.freedom(given.joint, given.index): 1}, rate, -curvature)


def _coordinate_unit(instant: Instant, name: str, index: int) -> str:
    joint, place = coordinate_of(instant.model.joints, name, index)
    return instant.model.joints[joint].kind.velocity_units()[place].removesuffix("/s")


def _rate_of(instant: Instant, label: str, scalar: Scalar) -> Scalar:
    tape = _tape(instant, label)
    if _uses(tape, scalar, [*instant.at.q, *instant.at.v]):
        raise ModelError(
            f"{label}: its motion uses coordinates; a drive is a function of time and inputs. Use "
            "a coupling or model.constrain(…) instead."
        )
    _refuse_states(instant, label, scalar)
    return jvp(tape, [scalar], {instant.at.time: 1})[0]


def _refuse_states(instant: Instant, label: str, scalar: Scalar) -> None:
    """Their second rates aren't known."""
    for state, symbol in instant.at.z.items():
        if _uses(_tape(instant, label), scalar, [symbol]):
            raise ModelError(
                f"{label}: it uses the state '{state}', whose second rate isn't known. Use "
                "positions, time, inputs and parameters (a drive: also give its velocity and "
                "acceleration)."
            )


def _uses(tape: Tape, scalar: Scalar, symbols: Sequence[Scalar]) -> bool:
    return any(jacobian(tape, [scalar], list(symbols))[0]) if symbols else False


def _along_motion(instant: Instant) -> dict[int, Scalar]:
    """Rates of everything that moves by itself: positions and time."""
    rates = configuration_rate(instant)
    flow = dict(zip(instant.at.q, rates, strict=True))
    flow[instant.at.time] = 1
    return flow


def _tape(instant: Instant, label: str) -> Tape:
    if not isinstance(instant.k, Tape):
        raise ModelError(f"{label}: its rates are derived on a tape only.")
    return instant.k


_REPEATED = 1e-7  # of a row's slopes by passive coordinates: rows that repeat others stay solvable
_TOGGLE = 1e-9  # of its slopes by held ones: what bounds a transmission near dead centres
_LEAST = 1e-30  # of rows that tie nothing at the moment


def transmission(instant: Instant, held: frozenset[int]) -> dict[int, dict[int, Scalar]]:
    """T of v_U = T v_P: how passive coordinates U follow held ones P through closures, couplings
    and written constraints, J_U T = −J_P, by both; zeros aren't there. A coordinate with a drive is
    neither.

    Forces in U reach P by Tᵀ, so held joints carry Q_P + Tᵀ Q_U. Where U keeps freedoms of its own,
    it moves least, as its inertias M_ii weigh it; what moves these freedoms isn't carried."""
    k, M = instant.k, instant.unforced.mass_matrix
    driven = {instant.freedom(x.joint, x.index) for x in instant.model.drives.values() if x.active}
    passive, slopes = list[dict[int, Scalar]](), list[dict[int, Scalar]]()
    for tie in _tying_rows(instant):
        entries = {i: x for i, x in tie.J.items() if not is_nothing(x) and i not in driven}
        if not entries.keys() <= held:
            passive.append({i: x for i, x in entries.items() if i not in held})
            slopes.append({i: x for i, x in entries.items() if i in held})
    mobility = {i: _inverse(k, M.get((i, i), 0)) for row in (*passive, *slopes) for i in row}
    A = _products(k, passive, mobility)
    for i, row in enumerate(slopes):
        spread = k.mul(k.const(_TOGGLE), _weighed(k, row, row, mobility))
        repeated = k.mul(k.const(1.0 + _REPEATED), A[i, i])
        A[i, i] = k.add(k.const(_LEAST), k.add(repeated, spread))
    n = len(slopes)
    factors = MassMatrixFactors(k, A, range(-1, n - 1), range(n))
    found: dict[int, dict[int, Scalar]] = {}
    for column in sorted({i for row in slopes for i in row}):
        shares = factors.solve([row.get(column, 0) for row in slopes])
        for row, share in zip(passive, shares, strict=True):
            for i, x in row.items():
                own = found.setdefault(i, {})
                own[column] = k.sub(own.get(column, 0), k.mul(mobility[i], k.mul(x, share)))
    return {i: {j: x for j, x in row.items() if not is_nothing(x)} for i, row in found.items()}


Unforced.transmit = staticmethod(transmission)


def _tying_rows(instant: Instant) -> list[Row]:
    """Those by which coordinates follow others. What pushes elsewhere than it measures is a law."""
    kept = {x: each for x, each in instant.model.constraints.items() if each.active}
    if isinstance(instant.k, Tape):
        rows = {name: constraint_row(instant, name, given) for name, given in kept.items()}
    else:
        rows = _written_rows(instant) if kept else {}
    written = [rows[name] for name, given in kept.items() if given.through is None]
    return _rows_without_rates(instant) + written


def is_nothing(scalar: Scalar) -> bool:
    """Whether it is the structural zero."""
    return isinstance(scalar, int) and scalar == 0


def _inverse(k: Scalars, inertia: Scalar) -> Scalar:
    """1 where there is none."""
    return 1 if is_nothing(inertia) else k.div(1, inertia)


def _products(
    k: Scalars, rows: Sequence[Mapping[int, Scalar]], weights: Mapping[int, Scalar]
) -> Entries:
    """Those of all rows with each other."""
    return {
        (i, j): _weighed(k, one, other, weights)
        for i, one in enumerate(rows)
        for j, other in enumerate(rows)
    }


def _weighed(
    k: Scalars,
    one: Mapping[int, Scalar],
    other: Mapping[int, Scalar],
    weights: Mapping[int, Scalar],
) -> Scalar:
    """Σ w a b."""
    total: Scalar = 0
    for i, x in one.items():
        if i in other:
            total = k.add(total, k.mul(weights[i], k.mul(x, other[i])))
    return total
