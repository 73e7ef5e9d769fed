"""Ready mechanisms, one file each: a model, an experiment, and a line about it."""

from touchback.gallery.entry import Entry, Experiment
from touchback.gallery.registry import entry, make, names

__all__ = ["Entry", "Experiment", "entry", "make", "names"]
