"""The source tree around an installed package, where there is one."""

from pathlib import Path

import touchback.errors


def source_tree(folder: str) -> Path | None:
    """The root of the source tree that holds this package and such a folder; None elsewhere."""
    root = Path(touchback.errors.__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / folder).is_dir() else None
