"""A small model's equations as a LaTeX document: symbols, bodies, energies, terms, constraints.
Formulas are made from the text of a tape, products gathered into powers, numbers to six digits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from touchback import Frame, Model, System
from touchback.dynamics import constraint_rows, kinetic_energy, mass_matrix_entries, solve_efforts
from touchback.errors import InputError
from touchback.interop.languages.model_programs import HEAD
from touchback.model.model_text import kind_text
from touchback.safe_files import check_output, write_atomically
from touchback.simulate import COPIES, MODES, RIGID, RUBBING
from touchback.symbolic import to_text

_MOST = 8  # velocities of a derivation that somebody reads


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


Rows = Sequence[Sequence[str]]


def write(model: Model, where: Path) -> list[Path]:
    """Writes a document."""
    check_output(where, (".tex",), "latex")
    write_atomically(where, document(model.compile()))
    return [where]


def document(system: System) -> str:
    """Its text."""
    for feature in (RIGID, MODES, COPIES, RUBBING):
        for name in feature.names(system):
            raise InputError(
                f"{system.name}: a derivation has no {feature.word} ('{name}'); {feature.mend}."
            )
    if len(system.velocities) > _MOST:
        raise InputError(
            f"{system.name}: it has {len(system.velocities)} velocities; nobody reads a derivation "
            f"of more than {_MOST}. Write `--to python` instead."
        )
    return _Document(system).text()


class _Document:
    """Formulas of one derivation, which share what they have in common."""

    def __init__(self, system: System) -> None:
        self.system, self.d = system, system.derive(())
        self.model = system.model
        self.symbols = _symbols(system)
        self.formulas: list[tuple[str, str, int]] = []  # section, left side, node

    def text(self) -> str:
        d, instant, v = self.d, self.d.instant, range(len(self.system.velocities))
        for i, (name, body) in enumerate(self.model.bodies.items()):
            for axis, node in zip("xyz", instant.position(Frame(name, body.com))):
                self._add("bodies", f"{axis}_{{{i + 1}}}", node)
        self._add("energies", "T", kinetic_energy(instant))
        self._add("energies", "V", instant.energy("potential"))
        M, bias = mass_matrix_entries(instant), solve_efforts(instant, None)
        for i in v:
            for j in range(i + 1):
                self._add("motion", f"M_{{{i + 1}{j + 1}}}", M.get((i, j), 0))
        for i in v:
            effort = d.tape.sub(instant.efforts()[i], bias[i])
            self._add("motion", f"f_{{{i + 1}}}", effort)
        rows = constraint_rows(instant)
        for k, row in enumerate(rows):
            if row.h is not None:
                self._add("constraints", f"h_{{{k + 1}}}", row.h)
            for j, node in sorted(row.J.items()):
                self._add("constraints", f"J_{{{k + 1},{j + 1}}}", node)
            for j, node in sorted(row.through.items()):
                self._add("constraints", f"W_{{{k + 1},{j + 1}}}", node)
            self._add("constraints", f"b_{{{k + 1}}}", row.b)
            self._add("constraints", rf"\gamma_{{{k + 1}}}", row.gamma)
        return "\n".join(self._sections([row.name for row in rows], bool(rows)))

    def _add(self, section: str, left: str, node: int) -> None:
        self.formulas.append((section, left, node))

    def _sections(self, rows: Sequence[str], tied: bool) -> Iterator[str]:
        system = self.system
        shared, texts = to_text(
            self.d.tape, [node for _, _, node in self.formulas], str,
            lambda table: "table",
        )  # fmt: skip
        yield from (
            r"\documentclass{article}", r"\usepackage{amsmath}", r"\allowdisplaybreaks",
            r"\begin{document}", rf"\section*{{{_plain(system.name)}}}", f"% {HEAD}",
        )  # fmt: skip
        yield r"\subsection*{Symbols}"
        yield from _table(("symbol", "what it is", "unit or value"), list(self._known()))
        yield r"\subsection*{Bodies and joints}"
        yield "Places of the centres of mass, along world axes:"
        yield from _table(("body", "number", "mass [kg]"), list(self._bodies()))
        yield from _table(("joint", "kind", "from", "to"), list(self._joints()))
        yield from self._align("bodies", texts)
        yield r"\subsection*{Energies}"
        yield from self._align("energies", texts)
        yield r"\subsection*{Equations of motion}"
        right = r"f + W^{T} \lambda" if tied else "f"
        yield "Lagrange's equations of $T$ and $V$ with what acts besides, solved for the highest "
        yield rf"derivatives, are $M a = {right}$ with $M_{{ij}} = M_{{ji}}$ and"
        yield from self._align("motion", texts)
        if tied:
            yield r"\subsection*{Constraints}"
            yield r"$h(q, t) = 0$, $J v = b$ and $J a + \gamma = 0$; rows of $W$ are those of $J$"
            yield r"unless given, entries that aren't given zero; the multipliers $\lambda$ are of"
            yield from _table(
                ("row", "constraint"), [(str(i + 1), _plain(x)) for i, x in enumerate(rows)]
            )
            yield from self._align("constraints", texts)
        if shared:
            yield r"\subsection*{What formulas share}"
            yield r"\begin{align*}"
            for name, text in shared.items():
                yield from _equation(f"s_{{{name[1:]}}}", formula(text, self.symbols))
            yield r"\end{align*}"
        yield "\\end{document}\n"

    def _align(self, section: str, texts: Sequence[str]) -> Iterator[str]:
        yield r"\begin{align*}"
        for (where, left, node), text in zip(self.formulas, texts, strict=True):
            if where == section:
                yield from _equation(left, formula(text, self.symbols) if node else ["+0"])
        yield r"\end{align*}"

    def _known(self) -> Iterator[tuple[str, ...]]:
        system, layout = self.system, self.system.layout
        for i, (name, unit) in enumerate(zip(layout.q, system.state_units)):
            yield f"$q_{{{i + 1}}}$", f"position {_plain(name)}", _plain(unit)
        for i, name in enumerate(layout.v):
            unit = system.state_units[len(layout.q) + i]
            yield f"$v_{{{i + 1}}}$", f"velocity {_plain(name)}", _plain(unit)
        for i, name in enumerate(layout.z):
            yield f"$z_{{{i + 1}}}$", f"state {_plain(name)}", ""
        for i, (name, value) in enumerate(system.parameters.items()):
            yield f"$p_{{{i + 1}}}$", f"parameter {_plain(name)}", f"${number(value)}$"
        for i, name in enumerate(layout.inputs):
            yield f"$u_{{{i + 1}}}$", f"input {_plain(name)}", ""

    def _bodies(self) -> Iterator[tuple[str, ...]]:
        for i, (name, body) in enumerate(self.model.bodies.items()):
            mass = to_text(self.d.tape, [self.d.instant.value(body.mass)], str)[1][0]
            yield _plain(name), str(i + 1), f"${''.join(lines(formula(mass, self.symbols)))}$"

    def _joints(self) -> Iterator[tuple[str, ...]]:
        for name, joint in self.model.joints.items():
            words = (name, kind_text(joint.kind), joint.parent.body, joint.child.body)
            yield tuple(map(_plain, words))


def _symbols(system: System) -> dict[str, str]:
    layout = system.layout
    found = {"time": "t"}
    for letter, prefix, names in (
        ("q", "q:", layout.q), ("v", "v:", layout.v), ("z", "", layout.z),
        ("p", "", layout.parameters), ("u", "", layout.inputs),
    ):  # fmt: skip
        found |= {f"{prefix}{name}": f"{letter}_{{{i + 1}}}" for i, name in enumerate(names)}
    return found


def _equation(left: str, terms: list[str]) -> Iterator[str]:
    first, *more = lines(terms)
    yield f"{left} &= {first} \\\\"
    yield from (rf"&\quad {line} \\" for line in more)


def _table(heads: Sequence[str], rows: Rows) -> Iterator[str]:
    if rows:
        yield rf"\par\smallskip\noindent\begin{{tabular}}{{{'l' * len(heads)}}}"
        yield " & ".join(rf"\textit{{{head}}}" for head in heads) + r" \\"
        yield from (" & ".join(row) + r" \\" for row in rows)
        yield r"\end{tabular}\par\smallskip"


def _plain(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


_NAMES = {
    "sqrt": r"\sqrt{%s}", "abs": r"\left|%s\right|", "floor": r"\left\lfloor %s\right\rfloor",
    "sin": r"\sin\left(%s\right)", "cos": r"\cos\left(%s\right)",
    "asin": r"\arcsin\left(%s\right)", "acos": r"\arccos\left(%s\right)",
    "exp": r"\exp\left(%s\right)", "log": r"\ln\left(%s\right)",
    "sinh": r"\sinh\left(%s\right)", "cosh": r"\cosh\left(%s\right)",
    "tanh": r"\tanh\left(%s\right)",
    "min": r"\min\left(%s\right)", "max": r"\max\left(%s\right)",
}  # fmt: skip


_SIGNS = {ast.Lt: "<", ast.LtE: r"\leq", ast.Eq: "="}


_LINE = 88  # characters of a formula in one line, about


_SHORT = ("sin", "cos")  # of which a plain argument needs no parentheses


def formula(text: str, symbols: Mapping[str, str]) -> list[str]:
    """A tape's text as terms of a sum, each with its sign; `symbols` are those of its names."""
    parsed = ast.parse(re.sub(r"\$(\d+)", r"shared_\1", text), mode="eval").body
    return _collected(_Printer(symbols).terms(parsed))


def _collected(terms: list[str]) -> list[str]:
    """Terms without those that cancel, plain numbers added up."""
    left, total = list[str](), 0.0
    for term in terms:
        opposite = _other(term[0]) + term[1:]
        if re.fullmatch(r"[+-][\d.]+", term):
            total += float(term)
        elif opposite in left:
            left.remove(opposite)
        else:
            left.append(term)
    if total or not left:
        left.append(("-" if total < 0 else "+") + number(abs(total)))
    return left


def lines(terms: list[str]) -> list[str]:
    """Terms of a sum in lines of some length."""
    found = [""]
    for term in terms:
        if found[-1] and len(found[-1]) + len(term) > _LINE:
            found.append("")
        first = len(found) == 1 and not found[0]
        found[-1] += term.removeprefix("+") if first else f" {term}"
    return found


def number(value: float) -> str:
    """Six digits, with a power of ten where there is one."""
    digits, _, power = f"{value:.6g}".partition("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}" if power else digits


class _Printer:
    def __init__(self, symbols: Mapping[str, str]) -> None:
        self._symbols = symbols

    def terms(self, node: ast.expr, sign: str = "+") -> list[str]:
        """The terms of a sum, each with its sign."""
        match node:
            case ast.BinOp(left, ast.Add(), right):
                return [*self.terms(left, sign), *self.terms(right, sign)]
            case ast.BinOp(left, ast.Sub(), right):
                return [*self.terms(left, sign), *self.terms(right, _other(sign))]
            case ast.UnaryOp(ast.USub(), operand):
                return self.terms(operand, _other(sign))
        text = self.text(node)
        if text.startswith("-"):
            return [_other(sign) + text[1:]]
        return [sign + text]

    def text(self, node: ast.expr) -> str:
        """Any expression in one line."""
        match node:
            case ast.Constant(str(name)) | ast.Name(name):
                return self._name(name)
            case ast.Constant(int(value) | float(value)):
                return number(float(value))
            case ast.BinOp(_, ast.Mult() | ast.Div(), _):
                return self._product(node)
            case ast.BinOp(base, ast.Pow(), power):
                return f"{{{self._held(base)}}}^{{{self.text(power)}}}"
            case ast.Compare(left, [sign], [right]):
                return f"{self.text(left)} {_SIGNS[type(sign)]} {self.text(right)}"
            case ast.Call(ast.Name(name), arguments):
                return self._call(name, arguments)
        return self._sum(node)

    def _sum(self, node: ast.expr) -> str:
        return " ".join(self.terms(node)).removeprefix("+")

    def _name(self, name: str) -> str:
        if name.startswith("shared_"):
            return f"s_{{{name.removeprefix('shared_')}}}"
        return self._symbols.get(name, rf"\mathrm{{{name}}}")

    def _call(self, name: str, arguments: list[ast.expr]) -> str:
        inner = [self.text(x) for x in arguments]
        if name in _SHORT and isinstance(arguments[0], ast.Constant | ast.Name):
            return rf"\{name} {inner[0]}"
        if name in _NAMES:
            return _NAMES[name] % ", ".join(inner)
        shown = name.replace("_", r"\_")  # select(condition, yes, no), atan2, lookups
        return rf"\operatorname{{{shown}}}\left({', '.join(inner)}\right)"

    def _product(self, node: ast.expr) -> str:
        """Numbers first, equal factors as powers, quotients as fractions."""
        above: list[ast.expr] = []
        below: list[ast.expr] = []
        self._factors(node, above, below)
        factor, top = self._gathered(above)
        divisor, bottom = self._gathered(below)
        value = factor / divisor if divisor else factor
        sign, size = ("-", -value) if value < 0 else ("", value)
        over = top or "1"
        if bottom:
            over = rf"\frac{{{top or number(size)}}}{{{bottom}}}"
            size = size if top else 1.0
        if size == 1.0 and (top or bottom):
            return sign + over
        return sign + (f"{number(size)}\\,{over}" if top or bottom else number(size))

    def _factors(self, node: ast.expr, above: list[ast.expr], below: list[ast.expr]) -> None:
        match node:
            case ast.BinOp(left, ast.Mult(), right):
                self._factors(left, above, below)
                self._factors(right, above, below)
            case ast.BinOp(left, ast.Div(), right):
                self._factors(left, above, below)
                self._factors(right, below, above)
            case _:
                above.append(node)

    def _gathered(self, factors: list[ast.expr]) -> tuple[float, str]:
        value, powers = 1.0, dict[str, int]()
        for each in factors:
            match each:
                case ast.Constant(int(x) | float(x)):
                    value *= x
                case ast.UnaryOp(ast.USub(), operand):
                    value = -value
                    text = self._held(operand)
                    powers[text] = powers.get(text, 0) + 1
                case _:
                    text = self._held(each)
                    powers[text] = powers.get(text, 0) + 1
        return value, r"\,".join(_power(x, n) for x, n in powers.items())

    def _held(self, node: ast.expr) -> str:
        """Something that holds together as a factor."""
        match node:
            case ast.BinOp(_, ast.Add() | ast.Sub(), _) | ast.Compare() | ast.UnaryOp():
                return rf"\left({self._sum(node)}\right)"
        return self.text(node)


def _power(text: str, exponent: int) -> str:
    if exponent == 1:
        return text
    for name in _SHORT:
        if text.startswith(rf"\{name} "):
            return rf"\{name}^{{{exponent}}} {text.removeprefix(chr(92) + name + ' ')}"
    simple = re.fullmatch(r"\\?\w+(_\{\w+\})?|\\left\(.*\\right\)", text)
    held = text if simple else rf"\left({text}\right)"
    return f"{held}^{{{exponent}}}"


def _other(sign: str) -> str:
    return "-" if sign == "+" else "+"
