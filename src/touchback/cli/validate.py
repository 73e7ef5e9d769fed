"""`touchback validate`: published cases against our figures."""

import subprocess
import sys

import typer

from touchback.cli.console import err
from touchback.cli.source_tree import source_tree


def validate() -> None:
    """Run the published validation cases (they live in the source tree)."""
    root = source_tree("validation")
    if root is None or not any((root / "validation").glob("*.py")):
        err.print(
            "The validation cases are part of the source tree, not of the installed package: "
            "clone the repository and run `touchback validate` there."
        )
        raise typer.Exit(1)
    if (root / "validation" / "__main__.py").is_file():
        command = [sys.executable, "-m", "validation"]
    else:
        command = [sys.executable, "-m", "pytest", "validation"]
    raise typer.Exit(min(subprocess.run(command, cwd=root, check=False).returncode, 1))
