"""`touchback list`: what is in the gallery."""

from rich.table import Table

from touchback import gallery
from touchback.cli.console import out


def list_gallery() -> None:
    """List the ready mechanisms of the gallery."""
    table = Table(box=None, pad_edge=False)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("what it is")
    for name in gallery.names():
        table.add_row(name, gallery.entry(name).about)
    out.print(table)
    out.print("\nTry `touchback show NAME` or `touchback simulate NAME`.")
