"""What MODEL means on the command line: a name of the gallery, or a file."""

from collections.abc import Iterable
from pathlib import Path

import touchback as tb
from touchback.errors import InputError
from touchback.interop import FORMATS, MESH_ENDINGS
from touchback.names import suggestion
from touchback.recording import FORMATS as RUNS

_DURATION = 5.0  # seconds, of a run of a file that says nothing


def load(given: str) -> tuple[tb.Model, tb.gallery.Experiment]:
    """The model, and the experiment to run when nothing else is asked for."""
    if given in tb.gallery.names():
        entry = tb.gallery.entry(given)
        return entry.make(), entry.experiment
    path = Path(given)
    if path.is_file():
        if path.suffix.lower() not in FORMATS:
            raise InputError(_other(path))
        return _of_file(path), tb.gallery.Experiment(_DURATION)
    if path.suffix or "/" in given:
        raise InputError(f"There is no file '{given}'.")
    raise InputError(
        f"There is no mechanism '{given}' in the gallery, nor such a file; "
        f"{suggestion(given, tb.gallery.names())}"
    )


def _of_file(path: Path) -> tb.Model:
    """What a file describes; the car of a vehicle file stands at rest on a plane."""

    if not tb.vehicle.is_car_file(path):
        return tb.read(path)
    car = tb.vehicle.read_car(path)
    model = tb.Model(car.name)
    tb.vehicle.add_car(model, car)
    return model


def _other(path: Path) -> str:
    """What to do with a file that describes no model."""
    ending = path.suffix.lower()
    if ending == ".py":
        return (
            f"{path} is a program: run it with `python {path}`. Its mechanism is shown by "
            "`model.compile().view()` in it, or kept by `model.save('mine.yaml')` for this command."
        )
    if ending in RUNS:
        return (
            f"{path} is a run, not a model: `touchback view {path} --of MODEL` plays it on a page."
        )
    if ending in MESH_ENDINGS:
        return (
            f"{path} is a form without masses and joints: name it in a robot's .urdf, or read it "
            "in a program by `tb.read_mesh`."
        )
    what = f"ends in '{path.suffix}'" if path.suffix else "has no ending"
    return (
        f"{path} {what}: models are read from {_listed(FORMATS)}, runs and recordings (`touchback "
        f"view`) from {_listed(RUNS)}."
    )


def _listed(endings: Iterable[str]) -> str:
    *first, last = endings
    return f"{', '.join(first)} or {last}"
