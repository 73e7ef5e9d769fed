"""Ready mechanisms, as `tb.gallery`: `tb.gallery.make("pendulum")` is a model, and its entry has an
experiment and a line about it. One file each."""

from touchback.gallery.entry import Entry, Experiment
from touchback.gallery.registry import entry, make, names

__all__ = ["Entry", "Experiment", "entry", "make", "names"]
