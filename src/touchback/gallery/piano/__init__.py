"""The grand piano action: geometry from regulation data, felts, screws, touches, strokes."""

from touchback.gallery.entry import Entry, Experiment, Shown
from touchback.gallery.piano.action import grand_piano_action
from touchback.gallery.piano.parameters import Specification
from touchback.gallery.piano.played import played
from touchback.gallery.piano.touch import Pressed, Repeated, Straight, Struck
from touchback.model import Model


def make() -> Model:
    """The full-contact action, its key pressed at mezzo forte and held."""
    return grand_piano_action("motion", Pressed(0.7))


_SIGNALS = ("key depth", "string gap", "capstan force", "jack force")

#: The action in the gallery, with its experiment.
ENTRY = Entry(
    "piano",
    "a grand piano action: key, whippen, jack, repetition lever, hammer and damper, all of felt",
    make,
    Experiment(0.25, signals=_SIGNALS, substeps=16),
    sentences=(
        "A grand piano action: key, whippen, jack, repetition lever, hammer and damper, and "
        "the felt between them.",
        "Nothing in it knows of stages: let-off, check and repetition come from who touches whom.",
        'Turn "let-off button height" and watch the hammer let go earlier or later.',
    ),
    shown=Shown(lambda: grand_piano_action("force"), played(_SIGNALS, 16)),
)

__all__ = [
    "ENTRY",
    "Pressed",
    "Repeated",
    "Specification",
    "Straight",
    "Struck",
    "grand_piano_action",
    "make",
]
