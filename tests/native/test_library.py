"""Python knows structs, constants and functions of the C library from its headers alone."""

import ctypes
import re
import subprocess
from pathlib import Path

import pytest

from touchback.native import shared_library
from touchback.native.describe_headers import HERE, description, headers_of, write
from touchback.native.shared_library import LIB, Library

FOLDERS = ("calls", "linear", "integrate", "constrained", "contact", "modes", "live")
HEADER = """
typedef struct tb_inner { double value; } tb_inner;
typedef struct tb_outer {
    int first; /* a hole follows */
    long second, *third;
    tb_inner inner, rows[2][3]; double (*call)(int, double);
    _Atomic(struct tb_inner *) shared; _Atomic long flag;
    double open[];
} tb_outer;
enum { TB_ONE = 1, /* , */ TB_MANY = TB_ONE << 4 };
typedef void (*tb_step)(double);
static inline double tb_hidden(double x) { if (x) { return x; } return 0; }
double tb_given(const tb_outer *outer, tb_step step, int64_t count, const double *x);
void tb_nothing(void);
"""


def built(folder: Path, header: str) -> Library:
    """A library of nothing but the description of that header."""
    (folder / "one.h").write_text("#include <stdint.h>\n" + header)
    write(folder, folder / "description.c")
    flags = ["-std=c11", "-shared", "-fPIC", f"-I{folder}"]
    name = folder / "one.so"
    subprocess.run(["gcc", *flags, folder / "description.c", "-o", name], check=True)
    made = Library(name)
    made.read_description()
    return made


def test_every_struct_is_laid_out_as_the_compiler_has_it() -> None:
    """`struct` compares the place of each field and the size with what C says."""
    named = re.findall(r"^} (tb_\w+);", "".join(headers_of(HERE).values()), re.M)
    assert len(named) > 40
    for name in named:
        assert issubclass(LIB.struct(name), ctypes.Structure)


def test_no_struct_is_spelled_in_python() -> None:
    sources = Path(shared_library.__file__).parents[1].rglob("*.py")
    assert [path.name for path in sources if "_fields_ =" in path.read_text()] == []


def test_fields_of_all_kinds_are_described(tmp_path: Path) -> None:
    made = built(tmp_path, HEADER).struct("tb_outer")
    outer = made(first=1, second=2)
    assert [name for name, _ in made._fields_] == [
        "first", "second", "third", "inner", "rows", "call", "shared", "flag",
    ]  # fmt: skip
    assert made.second.offset == 8 and made.flag.offset == ctypes.sizeof(made) - 8
    assert (len(outer.rows), len(outer.rows[0]), outer.rows[1][2].value) == (2, 3, 0.0)


def test_constants_and_functions_are_described(tmp_path: Path) -> None:
    made = built(tmp_path, HEADER)
    assert (made.constant("TB_ONE"), made.constant("TB_MANY")) == (1, 16)
    assert made._functions == {"tb_given": ("d", "pplp"), "tb_nothing": ("v", "")}


TABLE = """
#define TB_ROW_ARRAYS(X) \\
    X(int, rows, c->m) /* in order */ \\
    X(double, values, c->m * (c->m + 1))
#define TB_ARRAY_FIELD(type, name, count) type *name;
typedef struct tb_listed { long m; TB_ROW_ARRAYS(TB_ARRAY_FIELD) double last; } tb_listed;
"""


def test_arrays_that_a_table_lists_are_fields_and_known_by_the_table(tmp_path: Path) -> None:
    made = built(tmp_path, TABLE)
    assert made.arrays("TB_ROW_ARRAYS") == [("int", "rows"), ("double", "values")]
    names = [name for name, _ in made.struct("tb_listed")._fields_]
    assert names == ["m", "rows", "values", "last"]


def test_another_header_gives_another_struct_without_a_word_in_python(tmp_path: Path) -> None:
    longer = HEADER.replace("int first;", "int first; double between;")
    made = built(tmp_path, longer).struct("tb_outer")
    assert [name for name, _ in made._fields_][:3] == ["first", "between", "second"]
    assert (made.between.offset, made.second.offset) == (8, 16)


def test_functions_take_what_their_headers_say() -> None:
    assert LIB.tb_lookup1.argtypes == [ctypes.c_void_p, ctypes.c_double, ctypes.c_long]
    assert LIB.tb_lookup1.restype is ctypes.c_double
    with pytest.raises(ctypes.ArgumentError):
        LIB.tb_lookup1(0.5, 1.0, 2)


def test_an_argument_of_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="isn't understood: 'tb_what x'"):
        description({"a.h": "void tb_f(tb_what x);"})


def test_no_array_on_a_stack_has_a_length_that_a_model_decides() -> None:
    """The build refuses them; so does this, whatever its flags."""
    declared = re.compile(r"^ +(?:int|long|double|char|tb_\w+) \w+\[([^\]]+)\]", re.M)
    for path in HERE.rglob("*.c"):
        text = path.read_text()
        assert "alloca" not in text, path.name
        lengths = set(declared.findall(text))
        assert all(length == length.upper() for length in lengths), (path.name, lengths)


def test_the_library_compiles_without_warnings() -> None:
    """What knows Python is compiled where Python's headers are, by the build."""
    paths = [str(path) for path in HERE.rglob("*.c") if path.parent.name != "python"]
    command = ["gcc", "-std=c11", "-fsyntax-only", "-ffp-contract=off", "-Werror", f"-I{HERE}"]
    warnings = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wmissing-prototypes"]
    subprocess.run([*command, *warnings, *paths], check=True)


def test_no_line_of_c_is_longer_than_a_hundred_characters() -> None:
    package = HERE.parent
    texts = {path: path.read_text("utf-8").splitlines() for path in package.rglob("*.[ch]")}
    for path, lines in texts.items():
        assert [line for line in lines if len(line) > 100] == [], path.name


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_c_includes_only_folders_before_it(folder: str) -> None:
    """What lies beside the folders serves them all."""
    known = FOLDERS[: FOLDERS.index(folder) + 1]
    for path in (HERE / folder).glob("*.[ch]"):
        for name in re.findall(r'#include "([^"]+)"', path.read_text()):
            assert "/" not in name or name.startswith(known), f"{path.name} includes {name}"
