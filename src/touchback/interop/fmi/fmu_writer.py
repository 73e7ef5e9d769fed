"""A model as a functional mock-up unit, with its C sources and a binary for this machine.

Importers read modelDescription.xml and buildDescription.xml before the code; units are written as
FMI has them: exponents of base units, a factor and an offset.

For directional derivatives: accelerations and multipliers s = [a, λ] solve r = [M a + c − τ − Wᵀλ,
J a + γ] = 0. Along a variation of what is known, of [x, t, inputs, parameters],

    positions that depend on others follow by    J δ = −dh,
    velocities by                                J δv = −d(J v − b),
    and the solution by                          K ds = −dr,  K = [[M, −Wᵀ], [J, 0]].

dh, d(J v − b), dr and what sensors show are differentiated by the tape, at fixed s."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from touchback import Model, System
from touchback.codegen import C99, print_c
from touchback.dynamics import configuration_rate, constraint_rows
from touchback.errors import InputError
from touchback.interop.c_project.c_project import CModel, c_model
from touchback.interop.fmi.fmu_binary import OPTIONS, build_library, platform_folders
from touchback.interop.generated_folder import checked_step
from touchback.interop.languages.model_programs import refuse_features
from touchback.model import Input, Parameter
from touchback.numbers import shown
from touchback.safe_files import check_output, write_atomically
from touchback.simulate import COPIES, MEMORIES, MODES, RIGID, RUBBING, initial_state, read_inputs
from touchback.symbolic import Program, Tape, jvp, ops, replay
from touchback.system import Derivation, FunctionSet, motion_equations, solved_arguments
from touchback.system.variational_equations import equations_matrix
from touchback.units import unit_of
from touchback.version import VERSION


@dataclass(frozen=True)
class Variable:
    """One number: its name, what the interface calls it by (`reference`), and what it is for."""

    name: str
    reference: int
    causality: str
    variability: str
    initial: str = ""
    start: float | None = None
    unit: str = ""
    least: float | None = None
    most: float | None = None
    derivative_of: int | None = None  # the reference of the state


@dataclass(frozen=True)
class Variables:
    """All of them, in the order of their references, in these groups."""

    time: Variable
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    states: tuple[Variable, ...]
    rates: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    indicators: tuple[Variable, ...]

    def __iter__(self) -> Iterator[Variable]:
        yield self.time
        for group in (self.inputs, self.outputs, self.states, self.rates, self.parameters):
            yield from group
        yield from self.indicators

    @property
    def unknown_at_first(self) -> list[Variable]:
        """What initialisation computes."""
        guessed = [each for each in self.states if each.initial == "approx"]
        return [*self.outputs, *guessed, *self.rates]


def variables_of(system: System, start: Sequence[float], indicators: int) -> Variables:
    """Those of a system that begins in a state: sensors are outputs; coordinates, velocities and
    further states are local. With constraints their starts are a guess, from which loops close."""
    layout = system.layout
    names = _Names()
    begins = "approx" if system.constrained else "exact"
    inputs = [
        _given(names("input", name), "input", "continuous", known)
        for name, known in zip(layout.inputs, layout.input_ranges, strict=True)
    ]
    outputs = [
        Variable(names("sensor", name), 0, "output", "continuous", "calculated", unit=unit)
        for name, unit in zip(layout.outputs, system.output_units, strict=True)
    ]
    states = [
        Variable(names("state", name), 0, "local", "continuous", begins, float(value), unit)
        for name, unit, value in zip(layout.state_names, layout.state_units, start, strict=True)
    ]
    rates = [
        Variable(names("rate", f"der({each.name})"), 0, "local", "continuous", "calculated",
                 unit=_per_second(each.unit))
        for each in states
    ]  # fmt: skip
    parameters = [
        _given(names("parameter", name), "parameter", "tunable", known)
        for name, known in zip(layout.parameters, layout.ranges, strict=True)
    ]
    watched = [
        Variable(names("indicator", f"event indicator {i + 1}"), 0, "local", "continuous",
                 "calculated")
        for i in range(indicators)
    ]  # fmt: skip
    time = Variable(names("time", "time"), 0, "independent", "continuous", unit="s")
    return _numbered(time, inputs, outputs, states, rates, parameters, watched)


def _given(name: str, causality: str, variability: str, known: Input | Parameter) -> Variable:
    """What comes from outside."""
    initial = "exact" if causality == "parameter" else ""
    return Variable(
        name, 0, causality, variability, initial, known.default, known.unit, known.min, known.max
    )


def _numbered(time: Variable, *groups: list[Variable]) -> Variables:
    at, found = 1, []
    for group in groups:
        found.append(tuple(replace(each, reference=at + i) for i, each in enumerate(group)))
        at += len(group)
    inputs, outputs, states, rates, parameters, watched = found
    rates = tuple(
        replace(rate, derivative_of=state.reference)
        for rate, state in zip(rates, states, strict=True)
    )
    return Variables(time, inputs, outputs, states, rates, parameters, watched)


class _Names:
    """Names, each given once: those that are taken already get their kind."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def __call__(self, kind: str, name: str) -> str:
        plain = " ".join(name.split())  # the format has no tabs and line ends in names
        while plain in self._taken:
            plain = f"{plain} ({kind})"
        self._taken.add(plain)
        return plain


def _per_second(unit: str) -> str:
    if unit in ("", "1"):
        return "1/s"
    return f"{unit}^2" if unit.endswith("/s") else f"{unit}/s"


Attribute = str | float | int | bool | None


KINDS = {"me": "ModelExchange", "cs": "CoSimulation"}


@dataclass(frozen=True)
class Unit:
    """A model as an FMU: what its descriptions tell."""

    name: str
    identifier: str  # of the binary, and of the functions in the sources
    token: str  # tells this model from others
    kinds: tuple[str, ...]
    variables: Variables
    sources: tuple[str, ...]
    step: float
    derivatives: bool
    dependencies: dict[int, tuple[int, ...]]  # of an unknown the references that it hangs on


def model_description(unit: Unit, version: int) -> str:
    """modelDescription.xml."""
    return _document(_FORMS[version](unit).root())


def build_description(unit: Unit, options: Sequence[str]) -> str:
    """sources/buildDescription.xml (FMI 3.0)."""
    files = [_element("SourceFile", name=name) for name in unit.sources]
    source_set = _element(
        "SourceFileSet", *files, language="C11", compilerOptions=" ".join(options)
    )
    library = _element("Library", name="m", description="the C library of mathematics")
    built = _element("BuildConfiguration", source_set, library, modelIdentifier=unit.identifier)
    return _document(_element("fmiBuildDescription", built, fmiVersion="3.0"))


class _Form:
    """What both versions have in common."""

    version: str
    state_flag: str
    derivative_flag: str

    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def root(self) -> str:
        """The whole element."""
        unit = self.unit
        kinds = [self.kind(KINDS[kind]) for kind in ("me", "cs") if kind in unit.kinds]
        units = [_unit(*pair) for pair in known_units(each.unit for each in self.variables).items()]
        experiment = _element("DefaultExperiment", startTime=0.0, stopTime=1.0, stepSize=unit.step)
        category = _element(
            "Category", name="logStatusError", description="why a call was not answered"
        )
        return _element(
            "fmiModelDescription",
            *kinds,
            *([_element("UnitDefinitions", *units)] if units else []),
            _element("LogCategories", category),
            experiment,
            _element("ModelVariables", *map(self.variable, self.variables)),
            self.structure(),
            fmiVersion=self.version,
            modelName=unit.name,
            generationTool=f"Touchback {VERSION}",
            variableNamingConvention="flat",
            **self.own(),
        )

    @property
    def variables(self) -> list[Variable]:
        """Those that are told of."""
        return list(self.unit.variables)

    def flags(self, kind: str) -> dict[str, Attribute]:
        """What an interface can do, beside what the versions call differently."""
        found: dict[str, Attribute] = {"modelIdentifier": self.unit.identifier}
        found[f"canGetAndSet{self.state_flag}"] = found[f"canSerialize{self.state_flag}"] = True
        found[self.derivative_flag] = self.unit.derivatives
        if kind == "CoSimulation":
            found["canHandleVariableCommunicationStepSize"] = True
        return found

    def numbers(self, each: Variable) -> dict[str, Attribute]:
        """Attributes of a variable's number."""
        return {
            "unit": each.unit or None,
            "min": each.least,
            "max": each.most,
            "start": each.start,
        }

    def kind(self, name: str) -> str:
        raise NotImplementedError

    def variable(self, each: Variable) -> str:
        raise NotImplementedError

    def structure(self) -> str:
        raise NotImplementedError

    def own(self) -> dict[str, Attribute]:
        raise NotImplementedError


class _Two(_Form):
    """FMI 2.0: unknowns go by their place among the variables, counted from 1. Time need not be one
    of them, and isn't: so a variable's place is its reference."""

    version, state_flag = "2.0", "FMUstate"
    derivative_flag = "providesDirectionalDerivative"

    @property
    def variables(self) -> list[Variable]:
        """Indicators and time have none."""
        known = self.unit.variables
        return [each for each in known if each not in (known.time, *known.indicators)]

    def own(self) -> dict[str, Attribute]:
        """The token and the indicators, which are counted only."""
        count = len(self.unit.variables.indicators)
        return {"guid": self.unit.token, "numberOfEventIndicators": count}

    def kind(self, name: str) -> str:
        """With the sources."""
        files = [_element("File", name=each) for each in self.unit.sources]
        flags = {**self.flags(name), "canNotUseMemoryManagementFunctions": True}
        return _element(name, _element("SourceFiles", *files), **flags)

    def variable(self, each: Variable) -> str:
        """The number is an element of its own."""
        return _element(
            "ScalarVariable",
            _element("Real", **self.numbers(each), derivative=each.derivative_of),
            name=each.name,
            valueReference=each.reference,
            causality=each.causality,
            variability=each.variability,
            initial=each.initial or None,
        )

    def structure(self) -> str:
        """Three lists."""
        known = self.unit.variables
        parts = {
            "Outputs": known.outputs,
            "Derivatives": known.rates,
            "InitialUnknowns": sorted(known.unknown_at_first, key=lambda each: each.reference),
        }
        found = [
            _element(tag, *(self._unknown(each, tag) for each in group))
            for tag, group in parts.items()
            if group
        ]
        return _element("ModelStructure", *found)

    def _unknown(self, each: Variable, tag: str) -> str:
        hangs_on = self.unit.dependencies.get(each.reference)
        if tag == "InitialUnknowns" or hangs_on is None:
            return _element("Unknown", index=each.reference)
        return _element("Unknown", index=each.reference, dependencies=" ".join(map(str, hangs_on)))


class _Three(_Form):
    """FMI 3.0: unknowns go by their references."""

    version, state_flag = "3.0", "FMUState"
    derivative_flag = "providesDirectionalDerivatives"

    def own(self) -> dict[str, Attribute]:
        """The token."""
        return {"instantiationToken": self.unit.token}

    def kind(self, name: str) -> str:
        """Sources are in a description of their own."""
        flags = self.flags(name)
        if name == "ModelExchange":
            flags["needsCompletedIntegratorStep"] = True
        return _element(name, **flags)

    def variable(self, each: Variable) -> str:
        """One element."""
        return _element(
            "Float64",
            name=each.name,
            valueReference=each.reference,
            causality=each.causality,
            variability=each.variability,
            initial=each.initial or None,
            **self.numbers(each),
            derivative=each.derivative_of,
        )

    def structure(self) -> str:
        """One list."""
        known = self.unit.variables
        groups = {
            "Output": known.outputs,
            "ContinuousStateDerivative": known.rates,
            "InitialUnknown": known.unknown_at_first,
            "EventIndicator": known.indicators,
        }
        found = [self._unknown(tag, each) for tag, group in groups.items() for each in group]
        return _element("ModelStructure", *found)

    def _unknown(self, tag: str, each: Variable) -> str:
        hangs_on = self.unit.dependencies.get(each.reference)
        if tag not in ("Output", "ContinuousStateDerivative") or hangs_on is None:
            return _element(tag, valueReference=each.reference)
        return _element(
            tag, valueReference=each.reference, dependencies=" ".join(map(str, hangs_on))
        )


_FORMS: dict[int, type[_Form]] = {2: _Two, 3: _Three}


VERSIONS = tuple(_FORMS)


def _unit(name: str, base: BaseUnit | None) -> str:
    if base is None:
        return _element("Unit", name=name)
    scale = {"factor": base.factor, "offset": base.offset}
    attributes = {key: value for key, value in scale.items() if value != (key == "factor")}
    return _element("Unit", _element("BaseUnit", **base.exponents, **attributes), name=name)


def _element(tag: str, *children: str, **attributes: Attribute) -> str:
    words = "".join(
        f" {name}={quoteattr(_text(value))}"
        for name, value in attributes.items()
        if value is not None
    )
    if not children:
        return f"<{tag}{words}/>\n"
    inside = "".join(f"  {line}\n" for child in children for line in child.splitlines())
    return f"<{tag}{words}>\n{inside}</{tag}>\n"


def _text(value: Attribute) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _document(root: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}'


Exponents = dict[str, int]  # of kg, m, s, A, K, mol, cd and rad


@dataclass(frozen=True)
class BaseUnit:
    """What a unit is made of: a number of it is `factor` times as many of the product, and
    `offset` more."""

    exponents: Exponents = field(default_factory=dict)
    factor: float = 1.0
    offset: float = 0.0


def base_unit(text: str) -> BaseUnit | None:
    """The unit that a text means, as "N s/m" or "mm"; None when it isn't known, or when FMI has no
    word for it: its exponents are whole numbers."""
    found = unit_of(text)
    if found is None or any(x != int(x) for x in found.exponents.values()):
        return None
    exponents = {base: int(x) for base, x in found.exponents.items()}
    return BaseUnit(exponents, found.factor, found.zero)


def known_units(texts: Iterable[str]) -> dict[str, BaseUnit | None]:
    """What each unit is, every one once."""
    return {text: base_unit(text) for text in dict.fromkeys(texts) if text}


def write(
    model: Model,
    where: Path,
    *,
    version: float = 2,
    kind: str = "both",
    step: float = 1e-3,
    rate: float | None = None,
) -> list[Path]:
    """Writes an FMU. `version`: 2 or 3; `kind`: "cs" (co-simulation), "me" (model exchange) or
    "both"; `step`: the longest step of co-simulation [s]; `rate`: ticks a second of memories, by
    default one a step."""
    if version not in VERSIONS:
        raise InputError(f"fmu: version is 2 or 3, got {shown(version)}.")
    if kind not in (*KINDS, "both"):
        raise InputError(f"fmu: kind is cs, me or both, got {shown(kind)}.")
    step = checked_step("fmu", step)
    check_output(where, (".fmu",), "fmu")
    system = model.compile()
    refuse_features("an FMU", system, (RIGID, COPIES))
    core = c_model(system, step, "rk4", rate=rate)
    write_atomically(where, pack_archive(files_of(core, int(version), _kinds(system, kind))))
    return [where]


def files_of(core: CModel, version: int, kinds: tuple[str, ...]) -> dict[str, str | bytes]:
    """All files of the unit, by their paths in it."""
    system, step = core.system, core.step
    start = initial_state(system, None, 0.0, read_inputs(system, None, 0.0), {})
    slopes = derivative_functions(system) if _has_slopes(system) else None
    indicators = 0 if slopes is None else slopes["indicators"].out_size
    variables = variables_of(system, start.tolist(), indicators)
    identifier = re.sub(r"\W", "_", system.name, flags=re.ASCII) or "model"
    identifier = identifier if identifier[0].isalpha() else f"m_{identifier}"
    token = _token(system, start, step)
    sources = sources_of(core, start, slopes, token)
    unit = Unit(
        system.name, identifier, token, kinds, variables,
        tuple(sorted(name for name in sources if name.endswith(".c"))), step, slopes is not None,
        dependencies_of(system, variables),
    )  # fmt: skip
    files: dict[str, str | bytes] = {"modelDescription.xml": model_description(unit, version)}
    files |= {f"sources/{name}": text for name, text in sources.items()}
    if version == 3:
        files["sources/buildDescription.xml"] = build_description(unit, OPTIONS)
    library = build_library(sources, identifier)
    for folder in platform_folders(version):
        files[f"binaries/{folder}/{identifier}.so"] = library
    return files


def _kinds(system: System, kind: str) -> tuple[str, ...]:
    """The interfaces that were asked for: what changes at ticks, or in modes, takes steps of its
    own, which integrators of others don't."""
    for feature in (MODES, MEMORIES):
        names = feature.names(system)
        if names and kind == "me":
            raise InputError(
                f"{system.name}: it has {feature.word} ('{names[0]}'), which model exchange can't "
                "follow; take kind=cs."
            )
        if names:
            return ("cs",)
    return tuple(KINDS) if kind == "both" else (kind,)


def _has_slopes(system: System) -> bool:
    """Modes and ticks jump, and friction of constraints goes with what they carry."""
    return not any(feature.names(system) for feature in (MODES, MEMORIES, RUBBING))


def _token(system: System, start: np.ndarray, step: float) -> str:
    """The same of the same model."""
    digest = hashlib.sha256(repr((system.model, start.tolist(), step)).encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def pack_archive(files: Mapping[str, str | bytes]) -> bytes:
    """A zip archive, the same bytes for the same files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in files.items():
            archive.writestr(zipfile.ZipInfo(name), each, zipfile.ZIP_DEFLATED)
    return content.getvalue()


_FIXED = (
    "core.c", "core.h", "core_memory.h", "export.h", "fmi2.c", "fmi2.h", "fmi3.c", "fmi3.h",
    "fmi3_calls.h", "fmi3_others.c", "time_stepping.c", "instance.c", "instance.h",
    "directional_derivatives.c",
)  # fmt: skip


_LINEAR = ("linear/full_pivoting.c", "linear/full_pivoting.h")


_ARGUMENTS = (
    "const double *x, const double *u, const double *p, double *out, double *work, const void *ctx"
)


def sources_of(
    core: CModel, start: np.ndarray, slopes: FunctionSet | None, token: str
) -> dict[str, str]:
    """Files by their paths, from which includes are found; one library of them answers both
    versions of the interface. Without `slopes` there are no derivatives and indicators."""
    programs: dict[str, Program] = {}
    if slopes is not None:
        programs = {name.replace(" ", "_"): each.second for name, each in slopes.items()}
        programs["slope_parameters"] = slopes["slopes"].first
    system, step = core.system, core.step
    files = {path.removeprefix("touchback/"): text for path, text in core.files.items()}
    fixed = resources.files("touchback.interop.fmi").joinpath("c")
    files |= {name: fixed.joinpath(name).read_text() for name in _FIXED}
    if slopes is not None:
        native = resources.files("touchback.native")
        files |= {name: native.joinpath(name).read_text() for name in _LINEAR}
    files["fmu_model.h"] = _header(system, programs, step, token)
    files["fmu_model.c"] = _numbers(system, start)
    return files | {
        f"equations/{name}.c": print_c(program, f"fmu_model_{name}", f"{system.name}: {name}")
        for name, program in programs.items()
    }


def _header(system: System, programs: Mapping[str, Program], step: float, token: str) -> str:
    nq, nv, nz = system.sizes
    layout, posed = system.layout, system.problem()
    counts = {
        "NQ": nq, "NV": nv, "NZ": nz, "NX": nq + nv + nz, "NU": len(layout.inputs),
        "NY": len(layout.outputs), "NP": len(layout.parameters),
        "NM": len(system.constraint_names), "NI": _size(programs, "indicators"),
        "BLOCK": posed.problem.p.size, "SLOPE_BLOCK": _size(programs, "slope_parameters"),
        "MEMORY": posed.problem.warm_start_size,
    }  # fmt: skip
    flags = {
        "SLOPES": bool(programs),
        "CONSTRAINED": bool(system.constrained and not system.modes),
        "TICKS": bool(layout.memories),
    }
    numbers = ", ".join(f"FMU_{name} = {count}" for name, count in counts.items())
    defined = "".join(f"#define FMU_{name} {int(flag)}\n" for name, flag in flags.items())
    functions = "".join(f"void fmu_model_{name}({_ARGUMENTS});\n" for name in programs)
    return f"""\
/* {_comment(system.name)}: what its interface has. Printed by Touchback. */
#ifndef FMU_MODEL_H
#define FMU_MODEL_H

#define FMU_TOKEN "{token}"
#define FMU_STEP {step!r} /* the longest step of co-simulation [s] */
{defined}enum {{ {numbers} }};

extern const double fmu_starts[], fmu_input_starts[], fmu_parameter_starts[];
extern const double fmu_least[], fmu_most[]; /* of parameters */
extern const int fmu_holonomic[]; /* of constraint rows: whether they hold for positions */

{functions}
#endif
"""


def _size(programs: Mapping[str, Program], name: str) -> int:
    return len(programs[name].outputs) if name in programs else 0


def _numbers(system: System, start: np.ndarray) -> str:
    layout = system.layout
    values: dict[str, Sequence[float]] = {
        "starts": [float(x) for x in start],
        "input_starts": layout.input_defaults,
        "parameter_starts": list(system.parameters.values()),
        "least": [-np.inf if each.min is None else each.min for each in layout.ranges],
        "most": [np.inf if each.max is None else each.max for each in layout.ranges],
    }
    arrays = "".join(
        f"const double fmu_{name}[] = {{{C99.numbers([*given, 0.0])}}};\n"
        for name, given in values.items()
    )
    holonomic = [] if system.modes else [*system.dynamics.rows(system.key).holonomic]
    rows = ", ".join(str(int(each)) for each in [*holonomic, False])
    head = '#include <math.h>\n\n#include "fmu_model.h"\n\n'
    return f"{head}{arrays}const int fmu_holonomic[] = {{{rows}}};\n"


def _comment(text: str) -> str:
    return re.sub(r"[*/\\\r\n]", " ", text)


_COMPARISONS = (ops.LT, ops.LE, ops.MIN, ops.MAX)


def derivative_functions(system: System) -> FunctionSet:
    """`solution`: [r at s = 0, K]; `position slopes`, `velocity slopes`, `slopes` (of r, dq/dt and
    dz/dt) and `output slopes`; `turn`: dq/dt; and `indicators`. Of [t, inputs…, s, variation,
    variation of s]."""
    motion, layout = system.dynamics, system.layout
    d = motion.derive(motion.model(system.key), solved_arguments(layout, system.constraint_names))
    k, rows = d.tape, constraint_rows(d.instant)
    found = motion_equations(d, rows)
    solution = [*d.accelerations, *d.multipliers(rows)]
    r = [*found["effort"], *found["acceleration"]]
    given = [*configuration_rate(d.instant), *found["state"]]
    K = equations_matrix(d, rows)
    d.solved(rows)
    shown = d.outputs()
    still: dict[Hashable, int] = {**k.symbols, **dict.fromkeys(solution, 0)}
    known = [*d.q, *d.v, *d.z, d.time, *d.u, *d.parameters]
    seeds = {node: d.argument(f"variation {i}") for i, node in enumerate(known)}
    following = {node: d.argument(f"of solution {i}") for i, node in enumerate(solution)}
    return d.functions(
        {
            "solution": [*replay(k, r, k, still), *K],
            "position slopes": jvp(k, found["position"], seeds),
            "velocity slopes": jvp(k, found["rate"], seeds),
            "slopes": jvp(k, [*r, *given], seeds),
            "output slopes": jvp(k, shown, seeds | following),
            "turn": configuration_rate(d.instant),
            "indicators": switching_functions(d, [*r, *given]),
        }
    )


def switching_functions(d: Derivation, outputs: Sequence[int]) -> list[int]:
    """What changes sign where a law takes its other side: the difference of what it compares,
    wherever that moves with the state, the time or the inputs alone."""
    k, live = d.tape, d.tape.live(outputs)
    found: dict[int, None] = {}
    for node in range(2, len(live)):
        if live[node] and k.op[node] in _COMPARISONS:
            found[abs(k.sub(k.a[node], k.b[node]))] = None
        elif live[node] and k.op[node] == ops.ABS:
            found[k.a[node]] = None
    moving = _reached(k, [*d.q, *d.v, *d.z, d.time, *d.u])
    solved = _reached(k, d.extra)
    return [node for node in found if node in moving and node not in solved]


def _reached(tape: Tape, leaves: Iterable[int]) -> set[int]:
    """The nodes that depend on some."""
    found = set(leaves)
    for node in range(2, len(tape.op)):
        if node not in found and any(operand in found for operand in tape.operands(node)):
            found.add(node)
    return found


def dependencies_of(system: System, variables: Variables) -> dict[int, tuple[int, ...]]:
    """Of each rate and output the references of states and inputs that it may read. Under
    constraints everything hangs together: then nothing is said, which means that it does."""
    if system.constrained:
        return {}
    own = system.acting.functions
    known = [*variables.states, variables.time, *variables.inputs]
    found: dict[int, tuple[int, ...]] = {}
    for function, unknowns in (("rate", variables.rates), ("outputs", variables.outputs)):
        masks = _reads(own[function].second, len(variables.states))
        for unknown, mask in zip(unknowns, masks, strict=True):
            found[unknown.reference] = tuple(
                each.reference
                for i, each in enumerate(known)
                if mask >> i & 1 and each is not variables.time
            )
    return {reference: tuple(sorted(each)) for reference, each in found.items()}


def _reads(program: Program, states: int) -> list[int]:
    """Of each output the places of [x, u] that it may read, as bits."""
    masks = [0] * len(program.op)
    for node, op in enumerate(program.op):
        if node in program.inputs:
            array, index = program.inputs[node]
            offset = {"x": 0, "u": states}.get(array)
            masks[node] = 0 if offset is None else 1 << (offset + index)
        else:
            operands = (program.a[node], program.b[node], program.c[node])[: ops.ARITY[op]]
            for operand in operands:
                masks[node] |= masks[operand]
    return [masks[abs(output)] for output in program.outputs]
