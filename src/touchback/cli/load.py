"""What MODEL means on the command line: a name of the gallery, or a file."""

from pathlib import Path

from touchback import gallery
from touchback.errors import InputError
from touchback.gallery import Experiment
from touchback.interop.formats import read
from touchback.model import Model
from touchback.model.names import suggestion

_DURATION = 5.0  # seconds, of a run of a file that says nothing


def load(given: str) -> tuple[Model, Experiment]:
    """The model, and the experiment to run when nothing else is asked for."""
    if given in gallery.names():
        entry = gallery.entry(given)
        return entry.make(), entry.experiment
    path = Path(given)
    if path.is_file():
        return read(path), Experiment(_DURATION)
    if path.suffix or "/" in given:
        raise InputError(f"There is no file '{given}'.")
    raise InputError(
        f"There is no mechanism '{given}' in the gallery, nor such a file; "
        f"{suggestion(given, gallery.names())}"
    )
