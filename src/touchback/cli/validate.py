"""`touchback validate`: published cases against our figures."""

import subprocess
import sys
from importlib.util import find_spec

import typer

from touchback.cli.console import err
from touchback.cli.source_tree import source_tree


def validate() -> None:
    """Run the published validation cases (they live in the source tree)."""
    root = source_tree("validation")
    if root is None:
        err.print(
            "The validation cases are part of the source tree, not of the installed package: "
            "clone the repository and run `touchback validate` there."
        )
        raise typer.Exit(1)
    if find_spec("pytest") is None:
        mend = "`pip install -e '.[dev]'` in the source tree"
        err.print(f"The validation cases need pytest: {mend}.")
        raise typer.Exit(1)
    command = [sys.executable, "-m", "validation"]
    raise typer.Exit(min(subprocess.run(command, cwd=root, check=False).returncode, 1))
