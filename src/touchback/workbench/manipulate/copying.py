"""A flat copy of a model to change: another structure for a run that goes on with the old one."""

from copy import copy

from touchback.model import Model
from touchback.model.flatten import flatten
from touchback.model.model import MECHANICS, OWN


def copied(model: Model) -> Model:
    """The same mechanism without parts, whose items may be added to, replaced and taken away; its
    expressions stay on the same tape."""
    flat = flatten(model.described or model)  # all modes, not the present one
    other = copy(flat)
    for section in (*OWN, *MECHANICS):
        setattr(other, section, copy(getattr(flat, section)))
    other.imported = dict(flat.imported)
    return other
