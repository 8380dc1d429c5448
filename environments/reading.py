"""Reading a file that may be anything."""

from importlib.resources.abc import Traversable
from pathlib import Path


class Unreadable(ValueError):
    """A file that is not read; the message says why, without its name."""


def read_file(path: Traversable, most_bytes: int) -> bytes:
    """The bytes of a file; devices and pipes, which may have no end, are refused.

    Raises:
        Unreadable: It cannot be read, is no regular file or is larger than so many bytes.
    """
    try:
        if isinstance(path, Path) and path.exists() and not (path.is_file() or path.is_dir()):
            raise Unreadable("is not a regular file")
        with path.open("rb") as file:
            data: bytes = file.read(most_bytes + 1)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    if len(data) > most_bytes:
        raise Unreadable(f"is larger than the allowed {most_bytes / 1e6:g} MB")
    return data
