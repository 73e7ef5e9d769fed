"""Folders of generated text."""

import os
from collections.abc import Mapping
from pathlib import Path

from touchback.errors import InputError
from touchback.regular_file import check_output, write_whole


def write_folder(where: Path, files: Mapping[str, str | bytes]) -> list[Path]:
    """Writes files by their paths in a folder, which is made where it isn't there, and gives these
    paths; other files in it stay."""
    if not os.path.isdir(where):
        if os.path.lexists(where):
            raise InputError(f"'{where}' is a file or leads nowhere; give the name of a folder.")
        check_output(where, label="Folder")
    paths = {where / name: content for name, content in files.items()}
    for path, content in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        check_output(path)
        write_whole(path, content)
    return list(paths)
