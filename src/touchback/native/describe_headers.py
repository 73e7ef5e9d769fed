"""Writes the C file that tells Python what the headers of this folder declare: of structs the
fields, where and what they are, of functions what they take and give, tables of arrays, and what
constants are.

    python describe_headers.py description.c

Run when the library is built, without the package. The compiler fills in every place, size, kind
and number; only names, and what functions take, are read here.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
SCALARS = {
    "void": "v", "int": "i", "long": "l", "int64_t": "l", "uint64_t": "L", "size_t": "L",
    "double": "d", "float": "f", "uint8_t": "B", "uint16_t": "H", "int32_t": "i", "uint32_t": "I",
}  # fmt: skip
_STRUCT = re.compile(r"typedef struct (tb_\w+) \{([^{}]*)\} \1;")
_ENUM = re.compile(r"enum \{([^{}]*)\}")
_POINTER = re.compile(r"typedef [^;]*?\(\*(tb_\w+)\)\([^;]*;")
_FUNCTION = re.compile(
    r"(?:^|;)\s*+(?!static|typedef|extern)([\w\s]+[\s*])(tb_\w+)\(([^;{}]*)\)(?=;)"
)
_TABLE = re.compile(r"^#define (TB_\w+_ARRAYS)\(X\)((?:[^\n]*\\\n)*[^\n]*)", re.M)
_ARRAY = re.compile(r"\bX\((\w+), (\w+), ")
_FIELDS = re.compile(r"(TB_\w+_ARRAYS)\(TB_ARRAY_FIELD\)")
_HIDDEN = re.compile(r"#pragma GCC visibility push\(hidden\).*?#pragma GCC visibility pop", re.S)


def _plain(text: str) -> str:
    """C without comments, directives and bodies of functions."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"\s+", " ", text)
    before = ""
    while before != text:
        before, text = text, re.sub(r"\)\s*\{[^{}]*\}", ");", text)
    return text


def _split(text: str) -> list[str]:
    """At the commas that are in no parentheses."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text)]


def arrays(texts: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Tables of arrays (`#define TB_…_ARRAYS(X)`) by name: types and names of the arrays."""
    tables = [table for text in texts for table in _TABLE.findall(text)]
    return {name: _ARRAY.findall(rows) for name, rows in tables}


def structs(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Names of the structs of some headers, and what is between their braces."""
    known = list(texts)
    fields = {
        name: " ".join(f"{kind} *{array};" for kind, array in table)
        for name, table in arrays(known).items()
    }
    found: list[tuple[str, str]] = _STRUCT.findall(" ".join(map(_plain, known)))
    return [(name, _FIELDS.sub(lambda table: fields[table[1]], body)) for name, body in found]


def pointers(texts: Iterable[str]) -> set[str]:
    """Names of types that are pointers to functions."""
    return set(_POINTER.findall(" ".join(map(_plain, texts))))


def declared(body: str) -> Iterator[tuple[str, str]]:
    """Names of a struct's fields and how each is declared, as if alone; no open array at its
    end."""
    for declaration in filter(None, map(str.strip, body.split(";"))):
        pointer = re.search(r"\(\*(\w+)\)\(", declaration)
        if pointer:
            yield pointer[1], declaration
            continue
        first, *others = declaration.split(",")
        kind = re.match(r"(?:const |struct |unsigned |_Atomic )*\w+", first)
        for declarator in (first, *(f"{kind[0] if kind else ''} {each}" for each in others)):
            name = re.search(r"(\w+)\s*((?:\[\w*\])*)$", declarator.strip())
            if name is None:
                raise ValueError(f"A field isn't understood: {declaration!r}.")
            if name[2] != "[]":
                yield name[1], declarator.strip()


def _kind(declared: str, pointers: set[str]) -> str:
    """The letter of an argument or a result by its declaration."""
    if re.fullmatch(r"const char \*", declared):
        return "s"
    if "*" in declared or "(" in declared or pointers & set(declared.split()):
        return "p"
    known = [SCALARS[word] for word in declared.split() if word in SCALARS]
    if len(known) != 1:
        raise ValueError(f"An argument isn't understood: {declared!r}.")
    return known[0]


def _struct_rows(name: str, body: str) -> tuple[str, list[str]]:
    """The line of a struct, and its numbers: of each field the place, the kind, two dimensions."""
    rows, names = [f"sizeof({name})"], [name]
    for field, declaration in declared(body):
        dimensions = 0 if "(" in declaration else declaration.count("[")
        at = f"(({name} *)0)->{field}"
        parts = [at + "[0]" * k for k in range(dimensions + 1)]  # an array, its first row, …
        sizes = [f"(int)(sizeof({a}) / sizeof({b}))" for a, b in pairwise(parts)]
        lengths = ", ".join([*sizes, "0", "0"][:2])
        rows.append(f"(int)offsetof({name}, {field}), KIND({parts[-1]}), {lengths}")
        names.append(field)
    return "struct " + " ".join(names), rows


def description(headers: dict[str, str]) -> str:
    """The C file for headers, given by their paths and texts."""
    whole = " ".join(map(_plain, headers.values()))
    visible = ";".join(_plain(_HIDDEN.sub("", text)) for text in headers.values())
    functions = pointers(headers.values())
    known = structs(headers.values())
    lines, numbers = [], []
    for name, body in known:
        line, rows = _struct_rows(name, body)
        lines.append(line)
        numbers += rows
    for name, table in arrays(headers.values()).items():
        lines.append(f"arrays {name} " + " ".join(f"{kind}:{array}" for kind, array in table))
    for body in _ENUM.findall(whole):
        names = [item.split("=")[0].strip() for item in _split(body) if item]
        lines.append("constants " + " ".join(names))
        numbers += names
    for result, name, arguments in _FUNCTION.findall(_STRUCT.sub(";", _ENUM.sub("", visible))):
        given = [] if arguments.strip() == "void" else _split(arguments)
        kinds = "".join(_kind(each, functions) for each in given)
        lines.append(f"function {name} {_kind(result.strip(), functions)} {kinds}")
    kinds = ", ".join(f"{name}: {256 + i}" for i, (name, _) in enumerate(known))
    return "\n".join(
        [
            "/* Written by describe_headers.py when the library is built. */",
            "#include <stddef.h>",
            *[f'#include "{path}"' for path in headers],
            "#define KIND(x) _Generic((x), unsigned char: 'B', unsigned short: 'H', \\",
            "    int: 'i', unsigned: 'I', long: 'l', \\",
            "    unsigned long: 'L', long long: 'q', unsigned long long: 'Q', double: 'd', \\",
            f"    float: 'f', {kinds}, default: 'p')",
            "extern const char tb_description[];",
            "extern const int tb_description_numbers[], tb_description_count;",
            "const char tb_description[] =",
            *[f'    "{line}\\n"' for line in lines],
            "    ;",
            "const int tb_description_numbers[] = {",
            *[f"    {row}," for row in numbers],
            "};",
            "const int tb_description_count = sizeof tb_description_numbers / sizeof(int);",
            "",
        ]
    )


def headers_of(folder: Path) -> dict[str, str]:
    """Paths and texts; not of what knows Python itself."""
    paths = sorted(path for path in folder.rglob("*.h") if path.parent.name != "python")
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def write(folder: Path, target: Path) -> None:
    """Describes the headers of a folder; a file that says the same already is left alone."""
    text = description(headers_of(folder))
    if not target.exists() or target.read_text() != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


if __name__ == "__main__":
    write(HERE, Path(sys.argv[1]))
