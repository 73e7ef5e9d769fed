"""Dynamics and rollouts as casadi's own expressions: the same operations on its scalars, so that
its derivatives, solvers and code generators see inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from touchback import Rollout, System, rollout
from touchback.errors import InputError
from touchback.interop.operations.differentiable_operation import needed
from touchback.names import names_once, unknown
from touchback.numbers import shown
from touchback.symbolic import Program, ops
from touchback.system import Function
from touchback.system.variational_equations import variational_functions

_FUNCTIONS = {  # what is known of a system, and its further argument
    "forward dynamics": "tau",
    "inverse dynamics": "a",
    "mass matrix": "",
    "bias": "",
    "energy": "",
    "momentum": "",
    "centre of mass": "",
    "rate": "",
    "outputs": "",
}

if TYPE_CHECKING:
    import casadi


def to_casadi(
    what: Rollout | System,
    function: str = "forward dynamics",
    parameters: Sequence[str] = (),
) -> casadi.Function:
    """A `casadi.Function`. Of a rollout (x0, inputs, parameters) → states, a column for each step.
    Of a system one of its functions by name, (q, v, tau or a, u, t, z, p) → result, with those
    `parameters` in p that are named, and the others as they are now; what isn't given is zero:
    f(q=…, v=…, tau=…)["result"]. With constraints "rate" alone, with them as of a rollout."""
    library = needed("tb.to_casadi", "casadi")
    if isinstance(what, Rollout):
        return _rolled_out(library, what)
    if isinstance(what, System):
        return _by_name(library, what, function, parameters)
    raise InputError(
        f"tb.to_casadi: a rollout (tb.rollout) or a compiled system is expected, got {shown(what)}."
    )


# ---- functions of a system ----------------------------------------------------------------------


def _by_name(casadi: Any, system: System, name: str, parameters: Sequence[str]) -> Any:
    if name not in _FUNCTIONS:
        raise InputError(str(unknown("function", name, _FUNCTIONS)))
    if system.constrained and name != "rate":
        raise InputError(
            f"{system.name}: with constraints it is solved for its motion; take its 'rate', or "
            "give a rollout, tb.rollout(system, …)."
        )
    layout, parameters = system.layout, names_once("parameters", parameters)
    sizes = {"q": len(layout.q), "v": len(layout.v)}
    if further := _FUNCTIONS[name]:
        sizes[further] = len(layout.v)
    sizes |= {"u": len(layout.inputs), "t": 1, "z": len(layout.z), "p": len(parameters)}
    at = {key: casadi.SX.sym(key, size) for key, size in sizes.items()}
    x = casadi.vertcat(at["q"], at["v"], at["z"])
    u = casadi.vertcat(at["t"], at["u"], *([at[further]] if further else []))
    p = _parameters(casadi, system, parameters, at["p"])
    if system.constrained:
        found = _rates(casadi, rollout(system, 1), at["u"], p)[0](at["t"], x)
    else:
        found = _shaped(casadi, system.function(name), x, u, p)
    label = name.replace(" ", "_")
    return casadi.Function(label, list(at.values()), [found], list(at), ["result"])


def _shaped(casadi: Any, own: Function, x: Any, u: Any, p: Any) -> Any:
    found = _traced(casadi, own, x, u, p)
    if len(own.shape) < 2:
        return found
    return casadi.reshape(found, *reversed(own.shape)).T  # its columns are our rows


def _parameters(casadi: Any, system: System, names: Sequence[str], varying: Any) -> Any:
    """All of them, some of which vary."""
    p = casadi.SX(casadi.DM(system.parameter_values()))
    for i, name in enumerate(names):
        p[system.layout.index(name)] = varying[i]
    return p


# ---- rollouts -----------------------------------------------------------------------------------


def _rolled_out(casadi: Any, rollout: Rollout) -> Any:
    system, plan = rollout.system, rollout.plan
    if system.modes:
        raise plan.refusal("casadi knows no modes: its mechanism has some")
    nx, nu = len(system.state_names), len(system.layout.inputs)
    names = list(rollout.parameters)
    x, u, t = casadi.SX.sym("x", nx), casadi.SX.sym("u", nu), casadi.SX.sym("t")
    varying = casadi.SX.sym("p", len(names))
    p = _parameters(casadi, system, names, varying)
    rate, turn = _rates(casadi, rollout, u, p)
    if plan.method == "rk4":
        after = rk4_step(rate, rollout.step, t, x)
    else:
        after = _euler_step(casadi, rate, turn, system.sizes[0], rollout.step, t, x)
    step = casadi.Function("step", [x, u, t, varying], [after])
    start, held = casadi.MX.sym("x0", nx), casadi.MX.sym("inputs", nu, rollout.steps)
    values = casadi.MX.sym("parameters", len(names))
    times = casadi.DM(rollout.times[:-1]).T
    every = step.mapaccum("steps", rollout.steps)(
        start, held, times, casadi.repmat(values, 1, rollout.steps)
    )
    return casadi.Function(
        "rollout", [start, held, values], [casadi.horzcat(start, every)],
        ["x0", "inputs", "parameters"], ["states"],
    )  # fmt: skip


def _rates(
    casadi: Any, rollout: Rollout, u: Any, p: Any
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """ẋ, and dq/dt alone, at a time and a state."""
    system, plan = rollout.system, rollout.plan
    own, nq, nv = system.dynamics.active_equations(system.key).functions, *system.sizes[:2]

    def turning(t: Any, x: Any) -> Any:
        return _traced(casadi, own["configuration rate"], x, casadi.vertcat(t, u), p)

    if not system.constrained:
        return lambda t, x: _traced(casadi, own["rate"], x, casadi.vertcat(t, u), p), turning
    flow = variational_functions(system.dynamics, system.key, plan.parameters, plan.pull)
    n = nv + len(system.constraint_names)

    def solved(t: Any, x: Any) -> Any:
        found = _traced(casadi, flow["equations"], x, casadi.vertcat(t, u), p)
        r, K = found[:n], casadi.reshape(found[n : n + n * n], n, n).T
        given = found[n + n * n :]
        return casadi.vertcat(given[:nq], casadi.solve(K, -r)[:nv], given[nq:])

    return solved, turning


def rk4_step(rate: Callable[[Any, Any], Any], h: Any, t: Any, x: Any) -> Any:
    """The state `h` seconds after x, of ẋ = rate(t, x)."""
    k1 = rate(t, x)
    k2 = rate(t + h / 2, x + h / 2 * k1)
    k3 = rate(t + h / 2, x + h / 2 * k2)
    k4 = rate(t + h, x + h * k3)
    return x + h / 6 * (k1 + 2 * (k2 + k3) + k4)


def _euler_step(casadi: Any, rate: Any, turn: Any, nq: int, h: float, t: Any, x: Any) -> Any:
    after = x[nq:] + h * rate(t, x)[nq:]
    return casadi.vertcat(x[:nq] + h * turn(t, casadi.vertcat(x[:nq], after)), after)


# ---- programs -----------------------------------------------------------------------------------


def _traced(casadi: Any, function: Function, x: Any, u: Any, p: Any) -> Any:
    """A function on casadi's scalars: its parameter stage, then itself."""
    block = _evaluated(casadi, function.first, {"x": p})
    return casadi.vertcat(*_evaluated(casadi, function.second, {"x": x, "u": u, "p": block}))


def _evaluated(casadi: Any, program: Program, arrays: Mapping[str, Any]) -> Sequence[Any]:
    values: list[Any] = [casadi.SX(0.0)] * len(program.op)
    meaning = _meanings(casadi)
    for i, op in enumerate(program.op):
        if op == ops.CONST:
            values[i] = casadi.SX(program.values[i])
        elif op == ops.INPUT:
            array, index = program.inputs[i]
            values[i] = arrays[array][index]
        elif op in meaning:
            places = (program.a[i], program.b[i], program.c[i])[: ops.ARITY[op]]
            values[i] = meaning[op](*(values[place] for place in places))
        else:
            raise InputError(
                "tb.to_casadi: a table can't become an expression; describe its law by functions."
            )
    return [values[o] if o >= 0 else -values[-o] for o in program.outputs]


def _meanings(casadi: Any) -> dict[int, Callable[..., Any]]:
    return {
        ops.ADD: lambda a, b: a + b,
        ops.SUB: lambda a, b: a - b,
        ops.MUL: lambda a, b: a * b,
        ops.DIV: lambda a, b: a / b,
        ops.FMA: lambda a, b, c: a * b + c,
        ops.FNMA: lambda a, b, c: c - a * b,
        ops.FMS: lambda a, b, c: a * b - c,
        ops.NEG: lambda a: -a,
        ops.SQRT: casadi.sqrt,
        ops.ABS: casadi.fabs,
        ops.FLOOR: casadi.floor,
        ops.MIN: casadi.fmin,
        ops.MAX: casadi.fmax,
        ops.LT: lambda a, b: a < b,
        ops.LE: lambda a, b: a <= b,
        ops.EQ: lambda a, b: a == b,
        ops.SELECT: lambda a, b, c: casadi.if_else(a != 0, b, c),
        ops.SIN: casadi.sin,
        ops.COS: casadi.cos,
        ops.ASIN: casadi.asin,
        ops.ACOS: casadi.acos,
        ops.EXP: casadi.exp,
        ops.LOG: casadi.log,
        ops.SINH: casadi.sinh,
        ops.COSH: casadi.cosh,
        ops.TANH: casadi.tanh,
        ops.ATAN2: casadi.atan2,
        ops.POW: casadi.power,
    }
