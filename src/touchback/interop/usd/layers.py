"""Layers of USD, opened without leaving their folder and without what brings USD's library down."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from touchback.errors import ModelError
from touchback.interop.usd.trial import try_values, try_whole
from touchback.regular_file import read_regular

MAX_BYTES = 32 * 2**20
USD_ENDINGS = (".usda", ".usd", ".usdc")
_MAX_LAYERS = 1000
_MAX_PRIMS = 10_000_000  # by the largest estimate
_DEEPEST = 200  # brackets: USD's parser of text calls itself for each, until its stack is full
_BINARY = b"PXR-USDC"
_ARCS = re.compile(rb"references|payload|inherits|specializes|subLayers|clips")
# What USD takes for comments, strings, assets and paths, in which brackets are none; the groups
# are beginnings of some that have no end.
_TOKEN = re.compile(
    rb"#[^\n]*|//[^\n]*|/\*[\s\S]*?\*/"
    rb'|"""(?:(?!""")(?:\\"|[\s\S]))*+"""' + rb"|'''(?:(?!''')(?:\\'|[\s\S]))*+'''"
    rb"|@@@(?:(?!@@@)(?:\\@@@|[\s\S]))*+@@@" + rb"""|(?P<open>/\*|""(?=")|''(?=')|@@(?=@))"""
    rb'|"(?:(?!")(?:\\"|[^\n]))*+"' + rb"|'(?:(?!')(?:\\'|[^\n]))*+'"
    rb"|@[^@\n]*@|<[^<>\n]*>|[\[({]|[\])}]" + rb"""|(?P<open_in_line>["'])"""
)
_READ_AGAIN = 8  # times the file's length, in search of the ends of comments and strings


def text_layer(sdf: Any, text: str) -> Any:
    """The layer of a text, which names no other file."""
    content = text.encode()
    if len(content) > MAX_BYTES:
        raise ModelError(f"USD text: at most {MAX_BYTES} bytes are read.")
    _check_depth(content, "USD text")
    layer = sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    if _stay_inside(sdf, layer, content, None) > _MAX_PRIMS:
        try_whole("USD text", None, content)
    return layer


def file_layer(sdf: Any, path: Path) -> Any:
    """The layer of a file, which names files in its folder only."""
    if path.suffix.lower() not in USD_ENDINGS:
        raise ModelError(f"{path.name}: a USD file ends in {', '.join(USD_ENDINGS)}.")
    content = _content(path)
    if not content.strip():
        raise ModelError(f"{path.name}: the file is empty.")
    whole = path.resolve()
    layer = sdf.Layer.FindOrOpen(str(whole))
    if layer is None:
        raise ModelError(f"{path.name}: not a USD file.")
    layer.Reload()  # where somebody holds an older one
    if _stay_inside(sdf, layer, content, whole.parent) > _MAX_PRIMS:
        try_whole(path.name, str(whole), b"")
    return layer


def _content(path: Path) -> bytes:
    """Of a file that USD's library can open."""
    content = read_regular(path, MAX_BYTES, ModelError)
    if content.startswith(_BINARY):
        try_values(path.name, str(path.resolve()))
    else:
        _check_depth(content, path.name)
    return content


def _as_text(layer: Any, content: bytes) -> bytes:
    """What is packed in binary files is larger than they are."""
    return str(layer.ExportToString()).encode() if content.startswith(_BINARY) else content


def _prims(contents: list[bytes]) -> float:
    """At most so many prims are in all of them together: each reference doubles them at worst."""
    arcs = sum(each.count(b"<") + each.count(b"@") for each in contents if _ARCS.search(each))
    return sum(map(len, contents)) * 2.0 ** min(arcs, 1000)


def _check_depth(content: bytes, source: str) -> None:
    """Refuses more brackets in each other than USD's parser stands, and so many comments and
    strings without an end that to look for it takes long."""
    depth, left = 0, _READ_AGAIN * len(content)
    for token in _TOKEN.finditer(content):
        letter = token[0]
        if token.lastgroup is not None:
            end = content.find(b"\n", token.start()) if token.lastgroup == "open_in_line" else -1
            left -= (end if end >= 0 else len(content)) - token.start()
            if left < 0:
                line = 1 + content[: token.start()].count(b"\n")
                raise ModelError(
                    f"{source}: comments or strings have no end, such as the one in line {line}; "
                    "close them."
                )
        elif letter in (b"{", b"(", b"["):
            depth += 1
            if depth > _DEEPEST:
                raise ModelError(f"{source}: more than {_DEEPEST} brackets lie in each other.")
        elif letter in (b"}", b")", b"]"):
            depth -= 1


def _stay_inside(sdf: Any, layer: Any, content: bytes, folder: Path | None) -> float:
    """Refuse layers that aren't in the folder of the file, before anything opens them. What isn't
    there USD would look for in the working folder. Gives how many prims there may be at most."""
    ahead, seen, contents = [(layer, folder)], set[Path](), [_as_text(layer, content)]
    while ahead:
        inner, place = ahead.pop()
        for called in filter(None, inner.GetCompositionAssetDependencies()):  # "": within the file
            path = None if place is None else (place / called).resolve()
            if path is None or folder is None or not path.is_relative_to(folder):
                raise ModelError(
                    f"The file names {called!r}, which is not in its folder; nothing else is "
                    "opened. Flatten the stage first: `usdcat --flatten -o flat.usda FILE`."
                )
            if path in seen:
                continue
            if path.suffix.lower() not in USD_ENDINGS or len(seen) >= _MAX_LAYERS:
                raise ModelError(
                    f"The file names {called!r}; at most {_MAX_LAYERS} files that end in "
                    f"{', '.join(USD_ENDINGS)} are opened. Flatten the stage first."
                )
            seen.add(path)
            content = _content(path)
            ahead.append((sdf.Layer.OpenAsAnonymous(str(path)), path.parent))
            contents.append(_as_text(ahead[-1][0], content))
    return _prims(contents)
