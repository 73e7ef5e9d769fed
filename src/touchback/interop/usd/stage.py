"""A USD file as a stage: opened without leaving its folder, its units, and where its prims are."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.interop.pose import HERE, Floats, Pose, about, at, of_quaternion
from touchback.regular_file import read_regular

MAX_BYTES = 32 * 2**20
USD_ENDINGS = (".usda", ".usd", ".usdc")
_TEXT = "#usda"
_SHEARED = 1e-6  # of a direction: what rounding leaves of a right angle
_MAX_LAYERS = 1000
_LARGEST = 1e12  # of units


class Stage:
    """The prims of a file in metres and kilograms, z up."""

    def __init__(self, given: str | os.PathLike[str]) -> None:
        try:
            from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics
        except ImportError as error:
            raise InputError(
                "Reading USD needs usd-core; install it with `pip install touchback[usd]`."
            ) from error
        self._error = Tf.ErrorException
        is_text = isinstance(given, str) and given.lstrip("\ufeff \t\r\n").startswith(_TEXT)
        self.source = "USD text" if is_text else Path(given).name
        try:
            layer = _text_layer(Sdf, str(given)) if is_text else _file_layer(Sdf, Path(given))
            _stay_inside(Sdf, layer, None if is_text else Path(given).resolve().parent)
            self.usd = Usd.Stage.Open(layer)
        except Tf.ErrorException as error:
            raise ModelError(f"{self.source}: not a USD file: {_first_line(error)}.") from error
        self.metre = self._unit("metersPerUnit", UsdGeom.GetStageMetersPerUnit(self.usd))
        self.kilogram = self._unit(
            "kilogramsPerUnit", UsdPhysics.GetStageKilogramsPerUnit(self.usd)
        )
        up = UsdGeom.GetStageUpAxis(self.usd)
        turn = about(np.array([1.0, 0.0, 0.0]), 0.5 * math.pi) if up == "Y" else np.eye(3)
        self.upright = Pose(HERE.p, np.round(turn))
        self.up = np.array([0.0, float(up == "Y"), float(up != "Y")])
        self._cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        self.prims: list[Any] = [
            prim for prim in Usd.PrimRange.Stage(self.usd, Usd.TraverseInstanceProxies())
        ]

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


def _text_layer(sdf: Any, text: str) -> Any:
    content = text.lstrip("\ufeff \t\r\n")
    if len(content.encode()) > MAX_BYTES:
        raise ModelError(f"USD text: at most {MAX_BYTES} bytes are read.")
    layer = sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(content)
    return layer


def _file_layer(sdf: Any, path: Path) -> Any:
    if path.suffix.lower() not in USD_ENDINGS:
        raise ModelError(f"{path.name}: a USD file ends in {', '.join(USD_ENDINGS)}.")
    if not read_regular(path, MAX_BYTES, ModelError).strip():
        raise ModelError(f"{path.name}: the file is empty.")
    layer = sdf.Layer.FindOrOpen(str(path.resolve()))
    if layer is None:
        raise ModelError(f"{path.name}: not a USD file.")
    layer.Reload()  # where somebody holds an older one
    return layer


def _stay_inside(sdf: Any, layer: Any, folder: Path | None) -> None:
    """Refuse layers that aren't in the folder of the file, before anything opens them."""
    ahead, seen = [(layer, folder)], set[Path]()
    while ahead:
        inner, place = ahead.pop()
        for called in inner.GetCompositionAssetDependencies():
            path = None if place is None else (place / called).resolve()
            if path is None or folder is None or not path.is_relative_to(folder):
                raise ModelError(
                    f"The file names {called!r}, which is not in its folder; nothing else is "
                    "opened. Flatten the stage first: `usdcat --flatten -o flat.usda FILE`."
                )
            if path in seen or not path.is_file():
                continue
            if path.suffix.lower() not in USD_ENDINGS or len(seen) >= _MAX_LAYERS:
                raise ModelError(
                    f"The file names {called!r}; at most {_MAX_LAYERS} files that end in "
                    f"{', '.join(USD_ENDINGS)} are opened. Flatten the stage first."
                )
            seen.add(path)
            read_regular(path, MAX_BYTES, ModelError)
            ahead.append((sdf.Layer.OpenAsAnonymous(str(path)), path.parent))


def _first_line(error: Exception) -> str:
    """Of what USD says: the words between its quotes, which begin with line and column."""
    try:
        said = str(error)
    except UnicodeDecodeError:  # it quotes the file
        return "it has bytes that are no UTF-8"
    found = re.search(r" : '(.*?)'?\s*$", said, re.DOTALL)
    told = re.sub(r"^[^']*?(?=:\d+:\d+: )", "", found[1] if found else said)  # its path
    return " ".join(told.split())[:200].strip(":. ")
