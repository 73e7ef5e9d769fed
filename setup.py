"""Builds the C library of `touchback.native` as a plain shared object, and the module that calls
compiled functions from Python on the stable ABI: one wheel for every Python from 3.11 on."""

import os
import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

NATIVE = Path("src/touchback/native")
PYTHON = NATIVE / "python"  # what knows Python
LIBRARY = "touchback.native.libtouchback"
SOURCES = [path for path in NATIVE.rglob("*.c") if path.parent != PYTHON]
# One of these takes as long as twenty others: started last, they would be waited for.
LONGEST = (
    "tree_of_two.c", "tree_of_four.c", "tree_of_eight.c", "chain_derivatives.c", "dense_factor.c",
    "dense_solve.c",
)  # fmt: skip
DESCRIPTION = Path("build/description.c")  # of the library's headers, for Python
runpy.run_path(str(NATIVE / "describe_headers.py"))["write"](NATIVE, DESCRIPTION)


class BuildLibrary(build_ext):
    """The library is for ctypes: no Python version in its name, no module initialiser exported."""

    def build_extensions(self) -> None:
        """Files of C are compiled side by side, those of both extensions at once: none waits for
        the other to be linked."""
        compiled = self.compiler.compile
        compilers = ThreadPoolExecutor(len(os.sched_getaffinity(0)))

        def side_by_side(sources: list[str], **options: object) -> list[str]:
            def compile_one(source: str) -> list[str]:
                return compiled([source], **options)

            first = sorted(sources, key=lambda source: not source.endswith(LONGEST))
            made = dict(zip(first, compilers.map(compile_one, first)))
            return [each for source in sources for each in made[source]]

        self.compiler.compile = side_by_side
        self.parallel = True
        with compilers:
            super().build_extensions()

    def get_ext_filename(self, fullname: str) -> str:
        if not fullname.endswith("libtouchback"):
            return super().get_ext_filename(fullname)
        return str(Path(*fullname.split("."))) + ".so"

    def get_export_symbols(self, ext: Extension) -> list[str]:
        return [] if ext.name == LIBRARY else super().get_export_symbols(ext)


class PlatformWheel(bdist_wheel):
    """One wheel for a platform, whatever the Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "cp311", "abi3", super().get_tag()[2]


# Every rounding is written down: the compiler must neither fuse nor reorder. Loops over a few
# numbers stay loops: a call of memset or memcpy in their place costs more. Python's own flags ask
# for -g, which changes no instruction and takes a fifth of the time; `CFLAGS=-g` keeps it.
FLAGS = [
    "-std=c11", "-O3", "-ffp-contract=off", "-fno-fast-math", "-Wall", "-Wextra",
    "-Wshadow", "-Wconversion", "-fno-tree-loop-distribute-patterns", "-Werror=vla",
    *([] if "-g" in os.environ.get("CFLAGS", "").split() else ["-g0"]),
]  # fmt: skip


setup(
    ext_modules=[
        Extension(
            LIBRARY,
            sources=sorted(str(path) for path in [*SOURCES, DESCRIPTION]),
            depends=sorted(str(path) for path in NATIVE.rglob("*.h")),
            include_dirs=[str(NATIVE)],
            extra_compile_args=[*FLAGS, "-Werror=missing-prototypes"],  # Python knows headers only
            libraries=["m"],
        ),
        Extension(
            "touchback.native._calls",
            sources=sorted(str(path) for path in PYTHON.glob("*.c")),
            depends=sorted(str(path) for path in NATIVE.rglob("*.h")),
            include_dirs=[str(NATIVE), numpy.get_include()],
            extra_compile_args=FLAGS,
            py_limited_api=True,
        ),
    ],
    cmdclass={"build_ext": BuildLibrary, "bdist_wheel": PlatformWheel},
)
