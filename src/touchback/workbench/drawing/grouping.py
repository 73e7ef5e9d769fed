"""Groups of a drawing: bodies that become a sub-model of the library, and come out of it again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.model import GROUND
from touchback.names import check_name, unknown_name
from touchback.workbench.drawing import drawing_messages as messages
from touchback.workbench.drawing.document import (
    ROWS,
    SECTIONS,
    Changes,
    Draft,
    Item,
    add,
    body_of,
    framed,
    head_of,
    mapped,
    nices,
    references,
    rotation_of,
    symbols,
    with_symbols,
)
from touchback.workbench.drawing.placement import (
    ACTING,
    DEFINITION,
    SIGNALS,
    Chosen,
    listed,
    names_of,
)

_MANY = 10**9  # things: no need to count on


def check_size(data: object) -> None:
    """Refuses data of a file that would have too many things, before a model is made of them. What
    parts contain counts for each of them: parts of parts make many bodies of a short file."""
    document = data if isinstance(data, dict) else {}
    library = document.get("library", {})
    sizes: dict[object, int] = {}  # of models of the library, each of which is above its users
    for name, entry in library.items() if isinstance(library, dict) else ():
        sizes[name] = _size(entry, sizes)
    own = {key: section for key, section in document.items() if key != "library"}
    things = max(_size(own, sizes), *sizes.values(), 0)
    if things > messages.MOST_THINGS:
        raise InputError(
            f"The drawing would have {things} things with what its parts contain; at most "
            f"{messages.MOST_THINGS} are drawn. Leave some out, or write a program."
        )


def _size(model: object, sizes: Mapping[object, int]) -> int:
    """How many things a model has; what isn't as it should be is the reader's to complain of."""
    sections = model if isinstance(model, dict) else {}
    things = sum(len(each) for each in sections.values() if isinstance(each, dict))
    parts = sections.get("parts")
    for part in parts.values() if isinstance(parts, dict) else ():
        used = part.get("model") if isinstance(part, dict) else None
        things += sizes.get(used, 0) if isinstance(used, str) else 0
    return min(things, _MANY)


Key = tuple[str, str]  # a section and a name in it


def group(draft: Draft, asked: messages.Group) -> str:
    """Bodies and what acts between them become a sub-model, whose ground is what they hang on."""
    name = check_name("Part", asked.name)
    if name in draft.items("parts"):
        raise InputError(f"There is a part '{name}' already; choose another name.")
    chosen = Chosen(draft, asked.items)
    if not chosen.bodies and not chosen.parts:
        raise InputError(
            f"Group '{name}': {listed(asked.items)} is no body; a group has bodies, with what is "
            "between them."
        )
    base = _base(draft, chosen, name)
    inside = _inside(draft, chosen, base)
    entry, share = _sub_model(draft, inside, base)
    library = dict(draft.data.get("library", {}))
    key = name
    while key in library:
        key = f"{key} copy"
    part: Item = {"model": key}
    if base != GROUND:
        part["at"] = base
    if share:
        part["share"] = share
    draft.data["library"] = {**library, key: entry}
    for section, each in inside:
        draft.drop(section, each)
    _rename_inside(draft, dict.fromkeys(inside), lambda each: f"{name}/{each}")
    draft.put("parts", name, part)
    return f"group '{name}'"


def _base(draft: Draft, chosen: Chosen, name: str) -> str:
    """What a group hangs on."""
    found = dict[str, None]()
    for item in draft.items("joints").values():
        parent = body_of(item["parent"])
        if body_of(item["child"]) in chosen.bodies and not chosen.has(parent):
            found[parent] = None
    for part in chosen.parts:
        at = body_of(draft.items("parts")[part].get("at", GROUND))
        if not chosen.has(at):
            found[at] = None
    if len(found) > 1:
        raise InputError(
            f"Group '{name}': it would hang on {names_of(list(found))}; a group hangs on one "
            "body or on the ground. Choose more bodies, or fewer."
        )
    return next(iter(found), GROUND)


def _inside(draft: Draft, chosen: Chosen, base: str) -> dict[Key, None]:
    """Items of a group: those that know nothing but it and what it hangs on."""
    found: dict[Key, None] = {("parts", name): None for name in chosen.parts}
    found |= {("bodies", name): None for name in chosen.bodies}
    rows = set[str]()
    for section in ("shapes", "joints", "closures"):
        for name, item in draft.items(section).items():
            bodies = references(section, item).bodies
            own = [each for each in bodies if chosen.has(each)]
            carried = section != "joints" or chosen.has(body_of(item["child"]))
            if own and carried and all(each in own or each == base for each in bodies):
                found[section, name] = None
                rows |= {name} if section != "shapes" else set()
    return found | dict.fromkeys(_acting_inside(draft, chosen, base, rows, found))


def _acting_inside(
    draft: Draft, chosen: Chosen, base: str, rows: set[str], held: Mapping[Key, None]
) -> list[Key]:
    """What acts in a group alone: an item goes with the last of what it asks for, an input with the
    last that uses it."""
    texts, parts = _whole_texts(draft), tuple(f"{each}/" for each in chosen.parts)
    keys = [(section, name) for section in (*ACTING, "inputs") for name in draft.items(section)]
    all_rows = rows | {name for section, name in keys if section in ROWS}
    signals = {name for section, name in keys if section in SIGNALS}
    constants = {*draft.items("parameters"), *draft.items("tables"), "time", "inf", "nan"}
    asked, users = dict[Key, set[Key]](), dict[Key, set[Key]]()
    out = set[Key]()
    used = {key for item in draft.items("controls").values() for key in item.get("drives", ())}
    for section in (*ACTING, "inputs"):
        for name, item in draft.items(section).items():
            refs, key = references(section, item), (section, name)
            names = {each for text in texts(section, item) for each in symbols(text)}
            own_rows = {*refs.joints, *(each for each in names if each[:2] in ("q:", "v:"))}
            needs = set[Key]()
            inside = all(chosen.has(each) or each == base for each in refs.bodies)
            for each in names | own_rows:
                known, what = (all_rows, "row") if each in own_rows else (signals, "signal")
                if (head := head_of(each, known)) is not None:
                    needs.add((what, head))
                elif each not in constants and not _bare(each).startswith(parts or ("/",)):
                    inside = False
            asked[key] = needs
            for need in needs:
                users.setdefault(need, set()).add(key)
            if section != "inputs" and not (
                inside and (own_rows or any(map(chosen.has, refs.bodies)))
            ):
                out.add(key)
    for section, name, refs in draft.references():
        if (section, name) not in asked and (section, name) not in held:
            used |= {each for text in refs.texts for each in symbols(text)}
    out |= {key for key in keys if key[0] == "inputs"
            and (key[1] in used or ("signal", key[1]) not in users)}  # fmt: skip
    waiting = list(out)
    while waiting:
        section, name = key = waiting.pop()
        more = {("inputs", need[1]) for need in asked[key] if ("inputs", need[1]) in asked}
        if section in ROWS:
            more |= users.get(("row", name), set())
        if section in SIGNALS:
            more |= users.get(("signal", name), set())
        waiting += more - out
        out |= more
    return [key for key in keys if key not in out]


def _bare(symbol: str) -> str:
    return symbol[2:] if symbol[:2] in ("q:", "v:") else symbol


def _whole_texts(draft: Draft) -> Callable[[str, Any], list[str]]:
    """Texts of an item and of all definitions that they use."""
    definitions = draft.items("definitions")

    def texts(section: str, item: Any) -> list[str]:
        found, waiting = dict[str, None](), list(references(section, item).texts)
        while waiting:
            text = waiting.pop()
            if text not in found:
                found[text] = None
                waiting += [definitions[each] for each in DEFINITION.findall(text)
                            if each in definitions]  # fmt: skip
        return list(found)

    return texts


def _sub_model(draft: Draft, inside: Mapping[Key, None], base: str) -> tuple[Item, list[str]]:
    """The entry of a library for items, and the parameters that it shares."""
    entry, used = dict[str, Any](), dict[str, None]()
    texts = _whole_texts(draft)

    def body(given: str) -> str:
        return GROUND if given == base else given

    for section in SECTIONS:
        for name, item in draft.items(section).items():
            if (section, name) in inside:
                entry.setdefault(section, {})[name] = mapped(section, item, Changes(body))
                used |= dict.fromkeys(texts(section, item))
    definitions = [each for text in used for each in DEFINITION.findall(text)]
    asked = {each for text in used for each in symbols(text)}
    for section, wanted in (
        ("parameters", asked), ("tables", asked), ("definitions", set(definitions))
    ):  # fmt: skip
        own = {name: item for name, item in draft.items(section).items() if name in wanted}
        if own:
            entry[section] = deepcopy(own)
    ordered = {section: entry[section] for section in SECTIONS if section in entry}
    return ordered, list(entry.get("parameters", ()))


def _rename_inside(draft: Draft, items: Mapping[Key, Any], to: Callable[[str], str]) -> None:
    """Calls things that went into a part, or came from one, by their new names wherever the rest
    knows them."""
    bodies = {name for section, name in items if section == "bodies"}
    parts = {name for section, name in items if section == "parts"}
    rows = {name for section, name in items if section in ROWS}
    signals = {name for section, name in items if section in (*SIGNALS, "parameters", "forces")}

    def body(given: str) -> str:
        return to(given) if given in bodies or given.partition("/")[0] in parts else given

    def row(given: str) -> str:
        head = head_of(given, rows)
        return body(given) if head is None else to(head) + given[len(head) :]

    def symbol(given: str) -> str:
        if given[:2] in ("q:", "v:"):
            return given[:2] + row(given[2:])
        head = head_of(given, signals)
        return body(given) if head is None else to(head) + given[len(head) :]

    draft.map_all(Changes(body, row, lambda text: with_symbols(text, symbol)))
    draft.rename_in_lists(row, symbol)


def ungroup(draft: Draft, asked: messages.Ungroup) -> str:
    """The items of a part, in the drawing itself."""
    name = asked.name
    if name not in draft.items("parts"):
        raise unknown_name("part", name, draft.items("parts"))
    part = deepcopy(draft.items("parts")[name])
    library = dict(draft.data.get("library", {}))
    entry: Item = deepcopy(library[part["model"]])
    for section in ("states", "modes", "transitions", "controls"):
        if entry.get(section):
            raise InputError(
                f"Part '{name}': its model '{part['model']}' has {section}; such a part stays a "
                "part."
            )
    draft.drop("parts", name)
    others = [*draft.items("parts").values()]
    others += [each for model in library.values() for each in model.get("parts", {}).values()]
    if not any(each["model"] == part["model"] for each in others):
        del library[part["model"]]
    draft.data["library"] = library
    _Released(draft, name, part, entry).put()
    return f"ungroup '{name}'"


class _Released:
    """Items of a part on their way into the drawing."""

    def __init__(self, draft: Draft, part_name: str, part: Item, entry: Item) -> None:
        self.draft, self.part_name, self.part, self.entry = draft, part_name, part, entry
        self.at = framed(part.get("at", GROUND))
        self.bind: Mapping[str, Any] = part.get("bind", {})
        shared = set(part.get("share", ()))
        known = {name for section in SECTIONS for name in draft.items(section)}
        self.names = {name: name for name in shared}
        for section in SECTIONS:
            for each in entry.get(section, {}):
                if each in self.names or section == "definitions":
                    continue
                to, count = each, 2
                while to in known:
                    to, count = f"{re.sub(r' [0-9]+$', '', each)} {count}", count + 1
                known.add(to)
                self.names[each] = to
        start = max((int(each[1:]) for each in draft.items("definitions")), default=0)
        self.definitions = {
            each: f"${start + k}" for k, each in enumerate(entry.get("definitions", {}), 1)
        }
        self.shared = shared

    def put(self) -> None:
        draft = self.draft
        changes = Changes(self.body, self.row, self.text, self.frame)
        for section in SECTIONS:
            for each, item in self.entry.get(section, {}).items():
                if section == "parameters" and (each in self.shared or each in self.bind):
                    continue
                to = self.definitions[each] if section == "definitions" else self.names[each]
                if section == "parts":
                    item = self.inner_part(item)
                draft.put(section, to, mapped(section, item, changes))
        prefix = f"{self.part_name}/"

        def back(given: str) -> str:
            own = given[2:] if given[:2] in ("q:", "v:") else given
            if not own.startswith(prefix):
                return given
            return given[: len(given) - len(own)] + self.row(own[len(prefix) :])

        draft.map_all(Changes(back, back, lambda text: with_symbols(text, back)))
        draft.rename_in_lists(back, back)

    def body(self, given: str) -> str:
        head, slash, rest = given.partition("/")
        return self.names.get(head, head) + slash + rest

    def row(self, given: str) -> str:
        head = head_of(given, self.names)
        return self.body(given) if head is None else self.names[head] + given[len(head) :]

    def symbol(self, given: str) -> str:
        return given[:2] + self.row(given[2:]) if given[:2] in ("q:", "v:") else self.row(given)

    def text(self, given: str) -> str:
        found = DEFINITION.sub(lambda m: self.definitions.get(m[0], m[0]), given)
        marked = {each: f"bound {k}" for k, each in enumerate(self.bind)}
        found = with_symbols(found, lambda each: marked.get(each) or self.symbol(each))
        for each, mark in marked.items():
            found = found.replace(f"'{mark}'", f"({self.bind[each]})")
        return found

    def inner_part(self, item: Item) -> Item:
        """A part of the part: what it shares may be bound here."""
        share = [each for each in item.get("share", ()) if each not in self.bind]
        bind = {each: self.bind[each] for each in item.get("share", ()) if each in self.bind}
        found = {**item, "bind": {**item.get("bind", {}), **bind}, "share": share}
        found = {key: each for key, each in found.items() if each or key in ("model", "at")}
        renamed = [each for each in share if self.names[each] != each]
        if renamed:
            raise InputError(
                f"Part '{self.part_name}': its part shares '{renamed[0]}', and there is another "
                "thing of that name; rename that first."
            )
        return found

    def frame(self, given: Any) -> Any:
        """A frame on the part's ground as one of what that is in the drawing."""
        if body_of(given) != GROUND:
            return given
        own, outer = framed(given), deepcopy(self.at)
        turn = [*outer.get("turn", []), *own.get("turn", [])]
        if outer.get("turn") and any(own["at"]):
            if any(isinstance(x, str) for x in own["at"]):
                raise InputError(
                    f"Part '{self.part_name}': it is turned, and a point of it is given by the "
                    f"expressions {', '.join(map(str, own['at']))}; it stays a part."
                )
            own["at"] = nices(rotation_of(outer["turn"]) @ np.array(own["at"], dtype=float))
        at = [_sum(a, b) for a, b in zip(outer["at"], own["at"], strict=True)]
        found: Item = {"body": outer["body"], "at": at}
        return {**found, "turn": turn} if turn else found


def _sum(a: Any, b: Any) -> Any:
    if isinstance(b, str):
        return b if a == 0 else f"({a}) + ({b})"
    return add(a, float(b))
