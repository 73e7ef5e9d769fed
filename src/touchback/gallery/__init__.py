"""Ready mechanisms, as `tb.gallery`: `tb.gallery.make("pendulum")` is a model, and its entry has an
experiment and a line about it."""

from touchback.gallery.catalogue import Entry, Experiment, entry, make, names

__all__ = ["Entry", "Experiment", "entry", "make", "names"]
