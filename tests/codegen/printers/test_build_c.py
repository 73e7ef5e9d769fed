"""The system's compiler as a back end: what it refuses, and what is said when there is none."""

import shutil

import pytest

from touchback.codegen.printers import build_c, compile_c
from touchback.errors import CompileError

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")


def test_without_a_compiler_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_c, "COMPILERS", ("no-such-compiler",))
    with pytest.raises(CompileError, match="none of no-such-compiler is on the PATH; install one"):
        build_c("void f(void) {}", "f")


@needs_compiler
def test_text_that_is_not_c_is_reported_with_the_compilers_words() -> None:
    with pytest.raises(CompileError, match=r"(?s)C of 'f': .* refused it.*error"):
        build_c("this is not C", "f")


@needs_compiler
def test_a_missing_function_is_named() -> None:
    with pytest.raises(CompileError, match="'g': the source defines no function"):
        build_c("void f(void) {}", "g")
