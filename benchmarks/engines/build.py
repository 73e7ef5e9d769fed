"""Building the small C and C++ files that put peers behind our calling convention."""

import ctypes
import hashlib
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).parent
KEPT = HERE.parents[1] / "results" / "build"  # shared objects from earlier runs
OPTIMISED = ("-O3", "-march=native", "-DNDEBUG")


class Unavailable(Exception):
    """A peer that can't be run here; the message is the reason that the table shows."""


def wheel_folder(package: str, folder: str) -> Path:
    """A folder of an installed wheel, where headers and libraries lie."""
    try:
        version(package)
    except PackageNotFoundError:
        raise Unavailable(f"the package {package} is not installed") from None
    found = Path(sysconfig.get_path("purelib"), folder)
    if not found.is_dir():
        raise Unavailable(f"the package {package} has no {folder} here")
    return found


def compiled(sources: Sequence[Path], flags: Sequence[str], depends: str = "") -> Path:
    """The shared object of some sources, kept by a hash of texts, headers beside them and flags."""
    language = "g++" if sources[0].suffix == ".cpp" else "gcc"
    compiler = shutil.which(language)
    if compiler is None:
        raise Unavailable(f"there is no {language}")
    texts = [source.read_bytes() for source in (*sources, *sorted(HERE.glob("*.hpp")))]
    key = hashlib.sha256(repr((texts, flags, depends)).encode()).hexdigest()[:24]
    library = KEPT / f"{sources[0].stem}-{key}.so"
    if not library.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        made = library.with_suffix(".part")
        command = [compiler, "-fPIC", "-shared", *map(str, sources), "-o", str(made), *flags]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            errors = [line for line in result.stderr.splitlines() if "error" in line]
            raise Unavailable(f"{language} refused {sources[0].name}: {' '.join(errors[:1])[:160]}")
        made.rename(library)
    return library


def address(library: ctypes.CDLL, name: str) -> int:
    """Address of a function."""
    found = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    if found is None:
        raise Unavailable(f"{name} has no address")
    return found
