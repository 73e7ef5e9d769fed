"""Keys of a harpsichord and of a grand piano, with their experiments; the models are those of
`tb.instruments`."""

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown

PUSH = 4.0  # N: mezzo forte, the hammer meets the string at 2 m/s
_PUSH_TIMES = (0.0, 0.1, 0.13, 0.43, 0.46, 1.0)  # s
_PUSH_FORCES = (0.0, 0.0, PUSH, PUSH, 0.0, 0.0)
_STROKES = tb.instruments.stroke_forces()
_SIGNALS = ("key depth", "string gap", "capstan force", "jack force")


def make_pressed_piano() -> tb.Model:
    """The full-contact action, its key pressed at mezzo forte and held."""
    return tb.instruments.piano.grand_piano_action("motion", tb.instruments.piano.PressedTouch(0.7))


def make_pressed_piano_with_modes() -> tb.Model:
    """The model with modes, its key pressed at mezzo forte and held."""
    return tb.instruments.piano.piano_action_with_modes(
        "motion", tb.instruments.piano.PressedTouch(0.7)
    )


def push_repeatedly(signals: tuple[str, ...], substeps: int) -> Experiment:
    """The experiment with an action that is driven by its "key force": pushed, held and let go once
    a second, as a page shows it."""
    forces = np.array(_PUSH_TIMES), np.array(_PUSH_FORCES)
    return Experiment(
        _PUSH_TIMES[-1], inputs={"key force": forces}, signals=signals, substeps=substeps
    )


HARPSICHORD = Entry(
    "harpsichord",
    "a jack that plucks its string on the way up only: three modes, no tongue",
    tb.instruments.harpsichord_key,
    Experiment(
        float(_STROKES[0][-1]), inputs={"key force": _STROKES},
        signals=("depth", "jack", "string force"),
    ),
    sentences=(
        "A jack rises past its string and plucks it on the way up only.",
        "The plectrum bends until it slips: below, plucking and above are three modes with "
        "three laws.",
        'Raise "plectrum strength" and feel the pluck come later and harder.',
    ),
)  # fmt: skip

PIANO = Entry(
    "piano",
    "a grand piano action: key, whippen, jack, repetition lever, hammer and damper, all of felt",
    make_pressed_piano,
    Experiment(0.25, signals=_SIGNALS, substeps=16),
    sentences=(
        "A grand piano action: key, whippen, jack, repetition lever, hammer and damper, and "
        "the felt between them.",
        "Nothing in it knows of stages: let-off, check and repetition come from who touches whom.",
        'Turn "let-off button height" and watch the hammer let go earlier or later.',
    ),
    shown=Shown(
        lambda: tb.instruments.piano.grand_piano_action("force"), push_repeatedly(_SIGNALS, 16)
    ),
)

PIANO_WITH_MODES = Entry(
    "piano-modes",
    "the same action with modes: rigid contacts that are made and broken, after Gillespie",
    make_pressed_piano_with_modes,
    Experiment(0.25, signals=_SIGNALS, substeps=8),
    sentences=(
        "The same piano action, with rigid contacts instead of felt, after Gillespie.",
        "Which parts touch is a mode with its own equations, and the state graph shows which "
        "of them rules.",
        "Follow a stroke through its modes, from rest through let-off into check.",
    ),
    shown=Shown(
        lambda: tb.instruments.piano.piano_action_with_modes("force"), push_repeatedly(_SIGNALS, 8)
    ),
)
