"""A small model's equations as a LaTeX document: symbols, bodies, energies, terms, constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from touchback.dynamics.constraints import constraint_rows
from touchback.dynamics.energy import kinetic_energy
from touchback.dynamics.forward import entries, inverse
from touchback.errors import InputError
from touchback.interop.languages.latex_math import formula, lines, number
from touchback.interop.languages.written import HEAD
from touchback.model.frame import Frame
from touchback.model.model import Model
from touchback.model.show import kind_text
from touchback.regular_file import check_output, write_whole
from touchback.simulate.features import COPIES, MODES, RIGID, RUBBING
from touchback.symbolic.text import to_text
from touchback.system import System

_MOST = 8  # velocities of a derivation that somebody reads
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip
Rows = Sequence[Sequence[str]]


def write(model: Model, where: Path) -> list[Path]:
    """Writes a document."""
    check_output(where, (".tex",), "latex")
    write_whole(where, document(model.compile()))
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
        M, bias = entries(instant), inverse(instant, None)
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
