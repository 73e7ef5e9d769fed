"""Ready mechanisms, as `tb.gallery`: `tb.gallery.make("pendulum")` is a model, and its entry has an
experiment and a line about it."""

from touchback.gallery.catalogue import (
    CLASSICS,
    Entry,
    Experiment,
    category,
    entry,
    make,
    make_started,
    names,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = ("driving_simulator",)

__all__ = ["CLASSICS", "Entry", "Experiment", "category", "entry", "make", "make_started", "names"]
