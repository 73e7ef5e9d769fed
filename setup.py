"""Builds the C library of `touchback.native` as a plain shared object for any Python 3."""

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

NATIVE = Path("src/touchback/native")


class BuildLibrary(build_ext):
    """A library for ctypes: no Python version in its name and no module initialiser exported."""

    def get_ext_filename(self, fullname: str) -> str:
        return str(Path(*fullname.split("."))) + ".so"

    def get_export_symbols(self, ext: Extension) -> list[str]:
        return []


class PlatformWheel(bdist_wheel):
    """One wheel for a platform, whatever the Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(
    ext_modules=[
        Extension(
            "touchback.native.libtouchback",
            sources=sorted(str(path) for path in NATIVE.rglob("*.c")),
            depends=sorted(str(path) for path in NATIVE.rglob("*.h")),
            include_dirs=[str(NATIVE)],
            # Every rounding is written down: the compiler must neither fuse nor reorder. Loops over
            # a few numbers stay loops: a call of memset or memcpy in their place costs more.
            extra_compile_args=[
                "-std=c11",
                "-O3",
                "-ffp-contract=off",
                "-fno-fast-math",
                "-Wall",
                "-fno-tree-loop-distribute-patterns",
            ],
            libraries=["m"],
        )
    ],
    cmdclass={"build_ext": BuildLibrary, "bdist_wheel": PlatformWheel},
)
