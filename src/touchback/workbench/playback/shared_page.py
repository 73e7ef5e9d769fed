"""One HTML file that plays a run by itself, and runs its model where a compiler is at hand: the
page's own modules in it, and in one deflated text what the server would tell."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import posixpath
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from touchback import Model, Run, System
from touchback.errors import CompileError, InputError
from touchback.interop import WebModel, web_model
from touchback.model import alternatives, choice_name
from touchback.names import names_in, unknown_name
from touchback.numbers import positive_number
from touchback.recording import HEAD_UNITS, Recording
from touchback.safe_files import check_output, write_atomically
from touchback.simulate import METHODS, FixedStep, MoreauJean
from touchback.version import VERSION
from touchback.workbench.manipulate.mouse_hand import bound_name, hands_of, input_names
from touchback.workbench.page_scene import MESHES, Poses, make_scene, mesh_file
from touchback.workbench.page_source import PageScene
from touchback.workbench.playback.playback import Playback
from touchback.workbench.playback.playback_track import RecordedTrack, Track, track_of
from touchback.workbench.wire_format import pose_frame

ENDING = ".html"
LARGEST = 64 << 20  # bytes of a file, which mail and browsers still take
MOST_PICTURES, FEWEST, PICTURES = 7200, 1200, 60.0  # in all, of a short run, a second
MOST_NUMBERS = 4 << 20  # of signals
_MOST_SLOPES = 40  # parameters with which what is drawn may change
_USUAL_STEP = 1e-3  # s, of a model whose run had no fixed one

Layouts = Sequence[Sequence[str]]


def share(
    shown: Recording | Run | Track,
    path: str | os.PathLike[str],
    *,
    model: Model | None = None,
    seconds: float | None = None,
    signals: Sequence[Sequence[str]] = (),
    runs: bool = True,
) -> list[str]:
    """Writes a run or a recording as one HTML file, which plays it in any browser without a server
    or a network: the mechanism in space or from the side, its signals over time, speed and time
    sliders.

    `model` is the mechanism of a run that doesn't know it, `seconds` how much of its end is shared
    (default: all). `signals` are those that each scope shows at first. The file holds the model
    too, compiled to WebAssembly, and runs it there with a slider for each parameter and input,
    unless `runs` is False or the model or this machine can't (clang and lld do it). Returns what
    the file lacks, in words; it tells them itself. At most 64 MiB are written."""
    target = Path(path)
    check_output(target, (ENDING,), "Share")
    if seconds is not None:
        positive_number("Share: seconds", seconds)
    scopes = [names_in("Share: signals", each) for each in names_in("Share: signals", signals)]
    track: Track = track_of(shown, model) if isinstance(shown, Recording | Run) else shown
    content = _Content(track, seconds, scopes, runs)
    text = page_text(content.title, content.packed())
    if len(text) > LARGEST:
        sizes = ", ".join(f"{name} {size / 2**20:.1f}" for name, size in content.sizes.items())
        raise InputError(
            f"{target}: the file would have {len(text) / 2**20:.0f} MiB, of at most "
            f"{LARGEST / 2**20:.0f} (MiB before packing: {sizes}); share fewer seconds of it."
        )
    write_atomically(target, text)
    return content.lacks


class _Steps(NamedTuple):
    """How a model is stepped: [s], method, formulation, ticks a second of what it remembers."""

    step: float
    method: str | None
    constraints: str | None
    rate: float | None


class _Content:
    """What a file holds."""

    def __init__(self, track: Track, seconds: float | None, layouts: Layouts, runs: bool) -> None:
        self.track, self.title = track, track.title
        self.lacks: list[str] = []
        time = np.unique(track.run.time)
        if seconds is not None:
            time = time[time >= time[-1] - seconds]
        if len(time) < 2:
            raise InputError(f"'{self.title}': there is nothing to share yet, only one instant.")
        self.start, self.end = float(time[0]), float(time[-1])
        self.times = _thinned(time, max(FEWEST, int(PICTURES * (self.end - self.start))))
        self._parts: dict[str, np.ndarray] = {"times": self.times.astype("<f8")}
        self._about: dict[str, object] = {
            "title": self.title, "layouts": _scopes(track, layouts), "meshes": [],
            "rate": 1.0 / float(np.median(np.diff(time))),
            "events": [
                {"time": each.time, "name": each.name, "kind": each.kind}
                for each in track.events
                if self.start <= each.time <= self.end
            ],
        }  # fmt: skip
        self._pictures(time)
        self._signals()
        self._model(runs)
        self._notes(time)

    # ---- pictures and signals -------------------------------------------------------------------

    def _pictures(self, time: np.ndarray) -> None:
        """Frames of the wire, in segments of one structure each."""
        playback = Playback(self.track)
        frames, segments, scenes = list[bytes](), list[dict[str, int]](), dict[int, PageScene]()
        self._states: dict[int, list[np.ndarray]] = {}
        for at in self.times:
            playback.seek(float(at))
            if playback.stale():
                playback.prepare()
            found, number, instant = playback.frame(), playback.structure, playback.instant
            if found is None:  # it was prepared for this instant
                raise InputError(f"'{self.title}': nobody knows where it is at {at:g} s.")
            if number not in scenes:
                scenes[number] = playback.scene()
            _, bodies, numbers, size = found
            frame = pose_frame(number, bodies, float(at), numbers, size)
            if not segments or segments[-1]["structure"] != number:
                segments.append({"structure": number, "count": 0, "bytes": len(frame)})
                self._states[number] = []
            segments[-1]["count"] += 1
            frames.append(frame)
            self._states[number].append(np.concatenate([instant.state, instant.inputs]))
        self._last = playback.structure
        self._playback = playback
        self._parts["frames"] = np.frombuffer(b"".join(frames), dtype=np.uint8)
        self._about |= {"segments": segments, "scenes": scenes}
        for mesh in {each.mesh for scene in scenes.values() for each in scene.shapes}:
            if mesh is not None:
                _, corners = mesh_file(f"{MESHES}{mesh}.bin")
                if isinstance(corners, Path):
                    raise InputError(f"'{self.title}': mesh {mesh} is a file of the server.")
                self._parts[f"mesh {mesh}"] = np.frombuffer(corners, dtype=np.uint8)

    def _signals(self) -> None:
        """Those that a person may want to see, as float32 in columns."""
        run, known = self.track.run, _seen_signals(self.track)
        rows = np.flatnonzero((run.time >= self.start) & (run.time <= self.end))
        most = max(MOST_NUMBERS // max(len(known), 1), FEWEST)
        self.every = -(-len(rows) // most)
        rows = rows[:: self.every]
        self._about["signals"] = {name: run.units.get(name, "") for name in known}
        self._parts["signal times"] = run.time[rows].astype("<f8")
        columns = [run.signals[name][rows] for name in known]
        self._parts["signals"] = np.array(columns, dtype="<f4").reshape(-1)

    # ---- the model ------------------------------------------------------------------------------

    def _model(self, runs: bool) -> None:
        about: dict[str, object] | None = None
        if runs:
            at = self._playback.instant
            try:
                system, steps = self.track.system(at.structure), _steps_of(self.track, at.structure)
                poses = Poses(system)
                made = web_model(system, poses.function, *steps)
            except (CompileError, InputError) as error:
                self.lacks.append(f"It plays the recording only: {str(error).rstrip('.')}")
            else:
                about = self._web_facts(made, poses, at.parameters)
                self._parts["model"] = np.frombuffer(made.code, dtype=np.uint8)
        self._about["model"] = about
        self._about["no_model"] = "; ".join(self.lacks) or "This file holds a recording only."

    def _web_facts(
        self, made: WebModel, poses: Poses, parameters: Mapping[str, float]
    ) -> dict[str, object]:
        """What the page needs to know of the module; its scene is that of the last structure under
        a number of its own."""
        written, system = made.written, made.written.system
        known = list(self._states)
        rows = np.array(self._states[self._last])
        self._parts["states"] = rows.astype("<f8").reshape(-1)
        inputs, values = self._playback.instant.inputs, system.layout
        units = dict(zip(system.state_names, system.state_units, strict=True)) | dict(
            written.labels
        )
        return {
            "structure": 0, "scene": self._scene(poses, parameters),
            "slopes": self._slopes(poses, parameters),
            "step": written.step, "method": written.method,
            "bodies": len(poses.bodies), "outputs": len(written.labels), "signals": units,
            "first": sum(len(self._states[each]) for each in known[: known.index(self._last)]),
            "count": len(rows), "inputs": [
                {"name": name, "unit": each.unit, "min": _end(each.min), "max": _end(each.max),
                 "default": each.default, "value": float(value)}
                for name, each, value in zip(
                    system.input_names, values.input_ranges, inputs, strict=True)
            ],
            "parameters": [
                {"name": name, "unit": each.unit, "min": _end(each.min), "max": _end(each.max),
                 "default": each.default, "value": float(parameters[name])}
                for name, each in zip(values.parameters, values.ranges, strict=True)
            ],
            "controls": [
                {"name": name, "alternatives": known, "parameter": choice_name(name)}
                for name, known in _choices(system).items()
            ],
            "sizes": {
                "state": len(system.state_names), "inputs": len(system.input_names),
                "parameters": len(system.parameters), "outputs": len(written.labels),
                "seen": poses.function.out_size,
            },
        }  # fmt: skip

    def _scene(self, poses: Poses, parameters: Mapping[str, float]) -> dict[str, Any]:
        at = self._playback.instant
        scene = make_scene(poses, 0, at.state, at.time, parameters)
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(scene))
        return found

    def _slopes(
        self, poses: Poses, parameters: Mapping[str, float]
    ) -> dict[str, list[tuple[list[str | int], float]]]:
        """How the scene's numbers change with each parameter: a length is drawn as long as its
        slider says."""
        found = {}
        for name in list(poses.system.layout.parameters)[:_MOST_SLOPES]:
            by = 0.01 * max(abs(parameters[name]), 0.01)
            ends = []
            for value in (parameters[name] - by, parameters[name] + by):
                scene = self._scene(poses, {**parameters, name: value})
                ends.append({k: dict(_numbers(scene[k])) for k in ("shapes", "joints", "loops")})
            slopes = [
                ([kind, *path], (ends[1][kind][path] - value) / (2.0 * by))
                for kind, numbers in ends[0].items()
                for path, value in numbers.items()
                if abs(ends[1][kind].get(path, value) - value) > 1e-8
            ]
            if slopes:
                found[name] = slopes
        return found

    # ---- the whole ------------------------------------------------------------------------------

    def _notes(self, time: np.ndarray) -> None:
        length = f"{self.end - self.start:.3g} s from {self.start:.3g} s on"
        pictures = f"{len(self.times)} of its {len(time)} instants are drawn"
        signals = "all of them" if self.every == 1 else f"one in {self.every}"
        notes = [f"{length}: {pictures}, scopes have {signals}."]
        about = self._about["model"]
        if isinstance(about, dict):
            notes.append(
                f"Run the model goes on from the picture that is shown, in steps of "
                f"{about['step']:g} s by {about['method']}, with the inputs as they are then."
            )
        self._about["notes"] = [*notes, *(f"{each}." for each in self.lacks),
                                f"Made by Touchback {VERSION}."]  # fmt: skip

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of what it holds, before packing."""
        kinds = {"signals": "signals", "signal times": "signals", "model": "model",
                 "states": "model", "times": "pictures", "frames": "pictures"}  # fmt: skip
        found = dict.fromkeys(("pictures", "signals", "meshes", "model"), 0)
        for name, part in self._parts.items():
            found[kinds.get(name, "meshes")] += part.nbytes
        return found

    def packed(self) -> bytes:
        """A uint32 length, so much JSON, then the parts where that says; deflated."""
        places, parts, offset = dict[str, tuple[int, int]](), list[bytes](), 0
        for name, part in self._parts.items():
            data = part.tobytes()
            places[name] = offset, len(data)
            parts.append(data)
            offset += len(data)
        head = msgspec.json.encode({**self._about, "parts": places})
        return zlib.compress(b"".join([struct.pack("<I", len(head)), head, *parts]), 7)


def _choices(system: System) -> dict[str, list[str]]:
    """Controls with alternatives, and the names of these."""
    if system.names:
        return {}
    controls = system.model.controls
    return {
        name: list(known)
        for name in controls
        if len(known := alternatives(controls, name)) > 1 and choice_name(name) in system.parameters
    }


def _numbers(
    held: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], float]]:
    """Numbers within lists and dicts, each with the way to it."""
    if isinstance(held, float | int) and not isinstance(held, bool):
        yield path, float(held)
    elif isinstance(held, list | dict):
        for key, value in held.items() if isinstance(held, dict) else enumerate(held):
            yield from _numbers(value, (*path, key))


def _thinned(time: np.ndarray, most: int) -> np.ndarray:
    """Evenly spread instants, at most so many, the first and the last among them."""
    most = min(most, MOST_PICTURES)
    if len(time) <= most:
        return time
    wanted = np.linspace(time[0], time[-1], most)
    found: np.ndarray = time[np.unique(np.searchsorted(time, wanted).clip(0, len(time) - 1))]
    return found


def _hand_names(hand: str) -> tuple[str, ...]:
    return *input_names(hand), bound_name(hand)


def _seen_signals(track: Track) -> list[str]:
    """All but what tells of the run's clock, and hands."""
    hands = {
        name
        for structure in {track.at(track.run.time[0]).structure, track.at(np.inf).structure}
        for hand in hands_of(track.system(structure).model)
        for name in _hand_names(hand)
    }
    return [name for name in track.run.signals if name not in HEAD_UNITS and name not in hands]


def _scopes(track: Track, layouts: Layouts) -> list[dict[str, object]] | None:
    """What scopes show at first, as the page keeps it."""
    known = _seen_signals(track)
    for name in (name for each in layouts for name in each):
        if name not in known:
            raise unknown_name("signal", name, known)
    return [{"kind": "time", "signals": list(each)} for each in layouts] or None


def _steps_of(track: Track, structure: int) -> _Steps:
    """As the run was computed; else in steps of a millisecond."""
    remembers = bool(track.system(structure).layout.memories)
    if isinstance(track, RecordedTrack):
        about = track.recording.parts[structure].about
        step = 1.0 / (about["rate"] * about["substeps"])
        rate = about["rate"] if remembers else None
        return _Steps(step, about["method"], about["constraints"], rate)
    told = track.run.metadata
    method, given, constraints = (told.get(each) for each in ("method", "step", "constraints"))
    if not isinstance(METHODS.get(str(method)), FixedStep | MoreauJean):
        method = None
    step = _USUAL_STEP if given is None or method is None else float(given)
    enforced = constraints if isinstance(constraints, str) else None
    return _Steps(step, method, enforced, told.get("rate") if remembers else None)


def _end(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


# ---- the page ------------------------------------------------------------------------------------

_ENTRY, _STYLES = "shared/shared_page.js", ("style.css", "panels.css", "instruments.css")
_IMPORTS = re.compile(r'(\bfrom\s+|^import\s+)"(\.[^"]+)"', re.MULTILINE)
_POLICY = (
    "default-src 'none'; script-src {scripts} data: 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)


def page_text(title: str, content: bytes) -> bytes:
    """The file: one HTML text with styles, modules and what `packed` gives. Only its own two
    scripts run, by their checksums, and nothing is fetched, whatever names hold."""
    modules = dict(_modules(_ENTRY))
    urls = {
        _name(path): f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}"
        for path, text in modules.items()
    }
    folder = files("touchback.workbench") / "page"
    styles = [
        (folder / each).read_text(encoding="utf-8") for each in (*_STYLES, "shared/shared.css")
    ]
    parts = {
        "TITLE": escape(f"{title} · Touchback"), "STYLE": "\n".join(styles),
        "MODULES": json.dumps({"imports": urls}, separators=(",", ":")),
        "CONTENT": base64.b64encode(content).decode(), "ENTRY": f'import "{_name(_ENTRY)}";',
    }  # fmt: skip
    sums = [hashlib.sha256(parts[each].encode()).digest() for each in ("MODULES", "ENTRY")]
    scripts = " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in sums)
    parts["POLICY"] = escape(_POLICY.format(scripts=scripts), quote=True).replace("&#x27;", "'")
    page = (folder / "shared" / "shared.html").read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda found: parts[found[1]], page).encode()


def _name(path: str) -> str:
    return f"touchback/{path}"


def _modules(entry: str) -> Iterator[tuple[str, str]]:
    """A module of the page and all that it imports, each once, which name each other by the words
    of an import map."""
    waiting, known = [entry], {entry}
    while waiting:
        path = waiting.pop()
        package, below = (
            ("draw", path[5:]) if path.startswith("draw/") else ("workbench/page", path)
        )
        text = (files("touchback") / package / below).read_text(encoding="utf-8")

        def named(found: re.Match[str], path: str = path) -> str:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[2]))
            if target not in known:
                known.add(target)
                waiting.append(target)
            return f'{found[1]}"{_name(target)}"'

        yield path, _IMPORTS.sub(named, text)
