"""Reading files of unknown content."""

from importlib.resources.abc import Traversable
from pathlib import Path


class UnreadableFile(ValueError):
    """Error: the file cannot be read; the message gives the reason without the file's name."""


def read_file(path: Traversable, most_bytes: int) -> bytes:
    """Read the bytes of a regular file; devices and pipes, which may be endless, are refused.

    Raises:
        Unreadable: The file cannot be read, is not a regular file or is larger than `most_bytes`.
    """
    try:
        if isinstance(path, Path) and path.exists() and not (path.is_file() or path.is_dir()):
            raise UnreadableFile("is not a regular file")
        with path.open("rb") as file:
            data: bytes = file.read(most_bytes + 1)
    except OSError as error:
        raise UnreadableFile(f"cannot be read: {error.strerror}") from None
    if len(data) > most_bytes:
        raise UnreadableFile(f"is larger than the allowed {most_bytes / 1e6:g} MB")
    return data
