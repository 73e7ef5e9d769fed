"""A recording as another kind of file: a table, a picture, a film; its ending chooses."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from touchback.draw import ENDINGS as FILMS, make_film
from touchback.errors import InputError
from touchback.model import Model
from touchback.model.io import model_from_text
from touchback.recording.live_recording import Recording, open_recording
from touchback.recording.mcap_records import LARGEST_FILE
from touchback.recording.run import Run
from touchback.recording.run_formats import FORMATS, open_run, save_run
from touchback.safe_files import atomic_file, check_output, open_regular

PICTURE = ".png"
ENDINGS = (*FORMATS, PICTURE, *FILMS)
_NEEDED = {
    ".png": ["matplotlib"], ".gif": ["PIL"], ".mp4": ["PIL", "imageio_ffmpeg"], ".mf4": ["asammdf"],
}  # fmt: skip


def possible() -> list[str]:
    """The endings of what can be made with what is installed."""
    return [each for each in ENDINGS if all(map(find_spec, _NEEDED.get(each, [])))]


def export(
    recording: str | os.PathLike[str], path: str | os.PathLike[str], ros2: bool = False
) -> list[str]:
    """Writes what the recording of a live run, or a saved run, holds as another kind of file: a
    table (.csv, .npz, .mcap, .parquet, .mf4), its states and outputs over time (.png), or a film of
    the mechanism (.svg, .html, .gif, .mp4), which only recordings that hold their model can give;
    so it is with messages of `ros2` in an .mcap, beside which a layout for Foxglove is written.
    Returns what isn't in it, in words: ticks that the recording lost, what lies beyond damage,
    structures that a film doesn't show."""
    source, target = Path(recording), Path(path)
    check_output(target, ENDINGS, "Export")
    open_regular(source, LARGEST_FILE).close()  # first of all: is there one
    if target.exists() and target.samefile(source):
        raise InputError(f"Export: {target.name} is the recording itself; give another name.")
    if target.suffix.lower() in FILMS:
        shown = opened(source)
        return [*_diagnostics(shown, source.name), *film(shown, target, source.name)]
    run = open_run(source)  # nothing that isn't one
    diagnostics = _diagnostics(run, source.name)
    if ros2:
        run.model = _model_of(source)
        save_run(run, target, ros2=True, layout=True)
    elif target.suffix.lower() == source.suffix.lower():
        with atomic_file(target) as beside:
            shutil.copyfile(source, beside)
    else:
        export_run(run, target)
    return diagnostics


def _model_of(source: Path) -> Model:
    """The model of a recording of a live run with one structure."""
    shown = opened(source)
    held = shown.parts[0].about["description"] if isinstance(shown, Recording) else None
    if held is None or (isinstance(shown, Recording) and len(shown.parts) > 1):
        raise InputError(
            f"{source.name} doesn't hold one model for all of its ticks, of which messages of "
            "ROS 2 tell; of a run that was saved, set run.model and save it with ros2=True."
        )
    return model_from_text(held, ".json")


def _diagnostics(shown: Recording | Run, name: str) -> list[str]:
    """What a recording says of itself; one without a tick is refused."""
    if isinstance(shown, Recording):
        told, count = shown.diagnostics, sum(len(part.rows) for part in shown.parts)
    else:
        told, count = shown.metadata.get("diagnostics", []), len(shown)
    if not count:
        why = f" (it is {'; '.join(told)})" if told else ""
        raise InputError(f"{name} holds no instant{why}: there is nothing to export.")
    return [f"{name}: {each}" for each in told]


def export_run(run: Run, path: Path) -> None:
    """Writes a run as another kind of file."""
    ending = path.suffix.lower()
    if ending in FORMATS:
        save_run(run, path)
    elif ending == PICTURE:
        about = run.metadata
        known = [*about.get("state_names", []), *about.get("output_names", [])]
        run.plot(*([each for each in known if each in run.signals] or run.names), path=path)
    else:
        run.film(path)


def opened(path: Path) -> Recording | Run:
    """A live run's recording, or a run that was saved."""
    try:
        return open_recording(path)
    except InputError:
        return open_run(path)


def film(shown: Recording | Run, path: Path, name: str) -> list[str]:
    """Films the structure that a recording had for longest: a film shows one mechanism. Returns
    what it doesn't show, in words."""
    if isinstance(shown, Run):
        shown.film(path)
        return []
    part = max(shown.parts, key=lambda each: len(each.rows))
    if not part.about["description"]:
        raise InputError(f"{name} doesn't hold its model, so that there is nothing to film.")
    signals = {each: part.column(each) for each in part.columns}
    parameters = shown.parameters.get(int(part.rows[-1, 3]), part.about["parameters"])
    times, first = np.unique(signals.pop("time"), return_index=True)
    moved = {each: values[first] for each, values in signals.items()}
    model = model_from_text(part.about["description"], ".json")
    make_film(model, times, moved, path, None, parameters)
    if len(shown.parts) == 1:
        return []
    number = 1 + next(k for k, each in enumerate(shown.parts) if each is part)
    return [
        f"{name}: its structure changed; the film shows only structure {number} of "
        f"{len(shown.parts)}, which lasted longest, from {times[0]:g} s to {times[-1]:g} s"
    ]
