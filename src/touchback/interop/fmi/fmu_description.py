"""modelDescription.xml and buildDescription.xml: what importers read of an FMU before its code,
with units as FMI has them: exponents of base units, a factor and an offset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from touchback.interop.fmi.fmu_variables import Variable, Variables
from touchback.units import unit_of
from touchback.version import VERSION

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
