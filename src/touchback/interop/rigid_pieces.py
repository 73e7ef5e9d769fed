"""What of a model that was read is fixed together."""

from touchback.interop.notes import Notes
from touchback.model import Model
from touchback.model.frame import GROUND
from touchback.model.joints import Fixed


def welded_bodies(model: Model) -> dict[str, str]:
    """The body that each is fixed to, directly or not; itself where it moves."""
    fixed = {
        joint.child.body: joint.parent.body
        for joint in model.joints.values()
        if isinstance(joint.kind, Fixed)
    }
    found = {}
    for body in (GROUND, *model.bodies):
        found[body] = body
        while found[body] in fixed:
            found[body] = fixed[found[body]]
    return found


def drop_idle_closures(model: Model, notes: Notes) -> None:
    """Leave out what ties bodies that are fixed together already: files may, models may not."""
    welded = welded_bodies(model)
    for name, closure in list(model.closures.items()):
        if welded[closure.a.body] == welded[closure.b.body]:
            del model.closures[name]
            notes.say(
                f"{name!r} is left out: '{closure.a.body}' and '{closure.b.body}', which it ties, "
                "are fixed together already."
            )
