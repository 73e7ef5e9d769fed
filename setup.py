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
DESCRIPTION = Path("build/description.c")  # of the library's headers, for Python
runpy.run_path(str(NATIVE / "describe.py"))["write"](NATIVE, DESCRIPTION)


class BuildLibrary(build_ext):
    """The library is for ctypes: no Python version in its name, no module initialiser exported."""

    def build_extensions(self) -> None:
        """Files of C are compiled side by side."""
        compiled = self.compiler.compile

        def side_by_side(sources: list[str], **options: object) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as compilers:
                one = compilers.map(lambda source: compiled([source], **options), sources)
                return [made for each in one for made in each]

        self.compiler.compile = side_by_side
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
# numbers stay loops: a call of memset or memcpy in their place costs more.
FLAGS = [
    "-std=c11", "-O3", "-ffp-contract=off", "-fno-fast-math", "-Wall",
    "-fno-tree-loop-distribute-patterns", "-Werror=vla",
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
