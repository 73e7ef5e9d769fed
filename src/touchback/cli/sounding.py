"""`touchback play … --audio`: sound on an output of this machine while it plays."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.table import Table

from touchback.cli.console import out
from touchback.devices.sound.stream import SoundStream, outputs


def show_outputs() -> None:
    """What sound can go to."""
    found = outputs()
    if not found:
        out.print("No sound output was found.")
        return
    table = Table("", "output", "host", "channels", "samples a second")
    for each in found:
        mark = f"{each.number}{' *' if each.usual else ''}"
        table.add_row(mark, each.name, each.host, str(each.channels), f"{each.rate:g}")
    out.print(table)


@contextmanager
def sounding(output: str | None, notes: Sequence[int], tick: float) -> Iterator[SoundStream | None]:
    """Strings of some notes on an output, if one is asked for; tells in the end how it went."""
    if output is None:
        yield None
        return
    with SoundStream(notes, output, tick) as stream:
        yield stream
    out.print(f"\n{stream.report()}")
