"""Files of arrays: long ones are packed, and come back to the last bit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.plan.run import arrays as arrays_module
from planner.plan.run.arrays import PACKED_FROM, Arrays, InvalidCheckpoint, read_arrays, write_arrays


@pytest.fixture
def long() -> Arrays:
    """Bends of vines that share their beginnings but for the last bits, as those of a search do, their controls, and odd numbers."""
    rng = np.random.default_rng(0)
    bends = np.tile(rng.normal(0, 0.1, 200), 1000) * (1 + 1e-9 * rng.normal(size=200_000))
    odd = np.resize(np.array([0.0, -0.0, 5e-324, -1e300, np.nextafter(1, 2)]), 150_000)
    return {
        "angles": bends,
        "controls": np.repeat(rng.integers(-60, 60, 5000), 60).astype(np.int32),
        "odd": odd,
        "slots": np.arange(130_000)[::-1].copy(),
    }


def test_long_arrays_come_back_to_the_last_bit(tmp_path: Path, long: Arrays) -> None:
    """All bits, types and shapes; short arrays, tables and masks beside them are stored as they are."""
    short: Arrays = {
        "few": np.array([1.5, -0.0]),
        "table": np.zeros((100_000, 3)),
        "mask": np.zeros(2 * PACKED_FROM, bool),
    }
    write_arrays(tmp_path / "file.npz", long | short)
    found = read_arrays(tmp_path / "file.npz")
    assert found.keys() == long.keys() | short.keys()
    for name, array in (long | short).items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()
    with np.load(tmp_path / "file.npz") as file:
        assert set(file.files) == {"angles.<f8", "controls.<i4", "odd.<f8", "slots.<i8", *short}


def test_packed_arrays_are_small(tmp_path: Path, long: Arrays) -> None:
    """Bends take half of their memory, although they differ in their last bits, and controls a thirtieth."""
    write_arrays(tmp_path / "file.npz", long)
    with np.load(tmp_path / "file.npz") as file:
        assert file["angles.<f8"].nbytes < 0.5 * long["angles"].nbytes
        assert file["controls.<i4"].nbytes < 0.03 * long["controls"].nbytes


def test_arrays_that_were_not_packed_can_be_read(tmp_path: Path, long: Arrays) -> None:
    """Files of earlier versions have long arrays as they are."""
    np.savez(tmp_path / "file.npz", **long)  # type: ignore[arg-type]
    found = read_arrays(tmp_path / "file.npz")
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: one.tobytes() for name, one in long.items()
    }


def damaged(packed: np.ndarray) -> np.ndarray:
    """Turn over the bits of a byte in the middle."""
    packed = packed.copy()
    packed[len(packed) // 2] ^= 255
    return packed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: {"angles.<f8": file["angles.<f8"][:-5]}, "angles.<f8 is cut off"),
        (lambda file: {"angles.<f8": damaged(file["angles.<f8"])}, "angles.<f8 is damaged"),
        (lambda file: {"angles.|O": file["angles.<f8"]}, "angles.|O is no packed array"),
        (lambda _: {"angles.<f8": np.zeros(3)}, "angles.<f8 is no packed array"),
    ],
)
def test_damaged_packed_arrays_are_refused(
    tmp_path: Path, long: Arrays, change: Callable[[dict[str, Any]], dict[str, Any]], words: str
) -> None:
    """Cut off, with a byte turned over, of another type, or not packed at all: refused in one line."""
    write_arrays(tmp_path / "file.npz", long)
    with np.load(tmp_path / "file.npz") as file:
        content = dict(file)
    np.savez(tmp_path / "file.npz", **change(content))
    with pytest.raises(InvalidCheckpoint, match=words.replace("|", r"\|")):
        read_arrays(tmp_path / "file.npz")


def test_a_small_file_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An array that would be unpacked to more than is allowed is refused before it is."""
    write_arrays(tmp_path / "file.npz", {"angles": np.zeros(1_000_000)})
    assert (tmp_path / "file.npz").stat().st_size < 100_000
    monkeypatch.setattr(arrays_module, "MOST_UNPACKED", 7_999_999)
    with pytest.raises(InvalidCheckpoint, match="or larger than"):
        read_arrays(tmp_path / "file.npz")
