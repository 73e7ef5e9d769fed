"""Expressions as formulas of LaTeX: from the text of a tape, products gathered into powers, numbers
to six digits."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

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
