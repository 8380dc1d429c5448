"""Removal of folders where a process may open hardly any more files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it; nothing is open but one listing at a time.

    `shutil.rmtree` keeps the folder open too, and so leaves it where a process may open just one more file.

    Raises:
        OSError: It cannot be removed.
    """
    with suppress(OSError):
        folder.rmdir()  # an empty one: if nothing could be written, it cannot be listed either
        return
    for one in list(folder.iterdir()):
        if one.is_dir() and not one.is_symlink():
            remove_folder(one)
        else:
            one.unlink()
    folder.rmdir()
