"""Drawings with random damage."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from environments.importing.dxf import read_dxf
from environments.importing.options import ImportOptions
from environments.importing.svg import read_svg
from environments.importing.traced import Tracing, UnusableFile

DATA = Path("tests/data/import")
READ: dict[str, Callable[[Path], Tracing]] = {
    "dxfwrite.dxf": lambda path: read_dxf(path, ImportOptions(unit="mm")),
    "minimal.dxf": lambda path: read_dxf(path, ImportOptions(unit="in")),
    "inkscape.svg": lambda path: read_svg(path),
    "illustrator.svg": lambda path: read_svg(path, ImportOptions(mm_per_unit=25.4 / 72)),
}


@pytest.mark.parametrize("name", READ)
def test_damaged_drawings_are_read_or_refused_in_one_line(tmp_path: Path, name: str) -> None:
    """Bytes changed, lines deleted, repeated or swapped: no other error gets out."""
    random = np.random.default_rng(0)
    content = (DATA / name).read_bytes()
    path = tmp_path / name
    refused: list[str] = []
    for _ in range(40):
        lines = content.split(b"\n")
        for at in random.integers(0, len(lines) - 1, 3).tolist():
            match int(random.integers(4)):
                case 0:
                    del lines[at]
                case 1:
                    lines.insert(at, lines[at])
                case 2:
                    lines[at], lines[at - 1] = lines[at - 1], lines[at]
                case _:
                    broken = bytearray(lines[at] or b"0")
                    broken[int(random.integers(len(broken)))] = int(random.integers(32, 127))
                    lines[at] = bytes(broken)
        path.write_bytes(b"\n".join(lines))
        try:
            READ[name](path)
        except UnusableFile as error:
            refused.append(str(error))
    assert refused
    assert all(str(path) in message and "\n" not in message for message in refused)
