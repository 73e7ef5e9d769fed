"""Tries wheels where this machine can't by itself: on AArch64 under emulation, for which a cross
compiler builds one first (`make wheel-aarch64`), and on the newest Python that Debian has (`make
wheel-newest`). apt unpacks Debian's Python into a folder of its own, nothing is installed, and what
`wheels.py` runs is run there, without a compiler.

It needs apt with Debian's packages; for AArch64 gcc-aarch64-linux-gnu and qemu-user-static."""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from wheels import CHECK

CROSS = "aarch64-linux-gnu-gcc"
OLDEST, NEWEST = 17, 41  # glibc 2.…, of wheels that are installed beside


@dataclass(frozen=True)
class Elsewhere:
    """Debian's Python for a processor, of a suite ("": that of this machine), by its packages."""

    machine: str
    debian: str
    packages: tuple[str, ...]
    suite: str = ""
    emulator: str = ""

    def unpacked(self, folder: Path) -> Path:
        """Python and what it and NumPy need; nothing of this machine changes."""
        root, state, cache = (folder / name for name in ("root", "state", "cache"))
        for place in (root / "proc", state / "lists/partial", cache / "archives/partial"):
            place.mkdir(parents=True)
        (folder / "status").touch()
        apt = {**os.environ, "APT_CONFIG": str(self._settings(folder, state, cache))}
        wanted = ["--download-only", "--no-install-recommends", *self.packages, "libstdc++6"]
        run("apt-get", "update", "-qq", env=apt)
        run("apt-get", "install", "-y", "-qq", *wanted, env=apt)
        for package in (cache / "archives").glob("*.deb"):
            run("dpkg", "-x", package, root)
        if self.emulator:  # what any kernel there says; this one's speaks of another processor
            (root / "proc/cpuinfo").write_text("processor\t: 0\nFeatures\t: fp asimd\n")
        return root

    def _settings(self, folder: Path, state: Path, cache: Path) -> Path:
        lines = [
            f'APT::Architecture "{self.debian}"; APT::Architectures {{ "{self.debian}"; }};',
            f'Dir::State "{state}"; Dir::State::status "{folder}/status"; Dir::Cache "{cache}";',
            'APT::Sandbox::User "root";',
        ]
        if self.suite:
            sources = folder / "other.sources"
            keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
            sources.write_text(
                f"Types: deb\nURIs: {self._place()}\nSuites: {self.suite}\n"
                f"Components: main\nSigned-By: {keys}\n"
            )
            lines.append(f'Dir::Etc::sourcelist "{sources}"; Dir::Etc::sourceparts "-";')
        settings = folder / "apt.conf"
        settings.write_text("\n".join(lines))
        return settings

    def _place(self) -> str:
        """Where this machine has Debian's packages from, but for those of security alone."""
        asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian"]
        told = subprocess.run(asked, check=True, stdout=-1, text=True).stdout
        return next(place for place in told.split() if "security" not in place)

    def begin(self, root: Path) -> list[str | Path]:
        """What a program there is started by: an emulator, or the loader of its own C library."""
        if self.emulator:
            return [str(shutil.which(self.emulator)), "-L", root]
        libraries = root / f"usr/lib/{self.machine}-linux-gnu"
        return [libraries / "ld-linux-x86-64.so.2", "--library-path", libraries]

    def tried(self, wheel: Path, root: Path, folder: Path) -> str:
        """What the check says there."""
        packages = folder / "site-packages"
        python = max((root / "usr/bin").glob("python3.*[0-9]"))
        platforms = [f"--platform=manylinux_2_{k}_{self.machine}" for k in range(OLDEST, NEWEST)]
        run(
            sys.executable, "-m", "pip", "install", "-q", "--target", packages,
            "--only-binary=:all:", "--implementation=cp",
            f"--python-version={python.name.removeprefix('python')}", *platforms,
            f"--platform=manylinux2014_{self.machine}", wheel,
        )  # fmt: skip
        bare = {"PATH": "", "HOME": str(folder), "LANG": "C.UTF-8", "PYTHONPATH": str(packages)}
        words = [*self.begin(root), python, "-c", CHECK]
        return subprocess.run(words, check=True, env=bare, cwd=folder, stdout=-1, text=True).stdout


def run(*words: str | Path, env: dict[str, str] | None = None) -> None:
    subprocess.run(words, check=True, env=env, stdout=sys.stderr)


def built(root: Path, folder: Path) -> Path:
    """The wheel for AArch64, with the name of the oldest Linux that it runs on; of a copy of the
    sources, so that objects of two processors never mix. Debian's own Python asks for a header of
    that processor, which is at the root of what was unpacked."""
    source, plain = folder / "source", folder / "plain"
    shutil.copytree("src", source / "src", ignore=shutil.ignore_patterns("*.so", "*.egg-info"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(name, source)
    cross = {**os.environ, "CC": CROSS, "LDSHARED": f"{CROSS} -shared"}
    cross["CFLAGS"] = f"{cross.get('CFLAGS', '')} -idirafter {root / 'usr/include'}"
    named = "--config-setting=--build-option=--plat-name=linux_aarch64"
    run(sys.executable, "-m", "build", "--wheel", named, "--outdir", plain, source, env=cross)
    beside = Path(sys.executable).parent / "auditwheel"
    run(beside, "repair", "--wheel-dir", folder, *plain.glob("*.whl"))
    (found,) = folder.glob("*_aarch64.whl")
    return found


ARM = Elsewhere("aarch64", "arm64", ("python3", "libpython3-dev"), emulator="qemu-aarch64-static")


def main() -> None:
    """`wheels_elsewhere.py WHEEL python3.14`, or without words for AArch64."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if len(sys.argv) > 1:
            wheel, package = sys.argv[1:]
            newest = Elsewhere("x86_64", "amd64", (package,), suite="sid")
            root = newest.unpacked(folder / "elsewhere")
            print(newest.tried(Path(wheel).resolve(), root, folder).strip())
            return
        for program in (CROSS, ARM.emulator):
            if shutil.which(program) is None:
                sys.exit(f"No {program}; apt install gcc-aarch64-linux-gnu qemu-user-static.")
        root = ARM.unpacked(folder / "elsewhere")
        found = built(root, folder)
        print("AArch64, emulated:", ARM.tried(found, root, folder).strip())
        Path("dist").mkdir(exist_ok=True)
        print(shutil.copy(found, "dist"))


if __name__ == "__main__":
    main()
