"""A controller's law as text, in the expression language of model files."""

from __future__ import annotations

import re
from collections.abc import Mapping

from touchback import Expr, Model
from touchback.errors import InputError, ModelError
from touchback.model import Control, Value, parse, quoted, to_text, value
from touchback.names import suggestion, unknown_name
from touchback.realtime.control import CommandServer
from touchback.realtime.control.control_messages import Facts
from touchback.workbench.manipulate.manipulator_messages import Law, Laws
from touchback.workbench.manipulate.state_snapshot import refuse_rows
from touchback.workbench.manipulate.undo_history import EDIT, Change, Reshape

_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")
_ESCAPED = re.compile(r"\\(.)")


class ControllerLaws:
    """Laws of a run's controllers."""

    def __init__(self, commands: CommandServer, reshape: Reshape) -> None:
        self._commands, self._reshape = commands, reshape

    def law(self, asked: Law, client: str) -> Facts:
        """Another law for a control."""
        system = self._commands.live.system
        refuse_rows(system)
        name = asked.control
        if name not in system.model.controls:
            raise unknown_name("control", name, system.model.controls)
        self._commands.check("structure", name)
        with self._reshape.lock:
            drives_of(self._reshape.model(), name, asked.text)  # refused with the place in the text

            def alter(model: Model) -> None:
                known = model.controls[name]
                drives = drives_of(model, name, asked.text)
                model.controls[name] = Control(drives, known.instead_of)

            words = f"law of '{name}'"
            facts = self._reshape.add(Change(EDIT, name, words, alter, key=("law", name)))
        return {"words": words, **facts, "control": name, "text": asked.text}

    def laws(self, asked: Laws, client: str) -> Facts:
        """All laws as text, and the names that they may use."""
        system = self._commands.live.system
        if system.names:
            return {"laws": []}
        model = system.model
        names = [quoted(name) for name in model.signal_names()]
        return {
            "laws": [
                {"name": name, "text": law_text(model, name), "drives": list(control.drives),
                 "instead_of": control.instead_of, "names": names}
                for name, control in model.controls.items()
                if self._commands.exposed.allows("structure", name)
            ]
        }  # fmt: skip


def drives_of(model: Model, control: str, text: str) -> dict[str, Value]:
    """What drives each input of a control: an expression, or a line `input = expression` for each,
    after lines `$1 = expression` of what they share."""
    targets = list(model.controls[control].drives)
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(f"Control '{control}': its law is empty; write an expression.")
    names = dict.fromkeys(model.signal_names())
    if len(targets) == 1 and _assigned(lines[0][1]) is None:
        return {targets[0]: _read(model, control, text, 1, {}, names)}
    found: dict[str, Value] = {}
    shared: dict[str, int] = {}
    for number, line in lines:
        target, end = _assigned(line) or ("", 0)
        if not (target in targets or target.startswith("$")):
            raise InputError(
                f"Control '{control}', line {number}, column 1: `input = expression` is expected, "
                f"for one of {', '.join(targets)}.\n  {line}\n  ^"
            )
        if target in found or target in shared:
            raise InputError(
                f"Control '{control}', line {number}, column 1: '{target}' is said twice."
            )
        blank = " " * end + line[end:]  # so that columns are those of the line
        meant = _read(model, control, blank, number, shared, names)
        if target.startswith("$"):
            node = meant.id if isinstance(meant, Expr) else model.tape.const(meant)
            shared[target] = node
        else:
            found[target] = meant
    missing = [target for target in targets if target not in found]
    if missing:
        raise InputError(
            f"Control '{control}': its law doesn't say what drives {', '.join(missing)}."
        )
    return {target: found[target] for target in targets}


def _assigned(line: str) -> tuple[str, int] | None:
    """What a line `input = expression` gives a value to, and where its expression begins; None
    where it is another line. Read once from left to right, for strangers write it."""
    text = line.lstrip()
    if text.startswith("'"):
        match = _QUOTED.match(text)
        if match is None:
            return None
        name, rest = _ESCAPED.sub(r"\1", match[1]), text[match.end() :].lstrip()
    else:
        before, sign, after = text.partition("=")
        name, rest = before.rstrip(), sign + after
        is_name = name[1:].isdecimal() if name.startswith("$") else not set(name) & set("'<>$")
        if not name or not is_name:
            return None
    is_one = rest.startswith("=") and not rest.startswith("==")
    return (name, len(line) - len(rest) + 1) if is_one else None


def _read(
    model: Model,
    control: str,
    text: str,
    line: int,
    shared: Mapping[str, int],
    known: Mapping[str, None],
) -> Value:
    """An expression of a text that begins at a line; complaints point to line and column."""

    def symbol(name: str) -> int:
        if name not in known:
            raise KeyError(name)
        return model.tape.symbol(name)

    try:
        node = parse(text, model.tape, symbol, model.tables.__getitem__, shared)
    except ModelError as error:
        raise InputError(_placed(control, text, line, str(error), list(known))) from None
    return value(f"Control '{control}'", Expr(model.tape, node))


def _placed(control: str, text: str, first: int, said: str, known: list[str]) -> str:
    """A parser's complaint with the line and column of the whole text."""
    match = re.match(r"Expression, column (\d+): ([^\n]*)", said)
    if match is None:
        return f"Control '{control}': {said}"
    before = text[: int(match[1]) - 1]
    line, column = first + before.count("\n"), len(before) - (before.rfind("\n") + 1) + 1
    shown = text.splitlines()[line - first] if text.splitlines()[line - first :] else ""
    missing = re.match(r"there is no name '(.*)'", match[2])
    hint = f" {suggestion(missing[1], known).capitalize()}" if missing else ""
    words = match[2].rstrip(".")
    place = f"Control '{control}', line {line}, column {column}"
    return f"{place}: {words}.{hint}\n  {shown}\n  {' ' * (column - 1)}^"


def law_text(model: Model, control: str) -> str:
    """The law of a control as text that gives it again."""
    drives = model.controls[control].drives
    nodes = [
        given.id if isinstance(given, Expr) else model.tape.const(float(given))
        for given in drives.values()
    ]
    names = list(model.tables.items())
    shared, texts = to_text(
        model.tape, nodes, table=lambda table: next(name for name, known in names if known == table)
    )
    if len(texts) == 1 and not shared:
        return texts[0]
    lines = [f"{name} = {text}" for name, text in shared.items()]
    return "\n".join(
        [
            *lines,
            *(f"{quoted(target)} = {text}" for target, text in zip(drives, texts, strict=True)),
        ]
    )
