"""Folders and files of results: written under a temporary name next to its destination and then moved, so that it appears atomically.

If the process is killed, temporary files may remain, but only next to the folder and with names that begin with a dot:
`.NAME.new.*` is incomplete or obsolete; `.NAME.old.*` is the previous folder, if the process was killed between the two moves that
replace it. They are never read; the next start restores the latter and removes the former (`planner.output.claim.clear_leftovers`).
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from planner.output.claim import check_folder, find_destination, temporary_prefix, writing
from planner.output.contents import foreign_files
from planner.output.removal import remove_folder
from surrogate.kernels.interruption import Interruption

LONGEST_NAME = 80
"""Maximum number of characters of an environment's name in a file name."""


def stem_of(name: str) -> str:
    """Convert the name of an environment or a recording to a valid file name."""
    return re.sub(r"[^\w-]", "_", name)[:LONGEST_NAME] or "unnamed"


def write_folder(out: Path, fill: Callable[[Path], object]) -> None:
    """Let `fill` write into a temporary folder next to `out`, then replace `out` with it; a first Ctrl-C does not stop it.

    If `fill` writes nothing, `out` stays as it is.

    Raises:
        UnwritableFolder: `out` cannot be written and is unchanged; the message gives the reason.
        ValueError: `fill` wrote a file that `planner.output.contents` does not list.
    """
    check_folder(out, force=True)
    out = find_destination(out)
    fresh: Path | None = None
    with Interruption().handling_signals(), writing(out, begun=True):
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            fresh = Path(tempfile.mkdtemp(prefix=temporary_prefix(out, "new"), dir=out.parent))
            fill(fresh)
            if unlisted := foreign_files(fresh):
                raise ValueError(f"{', '.join(unlisted)}: not listed in planner/output/contents.py")
            fresh.chmod(0o755)
            if not any(fresh.iterdir()):
                return
            if out.exists():
                _exchange(out, fresh)
            else:
                fresh.replace(out)
        finally:
            if fresh and fresh.exists():
                with suppress(OSError):
                    remove_folder(fresh)


def _exchange(out: Path, fresh: Path) -> None:
    """Move a folder into the place of another, which gets its name; if that fails, both stay where they are."""
    old = Path(tempfile.mkdtemp(prefix=temporary_prefix(out, "old"), dir=out.parent))
    try:
        out.replace(old)
        fresh.replace(out)
    except OSError:
        old.replace(out) if not out.exists() else old.rmdir()
        raise
    old.replace(fresh)  # so that a folder being removed is not restored by `clear_leftovers`


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write indented JSON."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def replace_file(out: Path, name: str, write: Callable[[Path], object]) -> None:
    """Replace a file in the folder of a run atomically; the other files stay.

    Args:
        write: Writes the file under the name that it is given.
    Raises:
        UnwritableFolder: The folder cannot be written and is unchanged; the message gives the reason.
    """
    out = find_destination(out)
    fresh: Path | None = None
    with writing(out, begun=True):
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            handle, path = tempfile.mkstemp(prefix=temporary_prefix(out, "new"), dir=out.parent)
            os.close(handle)
            fresh = Path(path)
            write(fresh)
            fresh.chmod(0o644)
            out.mkdir(exist_ok=True)
            fresh.replace(out / name)
        finally:
            if fresh:
                fresh.unlink(missing_ok=True)
