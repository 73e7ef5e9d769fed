"""Folders of generated text."""

from collections.abc import Mapping
from pathlib import Path

from touchback.errors import InputError
from touchback.regular_file import check_output, write_whole


def write_folder(where: Path, files: Mapping[str, str | bytes]) -> list[Path]:
    """Writes files by their paths in a folder, which is made where it isn't there, and gives these
    paths; other files in it stay."""
    if where.exists() and not where.is_dir():
        raise InputError(f"'{where}' is a file; give the name of a folder.")
    if not where.is_dir() and not where.parent.is_dir():
        raise InputError(f"There is no folder '{where.parent}' to write '{where.name}' into.")
    paths = {where / name: content for name, content in files.items()}
    for path, content in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        check_output(path)
        write_whole(path, content)
    return list(paths)
