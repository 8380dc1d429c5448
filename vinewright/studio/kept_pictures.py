"""Pictures beneath drawings, kept on disk so that a drawing that is opened again has its picture."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from environments.writing import atomic_path

LARGEST = 50_000_000
"""Maximum size of a picture that is kept [B]."""
MOST_BYTES = 500_000_000
"""Maximum size of all pictures together [B]; those that were not used for the longest time are removed."""
_KEY = re.compile(r"[0-9a-f]{64}")


class NoPicture(LookupError):
    """There is no picture of this name; the one-line message says so."""


class LargePicture(OSError):
    """The picture is too large to be kept; the one-line message says so."""


@dataclass(frozen=True, slots=True)
class KeptPictures:
    """The pictures of all drawings of a user, each in a file that is named by the hash of its content."""

    folder: Path

    def keep(self, key: str, data: bytes) -> None:
        """Keep a picture, and remove the oldest ones beyond `MOST_BYTES`.

        Args:
            key: `key_of` the data.
        Raises:
            LargePicture: It is larger than `LARGEST`.
            OSError: The disk is full, or the folder cannot be written.
        """
        if len(data) > LARGEST:
            raise LargePicture(f"it is larger than the allowed {LARGEST / 1e6:g} MB")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_path(self._file_of(key)) as partial:
            partial.write_bytes(data)
        total = 0
        for file in sorted(self.folder.glob("*.png"), key=lambda one: one.stat().st_mtime_ns, reverse=True):
            total += file.stat().st_size
            if total > MOST_BYTES:
                file.unlink(missing_ok=True)

    def read(self, key: str) -> bytes:
        """Read a picture, which counts as a use of it.

        Raises:
            NoPicture: There is none, or it is not as it was kept.
        """
        try:
            data = self._file_of(key).read_bytes()
        except OSError:
            data = b""
        if key_of(data) != key:
            raise NoPicture("this picture is not kept any more")
        with suppress(OSError):
            os.utime(self._file_of(key))
        return data

    def _file_of(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise NoPicture("there is no such picture")
        return self.folder / f"{key}.png"


def key_of(data: bytes) -> str:
    """Return the name of a picture: the hash of its content."""
    return hashlib.sha256(data).hexdigest()
