"""One file in the folder of a run that is replaced while the others stay."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from planner.output.claim import temporary, writing


def replace_file(out: Path, name: str, write: Callable[[Path], object]) -> None:
    """Replace a file in the folder of a run atomically; the other files stay.

    Args:
        write: Writes the file under the name that it is given.
    Raises:
        UnwritableFolder: The folder cannot be written and is unchanged; the message gives the reason.
    """
    out = out.absolute()
    fresh: Path | None = None
    with writing(out):
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            handle, path = tempfile.mkstemp(prefix=temporary(out, "new"), dir=out.parent)
            os.close(handle)
            fresh = Path(path)
            write(fresh)
            fresh.chmod(0o644)
            out.mkdir(exist_ok=True)
            fresh.replace(out / name)
        finally:
            if fresh:
                fresh.unlink(missing_ok=True)
