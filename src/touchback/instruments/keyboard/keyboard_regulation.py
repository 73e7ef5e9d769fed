"""What was turned on a keyboard's actions, walls and other voices, as a file that `touchback play
--set` takes, and what each screw does.

    touchback regulation: 1
    every key:
      let-off button height: 0.0003
    keys:
      C4: {hammer mass: 0.008}

Names and units are those of the action's live parameters (SI). What isn't in it stays as the key is
graded; what is said of one key goes before what is said of every key.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from touchback import System
from touchback.errors import InputError
from touchback.instruments.keyboard.key_mechanisms import VOICE_NUMBERS, WALL_VOICES
from touchback.instruments.keyboard.keyboard_model import HIGHEST, LOWEST, note_name
from touchback.model import Parameter, check_value
from touchback.model.io import read_yaml, yaml_text
from touchback.names import suggestion
from touchback.numbers import shown
from touchback.safe_files import check_output, read_regular, write_atomically

FORMAT, VERSION = "touchback regulation", 1
EVERY, KEYS = "every key", "keys"
PREFIX = "action/"
WALL_SCREWS = ("wall stiffness", "wall damping", "wall rate")  # of a key that is a wall
#: Screws that are parameters of the key itself, by the voices that have them.
VOICE_SCREWS: dict[str, tuple[str, ...]] = {
    **{voice: tuple(numbers) for voice, numbers in VOICE_NUMBERS.items()},
    **dict.fromkeys(WALL_VOICES, WALL_SCREWS),
}
_OWN = frozenset(name for names in VOICE_SCREWS.values() for name in names)
#: A sentence about each screw.
SCREW_SENTENCES = {
    "key dip": "How far the key front goes down to its bed.",
    "blow distance": "From the hammer at rest to the string.",
    "capstan height": "Lifts whippen and hammer: too high, and the jack carries at rest.",
    "let-off button height": "Meets the jack's toe: the lower it is, the earlier the jack slips "
    "out from under the hammer.",
    "drop screw height": "Stops the repetition lever, so that the hammer drops after let-off.",
    "repetition lever height": "How high the lever holds the hammer over the jack.",
    "jack position": "Where the jack stands under the knuckle; too far out, it slips early.",
    "backcheck distance": "How far from the hammer's tail it is caught after a blow.",
    "backcheck angle": "How the backcheck leans: it wedges the tail, or lets it slip.",
    "repetition spring": "Lifts the checked hammer, so that the jack returns for the next stroke.",
    "jack spring": "Pulls the jack back under the knuckle.",
    "hammer mass": "A heavier hammer is felt five times over at the key, and strikes harder.",
    "key lead mass": "Lead in the key that balances the hammer.",
    "key lead distance": "Where the lead is, in front of the balance pin: the key gets lighter.",
    "knuckle friction": "Of jack and lever on the knuckle: felt before let-off.",
    "capstan friction": "Of the capstan on the whippen's heel.",
    "backcheck friction": "With too little of it the hammer isn't caught.",
    "centre friction": "Multiplies the friction of all centre pins.",
    "string stiffness": "Multiplies that of the string and the hammer's felt.",
    "string hysteresis": "How much the hammer's felt damps as it leaves the string.",
    "damper mass": "Of the damper, which the key lifts from half its dip on.",
    "wall stiffness": "Of the computed spring: above a limit the wall chatters.",
    "wall damping": "Of the computed damper, which noise of the measured speed makes rough.",
    "wall rate": "How often a second the wall is computed: the fewer, the softer it must be.",
    **{name: each.about for numbers in VOICE_NUMBERS.values() for name, each in numbers.items()},
}
REGULATION_SUFFIXES = (".yaml", ".yml")
LARGEST = 1 << 20  # bytes of a file
NAMED = 4  # of keys that aren't there
_EXPECTED = (
    "--set: a screw, '=' and a number in SI units, or a .yaml file, is expected, got '{}'; "
    "`--set list` shows the screws."
)
_NOTES = {note_name(note): note for note in range(LOWEST, HIGHEST + 1)}

Turned = dict[str, float]  # screws and their values


@dataclass(frozen=True)
class Regulation:
    """Screws that were turned on every key, and on keys of some MIDI notes."""

    every: Turned = field(default_factory=dict)
    keys: Mapping[int, Turned] = field(default_factory=dict)

    def screws_of(self, note: int) -> Turned:
        """What is turned on the key of a note."""
        return {**self.every, **self.keys.get(note, {})}

    def merge_over(self, other: "Regulation") -> "Regulation":
        """Both, this one where they differ; what it says of every key holds for all."""
        before = {
            note: {name: value for name, value in own.items() if name not in self.every}
            for note, own in other.keys.items()
        }
        notes = [*before, *(note for note in self.keys if note not in before)]
        keys = {note: {**before.get(note, {}), **self.keys.get(note, {})} for note in notes}
        return Regulation(
            {**other.every, **self.every}, {note: own for note, own in keys.items() if own}
        )

    def with_screw(self, screw: str, value: float | None, note: int | None = None) -> "Regulation":
        """With one more screw turned, on the key of a note or on every key; None: as graded."""
        if value is not None:
            one = {screw: value}
            return (Regulation(one) if note is None else Regulation({}, {note: one})).merge_over(
                self
            )
        every = self.every if note is not None else _without(self.every, screw)
        keys = {
            key: _without(own, screw) if note in (None, key) else own
            for key, own in self.keys.items()
        }
        return Regulation(every, {key: own for key, own in keys.items() if own})

    def check(self, screws: Mapping[str, Parameter], where: str) -> None:
        """Refuses screws that an action doesn't have and values that they can't take."""
        for name, value, key in self._each():
            of = f"{where}: {key}"
            if not screws:
                raise InputError(f"{of} has no screw '{name}': its voice has none.")
            if name not in screws:
                raise InputError(f"{of} has no screw '{name}'; {suggestion(name, list(screws))}")
            check_value(f"{of}, '{name}'", screws[name], value)

    def left_out(self, notes: Sequence[int]) -> str:
        """Whose screws aren't turned where only some keys are there, as a line; empty for none's.
        A file may be of more keys."""
        others = [note_name(note) for note in sorted(self.keys) if note not in notes]
        if not others:
            return ""
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        there = " to ".join(dict.fromkeys(note_name(note) for note in (notes[0], notes[-1])))
        which = ", ".join(others[:NAMED]) + more
        return f"only {there} is here; what is said of {which} is left out."

    @property
    def count(self) -> int:
        """How many screws are named in it."""
        return len(list(self._each()))

    def _each(self) -> Iterator[tuple[str, float, str]]:
        for name, value in self.every.items():
            yield name, value, "a key"
        for note, own in self.keys.items():
            for name, value in own.items():
                yield name, value, note_name(note)

    def text(self) -> str:
        """As a file holds it."""
        keys = {note_name(note): dict(own) for note, own in sorted(self.keys.items())}
        return yaml_text({FORMAT: VERSION, EVERY: dict(self.every), KEYS: keys})

    def save(self, path: str | Path) -> None:
        """Write it to a .yaml file."""
        check_output(path, REGULATION_SUFFIXES, "Regulation")
        write_atomically(path, self.text())


DEFAULT_REGULATION = Regulation()  # nothing turned


def _without(own: Turned, screw: str) -> Turned:
    return {name: value for name, value in own.items() if name != screw}


def screws_of(parameters: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """The screws among the parameters of a key: those of the action and of its other voices."""
    return {
        name.removeprefix(PREFIX): each
        for name, each in parameters.items()
        if name.startswith(PREFIX) or name in _OWN
    }


def screw_parameter(screw: str) -> str:
    """The parameter of a key that a screw turns."""
    return screw if screw in _OWN else PREFIX + screw


def voices_with(screw: str) -> list[str]:
    """The voices that a screw is of; all others are the action's."""
    return [voice for voice, names in VOICE_SCREWS.items() if screw in names] or ["piano"]


def regulate(system: System, notes: Iterable[int], regulation: Regulation) -> None:
    """Turn the screws of a row of keys as a regulation says; those of other notes are left out."""
    regulation.check(screws_of(system.replica.model.all_parameters()), "Regulation")
    for note in notes:
        for name, value in regulation.screws_of(note).items():
            system[f"{note_name(note)}/{screw_parameter(name)}"] = value


def regulation_of(texts: Iterable[str]) -> Regulation:
    """What texts ask for, the later ones first: "screw=value", "C4/screw=value", or the path of a
    file."""
    found = Regulation()
    for text in texts:
        if "=" not in text and not text.endswith(REGULATION_SUFFIXES):
            raise InputError(_EXPECTED.format(text))
        found = (_assigned(text) if "=" in text else read_regulation(text)).merge_over(found)
    return found


def _assigned(text: str) -> Regulation:
    name, _, number = text.rpartition("=")
    # A trial calls a voice's part by name: "action/hammer mass" is the screw "hammer mass".
    key, slash, screw = name.strip().replace("action/", "", 1).partition("/")
    try:
        value = float(number)
    except ValueError:
        raise InputError(_EXPECTED.format(text)) from None
    if not slash:
        return Regulation({key: value})
    return Regulation({}, {_note(key, "--set"): {screw: value}})


def _note(name: str, where: str) -> int:
    if name not in _NOTES:
        raise InputError(f"{where}: there is no key '{name}'; a piano's are A0 to C8, as C#4.")
    return _NOTES[name]


def read_regulation(path: str | Path) -> Regulation:
    """The regulation in a file."""
    where = Path(path).name
    data = read_yaml(read_regular(path, LARGEST).decode("utf-8", "replace"), where).data
    if not isinstance(data, dict) or data.get(FORMAT) != VERSION:
        raise InputError(
            f"{where} is no regulation of a keyboard: it should begin with '{FORMAT}: {VERSION}'."
        )
    other = [str(key) for key in data if key not in (FORMAT, EVERY, KEYS)]
    if other:
        raise InputError(f"{where} has '{other[0]}'; '{EVERY}' and '{KEYS}' are known.")
    keys = _mapping(data.get(KEYS), f"{where}, {KEYS}")
    return Regulation(
        _numbers(data.get(EVERY), f"{where}, {EVERY}"),
        {_note(name, where): _numbers(own, f"{where}, {name}") for name, own in keys.items()},
    )


def _mapping(given: object, where: str) -> dict[str, object]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise InputError(f"{where}: names and values are expected, got {shown(given)}.")
    return {str(name): value for name, value in given.items()}


def _numbers(given: object, where: str) -> Turned:
    numbers = {}
    for name, value in _mapping(given, where).items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{where}, '{name}': a number is expected, got {shown(value)}.")
        numbers[name] = float(value)
    return numbers
