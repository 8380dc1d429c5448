"""Reading files of unknown content."""

import re
import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

_LONG_KEY = re.compile(rb"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){10}""")
"""A dotted key with more parts than any valid file has."""


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


def parse_toml(data: bytes, invalid: type[ValueError] = UnreadableFile) -> dict[str, Any]:
    """Parse the content of a TOML file.

    Args:
        invalid: The error to raise.
    Raises:
        ValueError: It is not TOML; the message gives the reason without the file's name.
    """
    # The parser's time grows with the square of a dotted key's length.
    if _LONG_KEY.search(data):
        raise invalid("is nested too deeply")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise invalid(f"is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}") from None
    except RecursionError:
        raise invalid("is nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, and integers too long for Python
        raise invalid(f"is not TOML: {str(error)[:200]}") from None
