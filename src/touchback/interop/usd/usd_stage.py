"""A USD file as a stage: its layers opened without leaving their folder, its units, and where its
prims are. Damaged binary files end USD's library, and references that double each other fill all
memory: such files are first tried in another process."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.interop.rigid_pose import HERE, Floats, Pose, about, at, of_quaternion
from touchback.safe_files import check_file, path_of, read_regular

_TEXT, _BEFORE = "#usda", "\ufeff \t\r\n"


_SHEARED = 1e-6  # of a direction: what rounding leaves of a right angle


_MAX_PRIMS = 100_000


_LARGEST = 1e12  # of units


class Stage:
    """The prims of a file in metres and kilograms, z up."""

    def __init__(self, given: str | os.PathLike[str]) -> None:
        is_text = isinstance(given, str) and given.lstrip(_BEFORE).startswith(_TEXT)
        if not is_text:
            check_file(path_of(given, ModelError), MAX_BYTES, ModelError)
        try:
            from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics
        except ImportError as error:
            raise InputError(
                "Reading USD needs usd-core; install it with `pip install touchback[usd]`."
            ) from error
        self._error = Tf.ErrorException
        self.source = "USD text" if is_text else Path(given).name
        with self.plainly():
            text = str(given).lstrip(_BEFORE)
            layer = text_layer(Sdf, text) if is_text else file_layer(Sdf, Path(given))
            self.usd = Usd.Stage.Open(layer)
        self.metre = self._unit("metersPerUnit", UsdGeom.GetStageMetersPerUnit(self.usd))
        self.kilogram = self._unit(
            "kilogramsPerUnit", UsdPhysics.GetStageKilogramsPerUnit(self.usd)
        )
        up = UsdGeom.GetStageUpAxis(self.usd)
        if up not in ("Y", "Z"):
            raise ModelError(f"{self.source}: upAxis is {up!r}; Y or Z is expected.")
        turn = about(np.array([1.0, 0.0, 0.0]), 0.5 * math.pi) if up == "Y" else np.eye(3)
        self.upright = Pose(HERE.p, np.round(turn))
        self.up = np.array([0.0, float(up == "Y"), float(up != "Y")])
        self._cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        found = iter(Usd.PrimRange.Stage(self.usd, Usd.TraverseInstanceProxies()))
        self.prims: list[Any] = list(islice(found, _MAX_PRIMS + 1))
        if len(self.prims) > _MAX_PRIMS:
            raise ModelError(f"{self.source}: more than {_MAX_PRIMS} prims; that many are read.")

    @contextmanager
    def plainly(self) -> Iterator[None]:
        """Errors of USD's library, which may come with any value of a damaged file, in words of
        ours."""
        try:
            yield
        except self._error as error:
            raise ModelError(f"{self.source}: not a USD file: {_first_line(error)}.") from error

    def _unit(self, word: str, given: float) -> float:
        if not 1.0 / _LARGEST <= given <= _LARGEST:
            raise ModelError(
                f"{self.source}: {word} is {given}; {1.0 / _LARGEST:g} to {_LARGEST:g} it may be."
            )
        return float(given)

    def where(self, prim: Any) -> str:
        """For errors and notes."""
        return f"{self.source}, {prim.GetPath()}"

    def placed(self, prim: Any) -> tuple[Pose, Floats]:
        """The pose of a prim in the upright world [m], and its sizes along its own axes. Mirrored
        ones have a negative size."""
        try:
            M = np.array(self._cache.GetLocalToWorldTransform(prim))
        except self._error as error:
            raise ModelError(f"{self.where(prim)}: {_first_line(error)}.") from error
        if not np.isfinite(M).all():
            raise ModelError(f"{self.where(prim)}: its place is no finite number.")
        scale = np.linalg.norm(M[:3, :3], axis=1)  # rows: USD multiplies from the left
        if (scale == 0.0).any():
            raise ModelError(f"{self.where(prim)}: it is scaled by 0; give it a size.")
        R = (M[:3, :3] / scale[:, None]).T
        if np.abs(R.T @ R - np.eye(3)).max() > _SHEARED:
            raise ModelError(
                f"{self.where(prim)}: its axes are not square to each other (scaled before turned);"
                " no rigid body is; apply the scale to its points."
            )
        if np.linalg.det(R) < 0.0:
            R[:, 0], scale[0] = -R[:, 0], -scale[0]
        return self.upright @ Pose(self.metre * M[3, :3], R), scale

    def frame_on(self, body: Any | None, prim: Any | None, place: Any, turn: Any) -> Pose:
        """A place and a quaternion (attributes) told in the axes of a prim (None: the world), seen
        from the body that it is part of (None: the world)."""
        x, turned = values_of(self, place, 3), of_quaternion(values_of(self, turn, 4))
        whole, scale = (self.upright, np.ones(3)) if prim is None else self.placed(prim)
        seen = whole @ at(self.metre * scale * x, turned)
        if not (np.isfinite(seen.p).all() and np.isfinite(seen.R).all()):
            raise ModelError(
                f"{self.where(place.GetPrim())}: {place.GetName()} and {turn.GetName()} are no "
                "place and direction; finite numbers are expected."
            )
        return seen if body is None else self.placed(body)[0].inverse() @ seen


def value_of(stage: Stage, attribute: Any) -> float:
    """A number of a prim, which may be infinite."""
    (given,) = values_of(stage, attribute, 1)
    return float(given)


def number_of(stage: Stage, attribute: Any, least: float = -math.inf) -> float:
    """A number of a prim that must be finite, and at least so large."""
    given = value_of(stage, attribute)
    if not math.isfinite(given) or given < least:
        raise ModelError(
            f"{stage.where(attribute.GetPrim())}: {attribute.GetName()} is {given}; a finite number"
            f"{f' from {least:g} on' if math.isfinite(least) else ''} is expected."
        )
    return given


def values_of(stage: Stage, attribute: Any, count: int | None = None) -> Floats:
    """So many numbers of a prim, or however many; a quaternion has its real part first."""
    given = attribute.Get()
    try:
        if hasattr(given, "GetReal"):
            given = (given.GetReal(), *given.GetImaginary())
        found = np.asarray(given if given is not None or count else [], dtype=float).reshape(-1)
    except (TypeError, ValueError):
        found = np.zeros(0)
        count = count or 3
    if count not in (None, len(found)):
        raise ModelError(
            f"{stage.where(attribute.GetPrim())}: {attribute.GetName()} is {given!s:.80}; "
            f"{count} number{'s are' if count > 1 else ' is'} expected."
        )
    return found


def _first_line(error: Exception) -> str:
    """Of what USD says: the words between its quotes, which begin with line and column."""
    try:
        said = str(error)
    except UnicodeDecodeError:  # it quotes the file
        return "it has bytes that are no UTF-8"
    _, quoted, inner = said.partition(" : '")
    inner = inner.rstrip().removesuffix("'") if quoted else said
    told = re.sub(r"^[^']*?(?=:\d+:\d+: )", "", inner)  # its path
    return " ".join(told.split())[:200].strip(":. ")


MAX_BYTES = 32 * 2**20


USD_ENDINGS = (".usda", ".usd", ".usdc")


_MAX_LAYERS = 1000


_MAX_ESTIMATED_PRIMS = 10_000_000  # by the largest estimate


_DEEPEST = 200  # brackets: USD's parser of text calls itself for each, until its stack is full


_BINARY = b"PXR-USDC"


_ARCS = re.compile(rb"references|payload|inherits|specializes|subLayers|clips")


# What USD takes for comments, strings, assets and paths, in which brackets are none; the groups
# are beginnings of some that have no end.
_TOKEN = re.compile(
    rb"#[^\n]*|//[^\n]*|/\*[\s\S]*?\*/"
    rb'|"""(?:(?!""")(?:\\"|[\s\S]))*+"""' + rb"|'''(?:(?!''')(?:\\'|[\s\S]))*+'''"
    rb"|@@@(?:(?!@@@)(?:\\@@@|[\s\S]))*+@@@" + rb"""|(?P<open>/\*|""(?=")|''(?=')|@@(?=@))"""
    rb'|"(?:(?!")(?:\\"|[^\n]))*+"' + rb"|'(?:(?!')(?:\\'|[^\n]))*+'"
    rb"|@[^@\n]*@|<[^<>\n]*>|[\[({]|[\])}]" + rb"""|(?P<open_in_line>["'])"""
)


_READ_AGAIN = 8  # times the file's length, in search of the ends of comments and strings


def text_layer(sdf: Any, text: str) -> Any:
    """The layer of a text, which names no other file."""
    content = text.encode()
    if len(content) > MAX_BYTES:
        raise ModelError(f"USD text: at most {MAX_BYTES} bytes are read.")
    _check_depth(content, "USD text")
    layer = sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    if _stay_inside(sdf, layer, content, None) > _MAX_ESTIMATED_PRIMS:
        try_whole("USD text", None, content)
    return layer


def file_layer(sdf: Any, path: Path) -> Any:
    """The layer of a file, which names files in its folder only."""
    if path.suffix.lower() not in USD_ENDINGS:
        raise ModelError(f"{path.name}: a USD file ends in {', '.join(USD_ENDINGS)}.")
    content = _content(path)
    if not content.strip():
        raise ModelError(f"{path.name}: the file is empty.")
    whole = path.resolve()
    layer = sdf.Layer.FindOrOpen(str(whole))
    if layer is None:
        raise ModelError(f"{path.name}: not a USD file.")
    layer.Reload()  # where somebody holds an older one
    if _stay_inside(sdf, layer, content, whole.parent) > _MAX_ESTIMATED_PRIMS:
        try_whole(path.name, str(whole), b"")
    return layer


def _content(path: Path) -> bytes:
    """Of a file that USD's library can open."""
    content = read_regular(path, MAX_BYTES, ModelError)
    if content.startswith(_BINARY):
        try_values(path.name, str(path.resolve()))
    else:
        _check_depth(content, path.name)
    return content


def _as_text(layer: Any, content: bytes) -> bytes:
    """What is packed in binary files is larger than they are."""
    return str(layer.ExportToString()).encode() if content.startswith(_BINARY) else content


def _prims(contents: list[bytes]) -> float:
    """At most so many prims are in all of them together: each reference doubles them at worst."""
    arcs = sum(each.count(b"<") + each.count(b"@") for each in contents if _ARCS.search(each))
    return sum(map(len, contents)) * 2.0 ** min(arcs, 1000)


def _check_depth(content: bytes, source: str) -> None:
    """Refuses more brackets in each other than USD's parser stands, and so many comments and
    strings without an end that to look for it takes long."""
    depth, left = 0, _READ_AGAIN * len(content)
    for token in _TOKEN.finditer(content):
        letter = token[0]
        if token.lastgroup is not None:
            end = content.find(b"\n", token.start()) if token.lastgroup == "open_in_line" else -1
            left -= (end if end >= 0 else len(content)) - token.start()
            if left < 0:
                line = 1 + content[: token.start()].count(b"\n")
                raise ModelError(
                    f"{source}: comments or strings have no end, such as the one in line {line}; "
                    "close them."
                )
        elif letter in (b"{", b"(", b"["):
            depth += 1
            if depth > _DEEPEST:
                raise ModelError(f"{source}: more than {_DEEPEST} brackets lie in each other.")
        elif letter in (b"}", b")", b"]"):
            depth -= 1


def _stay_inside(sdf: Any, layer: Any, content: bytes, folder: Path | None) -> float:
    """Refuse layers that aren't in the folder of the file, before anything opens them. What isn't
    there USD would look for in the working folder. Gives how many prims there may be at most."""
    ahead, seen, contents = [(layer, folder)], set[Path](), [_as_text(layer, content)]
    while ahead:
        inner, place = ahead.pop()
        for called in filter(None, inner.GetCompositionAssetDependencies()):  # "": within the file
            path = None if place is None else (place / called).resolve()
            if path is None or folder is None or not path.is_relative_to(folder):
                raise ModelError(
                    f"The file names {called!r}, which is not in its folder; nothing else is "
                    "opened. Flatten the stage first: `usdcat --flatten -o flat.usda FILE`."
                )
            if path in seen:
                continue
            if path.suffix.lower() not in USD_ENDINGS or len(seen) >= _MAX_LAYERS:
                raise ModelError(
                    f"The file names {called!r}; at most {_MAX_LAYERS} files that end in "
                    f"{', '.join(USD_ENDINGS)} are opened. Flatten the stage first."
                )
            seen.add(path)
            content = _content(path)
            ahead.append((sdf.Layer.OpenAsAnonymous(str(path)), path.parent))
            contents.append(_as_text(ahead[-1][0], content))
    return _prims(contents)


_SECONDS = 20  # of the processor


_PATIENCE = 300  # s, on a busy machine


_MEMORY = 2**30  # bytes


_LIMITED = f"""
import sys
try:
    import resource
    for what, most in (("CPU", {_SECONDS}), ("DATA", {_MEMORY}), ("CORE", 0)):
        resource.setrlimit(getattr(resource, "RLIMIT_" + what), (most, most))
except ImportError:  # not on this system
    pass
from pxr import Sdf, Usd
"""


_VALUES = """
layer = Sdf.Layer.OpenAsAnonymous(sys.argv[1])
layer.ExportToString()  # looks at all values
if not any(layer.GetCompositionAssetDependencies()):
    Usd.Stage.Open(layer)
"""


_WHOLE = """
if len(sys.argv) > 1:
    layer = Sdf.Layer.FindOrOpen(sys.argv[1])
else:
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(sys.stdin.buffer.read().decode())
Usd.Stage.Open(layer)
"""


def try_values(source: str, path: str) -> None:
    """Refuses a binary file whose values can't all be looked at."""
    _try(source, _VALUES, [path])


def try_whole(source: str, path: str | None, text: bytes) -> None:
    """Refuses a file or text whose references can't all be followed within 20 seconds and 1 GiB;
    only those that are allowed may be left."""
    _try(source, _WHOLE, [] if path is None else [path], text)


def _try(source: str, what: str, arguments: list[str], text: bytes = b"") -> None:
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _LIMITED + what, *arguments],
            input=text, capture_output=True, env=known, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ModelError(f"{source}: USD's library comes to no end with it.") from None
    if done.returncode:
        raise ModelError(
            f"{source}: USD's library breaks down over it, or needs more than {_SECONDS} s or "
            "1 GiB; it is damaged, or too large once its references are followed."
        )
