"""Reading expressions from text, for model files: a small parser over any scalars, and no eval.

    comparison = sum [("<" | "<=" | ">" | ">=" | "==") sum]
    sum        = product {("+" | "-") product}
    product    = unary {("*" | "/") unary}
    unary      = {"-"} power
    power      = atom ["**" unary]
    atom       = number | name | function "(" comparison {"," comparison} ")" | "(" comparison ")"

Precedences are Python's. A name that is no plain identifier stands in single quotes; $1, $2 … are
definitions (see `expression_text.py`).
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Generic, NamedTuple, NoReturn, TypeVar

from touchback.errors import ModelError
from touchback.symbolic.expression_text import LOOKUPS, NUMBERS, PLAIN_NAME
from touchback.symbolic.lookup_table import Table
from touchback.symbolic.scalars import Scalars

T = TypeVar("T")

LONGEST = 20_000  # characters
DEEPEST = 64  # nested parentheses, calls and powers

_ARITIES: dict[str, int] = {
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2,
    "sinh": 1, "cosh": 1, "tanh": 1, "hypot": 2, "clip": 3,
    "sqrt": 1, "exp": 1, "log": 1, "pow": 2, "abs": 1, "sign": 1, "floor": 1,
    "min": 2, "max": 2, "minimum": 2, "maximum": 2, "select": 3,
}  # fmt: skip
_METHODS = {"min": "minimum", "max": "maximum"}
_WANTS = {name: want for want, name in LOOKUPS.items()}
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<name>"""
    + PLAIN_NAME.pattern
    + r""")
    |(?P<quoted>'(?:[^'\\]|\\.)*')
    |(?P<definition>\$\d+)
    |(?P<sign>\*\*|<=|>=|==|[-+*/(),<>])
    |(?P<end>$)
    )""",
    re.VERBOSE | re.DOTALL,
)


def parse(
    text: str,
    k: Scalars[T],
    symbol: Callable[[str], T],
    table: Callable[[str], Table] | None = None,
    definitions: Mapping[str, T] | None = None,
) -> T:
    """The scalar that a text describes.

    `symbol` and `table` find what a name stands for, and raise KeyError for a name they don't know.
    """
    return _Parser(text, k, symbol, table or _no_table, definitions or {}).whole()


def _no_table(name: str) -> Table:
    raise KeyError(name)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def _tokens(text: str) -> list[_Token]:
    """Tokens up to and with the end; a character that begins none becomes a token of its own."""
    tokens: list[_Token] = []
    position = 0
    while not tokens or tokens[-1].kind not in ("end", "unknown"):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            tokens.append(_Token("unknown", text[position : position + 1], position))
        else:
            tokens.append(
                _Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
            )
            position = match.end()
    return tokens


class _Parser(Generic[T]):
    def __init__(
        self,
        text: str,
        k: Scalars[T],
        symbol: Callable[[str], T],
        table: Callable[[str], Table],
        definitions: Mapping[str, T],
    ) -> None:
        if len(text) > LONGEST:
            raise ModelError(
                f"Expression of {len(text)} characters: at most {LONGEST} can be read; "
                "split it into definitions."
            )
        self.text = text
        self.k = k
        self.symbol = symbol
        self.table = table
        self.definitions = definitions
        self.tokens = _tokens(text)
        self.position = 0
        self.depth = 0

    # ---- the grammar, one method a line

    def whole(self) -> T:
        result = self.comparison()
        if self.token.kind != "end":
            self.fail("an operator or the end")
        return result

    def comparison(self) -> T:
        left = self.sum()
        sign = self.take("<", "<=", ">", ">=", "==")
        if sign is None:
            return left
        right = self.sum()
        if self.token.text in ("<", "<=", ">", ">=", "=="):
            self.complain("comparisons can't be chained: use select(a < b, b < c, 0)")
        if sign == "==":
            return self.k.equal(left, right)
        smaller, larger = (left, right) if sign[0] == "<" else (right, left)
        compare = self.k.less if len(sign) == 1 else self.k.less_equal
        return compare(smaller, larger)

    def sum(self) -> T:
        result = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            result = self.k.add(result, term) if sign == "+" else self.k.sub(result, term)
        return result

    def product(self) -> T:
        result = self.unary()
        while sign := self.take("*", "/"):
            factor = self.unary()
            result = self.k.mul(result, factor) if sign == "*" else self.k.div(result, factor)
        return result

    def unary(self) -> T:
        negative = False
        while self.take("-"):
            negative = not negative
        result = self.power()
        return self.k.neg(result) if negative else result

    def power(self) -> T:
        base = self.atom()
        return self.k.pow(base, self.nested(self.unary)) if self.take("**") else base

    def atom(self) -> T:
        token = self.token
        if token.kind == "number":
            return self.number()
        if token.kind == "name" and self.tokens[self.position + 1].text == "(":
            return self.function()
        if token.kind == "name" and token.text in NUMBERS:
            self.position += 1
            return self.k.const(NUMBERS[token.text])
        if token.kind in ("name", "quoted"):
            return self.found(self.symbol, "name")
        if token.kind == "definition":
            return self.found(self.definitions.__getitem__, "definition")
        if self.take("("):
            result = self.nested(self.comparison)
            self.expect(")")
            return result
        self.fail("a number, a name, a function or '('")

    # ---- its leaves

    def number(self) -> T:
        value = float(self.token.text)
        if math.isinf(value):
            self.complain(f"{self.token.text} is too large for a double; write inf if you mean it")
        self.position += 1
        if self.token.kind in ("name", "number", "quoted"):
            self.fail("an operator or the end")
        return self.k.const(value)

    def found(self, find: Callable[[str], T], what: str) -> T:
        name = self.name()
        try:
            result = find(name)
        except KeyError:
            self.complain(f"there is no {what} {name!r}")
        self.position += 1
        return result

    def name(self) -> str:
        text = self.token.text
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text[0] == "'" else text

    def function(self) -> T:
        name = self.token.text
        if name not in _ARITIES and name not in _WANTS:
            known = ", ".join([*_ARITIES, *_WANTS])
            self.complain(f"there is no function {name!r}; the functions are {known}")
        start = self.position
        self.position += 2
        if name in _WANTS:
            return self.lookup(name)
        arguments = self.arguments()
        if len(arguments) != _ARITIES[name]:
            self.position = start
            self.complain(f"{name} takes {_ARITIES[name]} argument(s), got {len(arguments)}")
        result: T = getattr(self.k, _METHODS.get(name, name))(*arguments)
        return result

    def lookup(self, function: str) -> T:
        start = self.position
        if self.token.kind not in ("name", "quoted"):
            self.fail("the name of a table")
        name = self.name()
        try:
            table = self.table(name)
        except KeyError:
            self.complain(f"there is no table {name!r}")
        self.position += 1
        self.expect(",")
        arguments = self.arguments()
        dimension = 2 if table.y else 1
        if len(arguments) != dimension:
            self.position = start
            self.complain(f"table {name!r} has {dimension} variable(s), got {len(arguments)}")
        y = arguments[1] if dimension == 2 else None
        return self.k.lookup(table, arguments[0], y, _WANTS[function])

    def arguments(self) -> list[T]:
        result = [self.nested(self.comparison)]
        while self.take(","):
            result.append(self.nested(self.comparison))
        self.expect(")")
        return result

    # ---- tokens and complaints

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def take(self, *signs: str) -> str | None:
        token = self.token
        if token.kind == "sign" and token.text in signs:
            self.position += 1
            return token.text
        return None

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            self.fail(f"{sign!r}")

    def nested(self, rule: Callable[[], T]) -> T:
        self.depth += 1
        if self.depth > DEEPEST:
            self.complain(f"more than {DEEPEST} levels deep: split it into definitions")
        result = rule()
        self.depth -= 1
        return result

    def fail(self, expected: str) -> NoReturn:
        found = repr(self.token.text) if self.token.kind != "end" else "the end"
        self.complain(f"expected {expected}, found {found}")

    def complain(self, message: str) -> NoReturn:
        """An error that points at the current token."""
        column = self.token.start
        first = max(0, column - 40)
        window = "".join(c if c.isprintable() else " " for c in self.text[first : column + 40])
        raise ModelError(
            f"Expression, column {column + 1}: {message}.\n  {window}\n  {' ' * (column - first)}^"
        )
