"""FMUs of others: their variables, instances of them that take steps, and what those log: why an
FMU refuses a call stands there, and its status doesn't say it.

Archives come from anywhere: names and sizes are checked before anything is written, and the
description is read without entities."""

from __future__ import annotations

import ctypes
import os
import re
import stat
import tempfile
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from touchback.errors import InputError, ModelError, SolveError
from touchback.interop.fmi.fmu_binary import prefer_this_machine
from touchback.interop.xml_file import MAX_BYTES, Node, parse_xml
from touchback.names import unknown
from touchback.native.foreign_log import ForeignLog
from touchback.numbers import MOST, number_within, shown
from touchback.safe_files import open_regular, opened_zip, path_of

MAX_FILE = 256 * 2**20  # bytes of the archive


MAX_WHOLE = 1024 * 2**20  # of what is in it


MAX_FILES = 20_000


_CHUNK = 2**20


_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


_DESCRIPTION = "modelDescription.xml"


def read_description(path: str | os.PathLike[str]) -> Node:
    """modelDescription.xml of an FMU; nothing is written, and none of its code runs."""
    with _opened(path) as archive:
        try:
            member = archive.getinfo(_DESCRIPTION)
        except KeyError:
            raise ModelError(f"{Path(path).name}: there is no {_DESCRIPTION}: no FMU.") from None
        content = b"".join(_chunks(archive, member, MAX_BYTES, Path(path).name))
    return parse_xml(content, f"{Path(path).name}: {_DESCRIPTION}", "fmiModelDescription", "FMU")


def extract(path: str | os.PathLike[str], folder: Path) -> None:
    """Writes everything that is in an FMU into a folder."""
    with _opened(path) as archive:
        left = MAX_WHOLE
        for member in archive.infolist():
            target = folder / PurePosixPath(member.filename)
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as stream:
                for chunk in _chunks(archive, member, left, Path(path).name):
                    left -= stream.write(chunk)


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[zipfile.ZipFile]:
    name = Path(path).name
    with open_regular(path, MAX_FILE, ModelError) as stream:
        try:
            with opened_zip(stream, name, ModelError) as archive:
                _check(archive, name)
                yield archive
        except (
            zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError,
        ) as error:  # fmt: skip
            raise ModelError(f"{name}: can't be read as an FMU, a zip archive: {error}.") from error


def _check(archive: zipfile.ZipFile, name: str) -> None:
    members = archive.infolist()
    whole = sum(member.file_size for member in members)
    if len(members) > MAX_FILES or whole > MAX_WHOLE:
        raise ModelError(
            f"{name}: {len(members)} files of {whole} bytes are too much; at most {MAX_FILES} of "
            f"{MAX_WHOLE} together are read."
        )
    seen: set[str] = set()
    for member in members:
        inside = member.filename
        parts = PurePosixPath(inside).parts
        odd = "\\" in inside or ":" in inside or not inside.isprintable() or not parts
        if odd or inside.startswith("/") or ".." in parts:
            raise ModelError(
                f"{name}: the path {inside!r} in it leads elsewhere; such files aren't opened."
            )
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise ModelError(f"{name}: {inside!r} in it is a link or a device, not a file.")
        if member.flag_bits & 1 or member.compress_type not in _PACKED:
            raise ModelError(f"{name}: {inside!r} in it is encrypted, or packed as FMUs aren't.")
        if inside in seen:
            raise ModelError(f"{name}: {inside!r} is in it twice.")
        seen.add(inside)


def _chunks(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int, name: str
) -> Iterator[bytes]:
    """The bytes of a file, whatever the archive says of their number."""
    with archive.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            most -= len(chunk)
            if most < 0:
                raise ModelError(f"{name}: {member.filename!r} in it is too large.")
            yield chunk


_REAL = {"2.0": "Real", "3.0": "Float64"}


_TOKEN = {"2.0": "guid", "3.0": "instantiationToken"}


@dataclass(frozen=True)
class FmuVariable:
    """A real variable of an FMU."""

    name: str
    reference: int
    causality: str
    unit: str = ""
    start: float | None = None


class Instance(Protocol):
    """An FMU at work."""

    def set(self, values: Mapping[str, float]) -> None:
        """Gives some variables values."""

    def get(self, names: Sequence[str]) -> list[float]:
        """What some variables are."""

    def step(self, t: float, h: float) -> None:
        """Goes on from t to t + h."""

    @property
    def logged(self) -> list[str]:
        """What it logged, the newest."""


class Fmu:
    """A co-simulation FMU (FMI 2.0 or 3.0) of somebody else, by its file; `start` replaces start
    values of it by name.

    Reading one runs none of its code. To be simulated it must be `trusted`: its binary is a library
    of machine code that gets loaded into this process, with all rights that you have."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        trusted: bool = False,
        start: Mapping[str, float] | None = None,
    ) -> None:
        self.path, self.trusted = path_of(path), trusted is True
        root = read_description(self.path)
        file, version = self.path.name, root.attributes.get("fmiVersion", "")
        self.version = "3.0" if version.startswith("3.0") else version
        if self.version not in _REAL:
            raise ModelError(f"{file}: FMI {version!r} isn't read; 2.0 and 3.0 are.")
        kind = root.first("CoSimulation")
        if kind is None:
            raise ModelError(f"{file}: it has model exchange only; export it for co-simulation.")
        self.name = root.attributes.get("modelName", self.path.stem)
        self.signals: dict[str, FmuVariable] = {}
        for each in _signals(root, self.version):
            if each.name in self.signals:
                raise ModelError(f"{file}: two variables are called '{each.name}'.")
            self.signals[each.name] = each
        self._token = root.attribute(_TOKEN[self.version])
        self._identifier = _identifier(kind)
        self.reasons = _reasons(root)
        if not isinstance(start or {}, Mapping):
            raise InputError(f"{file}: start is a mapping of names to numbers, got {shown(start)}.")
        self.start = {
            self.signal(name).name: number_within(f"{file}: the start of '{name}'", x, -MOST, MOST)
            for name, x in (start or {}).items()
        }

    def signal(self, name: str) -> FmuVariable:
        """A real variable of it."""
        if name not in self.signals:
            raise InputError(str(unknown("variable", name, self.signals, where=self.path.name)))
        return self.signals[name]

    def __repr__(self) -> str:
        return (
            f"{self.name} (FMI {self.version}): inputs {', '.join(self.inputs) or 'none'}; "
            f"outputs {', '.join(self.outputs) or 'none'}"
        )

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of its inputs."""
        return tuple(each.name for each in self.signals.values() if each.causality == "input")

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of its outputs."""
        return tuple(each.name for each in self.signals.values() if each.causality == "output")

    @contextmanager
    def running(self, label: str, t: float) -> Iterator[Instance]:
        """An instance of it, initialised at a time."""
        if not self.trusted:
            raise InputError(
                f"{self.path.name}: an FMU's binary is foreign code that runs with your rights; "
                "if you trust where it comes from, say so: tb.Fmu(path, trusted=True)."
            )
        try:
            from fmpy.fmi2 import FMU2Slave
            from fmpy.fmi3 import FMU3Slave
        except ImportError:
            raise InputError(
                "FMUs are run by FMPy; install it with `pip install touchback[fmi]`."
            ) from None
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            extract(self.path, Path(folder))
            if self.version == "2.0":
                prefer_this_machine(Path(folder))
            here = os.getcwd()
            try:
                made = (FMU2Slave if self.version == "2.0" else FMU3Slave)(
                    guid=self._token, modelIdentifier=self._identifier,
                    unzipDirectory=folder, instanceName=label,
                )  # fmt: skip
            except Exception as error:  # of its own kinds
                raise ModelError(
                    f"{self.path.name}: its binary can't be loaded on this machine: {error}"
                ) from None
            finally:
                os.chdir(here)  # FMPy looks for it elsewhere, and stays there when it fails
            it = _Instance(self, made, label)
            try:
                it.begin(t)
                yield it
                it.end()
            finally:
                with suppress(Exception):  # what failed before has been told
                    made.freeInstance()


class _Instance:
    """By FMPy."""

    def __init__(self, fmu: Fmu, made: object, label: str) -> None:
        self._fmu, self._it, self._label = fmu, made, label
        self._log = Log(fmu.version)

    def begin(self, t: float) -> None:
        """Initialised, with the start values asked for."""
        two = self._fmu.version == "2.0"
        self._called("instantiate", **self._log.wanted())
        if self._fmu.reasons:
            with suppress(SolveError):  # it may be run without reasons
                self._called("setDebugLogging", True, self._fmu.reasons)
        if two:
            self._called("setupExperiment", startTime=t)
        self.set(self._fmu.start)
        self._called("enterInitializationMode", **({} if two else {"startTime": t}))
        self._called("exitInitializationMode")

    def end(self) -> None:
        """That it is over."""
        self._called("terminate")

    def set(self, values: Mapping[str, float]) -> None:
        if values:
            word = "setReal" if self._fmu.version == "2.0" else "setFloat64"
            self._called(word, self._references(values), list(values.values()))

    def get(self, names: Sequence[str]) -> list[float]:
        word = "getReal" if self._fmu.version == "2.0" else "getFloat64"
        return [float(x) for x in self._called(word, self._references(names))] if names else []

    def step(self, t: float, h: float) -> None:
        self._called("doStep", currentCommunicationPoint=t, communicationStepSize=h)

    @property
    def logged(self) -> list[str]:
        return self._log.texts

    def _references(self, names: Mapping[str, float] | Sequence[str]) -> list[int]:
        return [self._fmu.signals[name].reference for name in names]

    def _called(self, word: str, *given: object, **named: object) -> list[float]:
        try:
            found: list[float] = getattr(self._it, word)(*given, **named)
            return found
        except Exception as error:
            said = f" It logged: {' | '.join(self.logged)}" if self.logged else ""
            name = f"FMU '{self._label}' ({self._fmu.path.name})"
            raise SolveError(f"{name}: {error}{said}") from error


def _identifier(kind: Node) -> str:
    """The name of its binary, which is a file beside others."""
    found = kind.attribute("modelIdentifier")
    if not re.fullmatch(r"\w[\w.-]*", found):
        raise ModelError(f"{kind.where}: modelIdentifier {found!r} is no name of a file.")
    return found


def _reasons(root: Node) -> list[str]:
    """Categories of messages about what went wrong, of those that it has."""
    known = root.first("LogCategories")
    names = {each.attributes.get("name") for each in known.children} if known else set()
    return [each for each in REASONS if each in names]


def _signals(root: Node, version: str) -> Iterator[FmuVariable]:
    variables = root.first("ModelVariables")
    for each in variables.children if variables else ():
        number = each.first("Real") if version == "2.0" else each
        if number is None or number.tag != _REAL[version] or each.first("Dimension"):
            continue
        start = number.attributes.get("start")
        yield FmuVariable(
            each.attribute("name"),
            _reference(each),
            each.attributes.get("causality", "local"),
            number.attributes.get("unit", ""),
            None if start is None else number.number("start", 0.0),
        )


def _reference(variable: Node) -> int:
    """The number that calls know a variable by."""
    found = variable.attribute("valueReference").strip()
    if not re.fullmatch(r"[0-9]{1,10}", found) or int(found) >= 2**32:
        raise ModelError(
            f"{variable.where}: valueReference {found!r} of '{variable.attribute('name')}' is no "
            "whole number from 0 to 4294967295."
        )
    return int(found)


NEWEST = 8


REASONS = ("logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal")  # FMI's own


class Log:
    """The newest texts of an instance; to be kept as long as it is."""

    def __init__(self, version: str) -> None:
        self._three: deque[str] = deque(maxlen=NEWEST)
        self._two = ForeignLog() if version == "2.0" else None

    def wanted(self) -> dict[str, object]:
        """What FMPy makes an instance with that logs here."""
        if self._two is None:
            return {"logMessage": self._take}
        from fmpy import fmi2

        calls = fmi2.fmi2CallbackFunctions()
        ctypes.memmove(
            ctypes.byref(calls), ctypes.byref(fmi2.defaultCallbacks), ctypes.sizeof(calls)
        )
        calls.logger = fmi2.fmi2CallbackLoggerTYPE(self._two.teller)
        calls.componentEnvironment = self._two.address
        return {"callbacks": calls}

    def _take(self, environment: object, status: int, category: bytes, text: bytes | None) -> None:
        self._three.append((text or b"").decode("utf-8", "replace"))

    @property
    def texts(self) -> list[str]:
        """Each once, in one line."""
        found = self._three if self._two is None else self._two.texts
        return list(dict.fromkeys(" ".join(text.split()) for text in found if text.strip()))
