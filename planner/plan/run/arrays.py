"""Files of arrays, without pickles, that are checked when they are read; long arrays of numbers are packed."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.plan.run.stored_sections import LARGEST

Arrays = dict[str, NDArray[Any]]
PACKED_FROM = 1_000_000
"""Size above which a one-dimensional array is packed [bytes]."""
MOST_UNPACKED = 2_000_000_000
"""Maximum size of an array that is unpacked [bytes]: a small file must not fill the memory."""
PACKABLE = "<f8", "<i4", "<i8"
"""Types of packed arrays; the name of the packed one ends in a point and its type."""


class InvalidCheckpoint(ValueError):
    """An unusable checkpoint; the one-line message names the file and the problem."""

    exit_code = 2


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays of any shape as a file for `read_arrays`, and wait until it is on disk.

    Raises:
        OSError: The file cannot be written.
    """
    stored = dict(map(_pack, arrays.items()))
    with path.open("wb") as file:
        np.savez(file, **stored)  # type: ignore[arg-type]  # no array is called allow_pickle
        file.flush()
        os.fsync(file.fileno())


def _pack(named: tuple[str, NDArray[Any]]) -> tuple[str, NDArray[Any]]:
    """Pack an array if it is long: the first bytes of all numbers, then the second ones and so on, compressed by zlib.

    Bytes of the same weight resemble each other: bends of a search tree take a quarter of their memory, controls next to nothing.
    """
    name, array = named
    kind = array.dtype.newbyteorder("<").str
    if array.nbytes <= PACKED_FROM or array.ndim != 1 or kind not in PACKABLE:
        return named
    numbers, packer = array.astype(kind, copy=False).view(np.uint8).reshape(len(array), -1), zlib.compressobj(1)
    # One plane at a time: all of them take as much memory as the array.
    parts = [packer.compress(np.ascontiguousarray(plane).data) for plane in numbers.T]
    return f"{name}.{kind}", np.frombuffer(b"".join([*parts, packer.flush()]), np.uint8)


def _unpack(named: tuple[str, NDArray[Any]]) -> tuple[str, NDArray[Any]]:
    """Unpack an array that `_pack` packed; others are as they are."""
    name, _, kind = named[0].rpartition(".")
    if not name:
        return named
    require(kind in PACKABLE and named[1].dtype == np.uint8, f"{named[0]} is no packed array")
    try:
        content = (unpacking := zlib.decompressobj()).decompress(named[1].tobytes(), MOST_UNPACKED)
    except zlib.error:
        raise InvalidCheckpoint(f"{named[0]} is damaged") from None
    size = np.dtype(kind).itemsize
    require(
        unpacking.eof and len(content) % size == 0, f"{named[0]} is cut off, or larger than {MOST_UNPACKED / 1e9:g} GB"
    )
    planes = np.frombuffer(content, np.uint8).reshape(size, -1)
    return name, np.ascontiguousarray(planes.T).reshape(-1).view(kind)


def read_arrays(path: Path) -> Arrays:
    """The arrays of a file that `write_arrays` wrote, not yet checked; their shapes may be any.

    Raises:
        InvalidCheckpoint: It is not such a file, or is damaged.
        OSError: It cannot be read.
    """
    require(path.is_file() or not path.exists(), "is not a regular file")
    try:
        with zipfile.ZipFile(path) as file:
            packed = any(member.compress_type != zipfile.ZIP_STORED for member in file.infolist())
        if not packed:
            with np.load(path, allow_pickle=False) as file:
                arrays: Arrays = dict(_unpack((name, file[name])) for name in file.files)
    except (OSError, InvalidCheckpoint):
        raise
    except Exception:  # zipfile and NumPy raise many types of errors for damaged files
        raise InvalidCheckpoint("is not a checkpoint, or is damaged") from None
    require(not packed, "is a compressed archive; checkpoints are packed by themselves")
    return arrays


def check_arrays(arrays: Arrays, expected: dict[str, tuple[type, int]], endless: Collection[str] = ()) -> None:
    """Check names, types, shapes and numbers of arrays.

    Args:
        expected: Type and number of columns of each array; 0 means shape (n,).
        endless: Names of arrays whose numbers are not checked.
    Raises:
        InvalidCheckpoint: They differ from what is expected, or a number is not finite or too large.
    """
    require(arrays.keys() == expected.keys(), f"must contain the arrays {', '.join(expected)}")
    for name, (kind, columns) in expected.items():
        array, shape = arrays[name], (columns,) if columns else ()
        require(array.dtype == kind, f"{name} is of type {array.dtype}; it must be {np.dtype(kind)}")
        fits = array.ndim == 1 + len(shape) and array.shape[1:] == shape
        require(fits, f"{name} has the shape {array.shape}; it must be {str(('n', *shape)).replace(chr(39), '')}")
        # NaN fails this comparison too.
        small = array.dtype.kind != "f" or name in endless or (np.abs(array) < LARGEST).all()
        require(bool(small), f"{name} must be finite and below {LARGEST:g}")


def require(holds: bool | np.bool_, complaint: str) -> None:
    """Raise `InvalidCheckpoint` with a complaint unless something holds."""
    if not holds:
        raise InvalidCheckpoint(complaint)
