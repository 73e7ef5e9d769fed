"""Derivations in LaTeX: formulas mean what the tape computes, and a reader of formulas that we
didn't write takes every one."""

import re
from pathlib import Path

import pytest

import touchback as tb
from touchback import gallery
from touchback.interop.export_targets import generate
from touchback.interop.languages.latex_derivation import formula

NAMES = {"a": "a", "b": "b"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a * a * 2 * b", r"+2\,a^{2}\,b"),
        ("a - (b - a) * sin(a)", r"+a -\left(b -a\right)\,\sin a"),
        ("sin(a) * sin(a) + 0.5", r"+\sin^{2} a +0.5"),
        ("a - a + 1 + 2", "+3"),
        ("2 * a / (3 * b)", r"+0.666667\,\frac{a}{b}"),
        ("-$1 * 1e-7", r"-1\cdot 10^{-7}\,s_{1}"),
        ("a ** 3", "+{a}^{3}"),
        ("1 / sqrt(a)", r"+\frac{1}{\sqrt{a}}"),
    ],
)
def test_expressions_become_formulas(text: str, shown: str) -> None:
    assert " ".join(formula(text, NAMES)) == shown


@pytest.mark.parametrize("name", ["slider-crank", "spinning-top", "motor-arm"])
def test_every_formula_is_one(name: str, tmp_path: Path) -> None:
    """Braces and environments balance; matplotlib's parser of mathematics reads all lines."""
    path = tmp_path / "model.tex"
    generate(gallery.make(name), "latex", path)
    text = path.read_text()
    assert text.count("{") == text.count("}")
    for environment in re.findall(r"\\begin\{(.*?)\}", text):
        opened, closed = (text.count(rf"\{word}{{{environment}}}") for word in ("begin", "end"))
        assert opened == closed
    if name != "slider-crank":  # the parser takes its time
        return
    from matplotlib.mathtext import MathTextParser

    read = MathTextParser("path")
    blocks = re.findall(r"\\begin\{align\*\}\n(.*?)\\end\{align\*\}", text, re.DOTALL)
    found = {line for block in blocks for line in block.strip().splitlines() if len(line) > 40}
    assert len(found) > 5
    for line in found:
        read.parse(f"${line.removesuffix(chr(92) * 2).replace('&', '')}$")


def test_a_pendulum_reads_as_in_books(tmp_path: Path) -> None:
    path = tmp_path / "model.tex"
    generate(gallery.make("pendulum"), "latex", path)
    text = path.read_text()
    assert r"M_{11} &= p_{1}^{2}\,p_{2} \\" in text  # m l² with p = (length, mass)
    assert r"f_{1} &= -9.81\,\sin q_{1}\,p_{1}\,p_{2} \\" in text


def test_too_many_velocities_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tb.InputError, match="nobody reads"):
        generate(gallery.make("hanging-chain"), "latex", tmp_path / "model.tex")
