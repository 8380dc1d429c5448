"""Maps and photographs designed to fail: one line says what is wrong, and neither time nor memory is lost."""

import os
import resource
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from environments.importing.choose import import_environment
from environments.importing.traced import UnusableFile
from tests.environments.importing.maps import write_map, write_pgm

FREE = np.full((4, 6), 254, np.uint8)
MOST_BYTES, MOST_SECONDS = 2**31, 60


def png(width: int, height: int) -> bytes:
    """A PNG of zeros, compressed a thousandfold, of at most 4 MB of rows."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(bytes(min((width + 1) * height, 4_000_000)))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def written(folder: Path, data: bytes | str, name: str = "map.yaml") -> Path:
    """A file with this content."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def pictured(folder: Path, data: bytes, name: str = "map.pgm") -> Path:
    """A map with a picture of this content."""
    written(folder, data, name)
    return write_map(folder, image=name)


def linked(folder: Path, target: str) -> Path:
    (folder / "link.pgm").symlink_to(target)
    return write_map(folder, image="link.pgm")


def piped(folder: Path) -> Path:
    os.mkfifo(folder / "map.pgm")
    return write_map(folder)


ALIASES = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(9 * ['*' + chr(97 + n)])}]\n" for n in range(9)
)
MERGES = "a: &a {k: 1}\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)}\n  <<: [{', '.join(9 * ['*' + chr(97 + n)])}]\n" for n in range(9)
)
FILES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "PNG of 2.5 thousand million pixels": (lambda d: pictured(d, png(50_000, 50_000), "map.png"), "too many pixels"),
    "PNG of more than fits a number": (lambda d: pictured(d, png(2**31 - 1, 2**31 - 1), "map.png"), "too many pixels"),
    "PNG photograph, too large": (lambda d: written(d, png(50_000, 50_000), "photo.png"), "too many pixels"),
    "PGM of many pixels": (lambda d: pictured(d, b"P5\n50000 50000\n255\n"), "too many pixels"),
    "PGM cut short": (lambda d: pictured(d, b"P5\n4000 4000\n255\n" + bytes(100)), "not a whole picture"),
    "PGM without a head": (lambda d: pictured(d, b"P5"), "not a whole picture"),
    "PGM with a long number": (lambda d: pictured(d, b"P5\n" + b"1" * 5000), "not a whole picture"),
    "PGM with letters": (lambda d: pictured(d, b"P2\n3 1\n255\n1 x 2\n"), "not a whole picture"),
    "PGM with values above its largest": (lambda d: pictured(d, b"P2\n3 1\n10\n1 11 2\n"), "not a whole picture"),
    "empty picture": (lambda d: pictured(d, b""), "not a whole picture"),
    "PNG cut short": (lambda d: pictured(d, png(300, 300)[:-60], "map.png"), "not a whole picture"),
    "another format": (lambda d: pictured(d, b"GIF89a" + bytes(50), "map.gif"), "not a whole picture"),
    "picture outside": (lambda d: write_map(d, image="../../etc/passwd"), "in the folder of the map"),
    "absolute picture": (lambda d: write_map(d, image="/etc/passwd"), "in the folder of the map"),
    "device": (lambda d: write_map(d, image="/dev/zero"), "in the folder of the map"),
    "link to a device": (lambda d: linked(d, "/dev/zero"), "in the folder of the map"),
    "link to itself": (lambda d: linked(d, "link.pgm"), "in the folder of the map"),
    "pipe": (piped, "in the folder of the map"),
    "itself": (lambda d: write_map(d, image="map.yaml"), "in the folder of the map"),
    "folder": (lambda d: write_map(d, image="."), "in the folder of the map"),
    "zero byte": (lambda d: write_map(d, image='"a\\0b"'), "in the folder of the map"),
    "long name": (lambda d: write_map(d, image="a" * 900), "in the folder of the map"),
    "no image": (lambda d: write_map(d, FREE, image=None), "missing key image"),
    "no thresholds": (lambda d: write_map(d, FREE, free_thresh=None), "missing key free_thresh"),
    "resolution 0": (lambda d: write_map(d, FREE, resolution=0), "resolution = 0 must be greater than 0"),
    "resolution below 0": (lambda d: write_map(d, FREE, resolution=-0.05), "must be greater than 0"),
    "resolution NaN": (lambda d: write_map(d, FREE, resolution=".nan"), "resolution = nan must be a finite number"),
    "resolution infinite": (lambda d: write_map(d, FREE, resolution=".inf"), "resolution = inf must be"),
    "resolution in words": (lambda d: write_map(d, FREE, resolution="fine"), "resolution = 'fine' must be"),
    "resolution of 5000 digits": (lambda d: write_map(d, FREE, resolution="9" * 5000), "map.yaml"),
    "origin of two": (lambda d: write_map(d, FREE, origin=[0, 0]), "origin = "),
    "origin far away": (lambda d: write_map(d, FREE, origin=[1e300, 0, 0]), "origin"),
    "origin of words": (lambda d: write_map(d, FREE, origin="{a: 1}"), "origin = "),
    "negate 3": (lambda d: write_map(d, FREE, negate=3), "negate = 3 must be"),
    "unknown mode": (lambda d: write_map(d, FREE, mode="grey"), "mode = 'grey' must be"),
    "thresholds the wrong way": (lambda d: write_map(d, FREE, free_thresh=0.7), "must be at most occupied_thresh"),
    "threshold above 1": (lambda d: write_map(d, FREE, occupied_thresh=2), "occupied_thresh = 2 must be"),
    "aliases": (lambda d: written(d, ALIASES), "aliases"),
    "merged aliases": (lambda d: written(d, MERGES), "aliases"),
    "an alias of itself": (lambda d: written(d, "a: &a [*a]"), "aliases"),
    "deep": (lambda d: written(d, "[" * 40_000), "nested too deeply"),
    "deep blocks": (lambda d: written(d, "- " * 40_000), "nested too deeply"),
    "long": (lambda d: written(d, "a: " + "1" * 200_000), "larger than the allowed"),
    "a list": (lambda d: written(d, "[1, 2]"), "not the file of a map"),
    "empty": (lambda d: written(d, ""), "not the file of a map"),
    "bytes": (lambda d: written(d, b"image: \xff\xfe"), "not UTF-8"),
    "control characters": (lambda d: written(d, "image: \x1b[2J"), "not YAML"),
    "a day that does not exist": (lambda d: written(d, "image: 2001-99-99"), "not YAML"),
    "python": (lambda d: written(d, "image: !!python/object/apply:os.system ['true']"), "not YAML"),
    "a list as a key": (lambda d: written(d, "? [1]\n: 2"), "not YAML"),
    "tabs": (lambda d: written(d, "a:\n\t- b: ]"), "not YAML"),
}


PHOTO = {"size": (1.0, 1.0), "aruco": True}


@pytest.mark.parametrize("name", FILES)
def test_a_message_of_one_line_says_what_is_wrong(tmp_path: Path, name: str) -> None:
    """With the name of the file, and no longer than a few lines of a terminal."""
    make, words = FILES[name]
    path = make(tmp_path)
    with pytest.raises(UnusableFile) as raised:
        import_environment(path, **(PHOTO if path.suffix == ".png" else {}))
    message = str(raised.value)
    assert words in message, message
    assert path.name in message
    assert "\n" not in message
    assert len(message) < 500


SCRIPT = """
import sys
from pathlib import Path
from environments.importing.choose import import_environment
from environments.importing.traced import UnusableFile
from tests.environments.importing.test_hostile_maps import FILES, PHOTO
for number, (make, _) in enumerate(FILES.values()):
    folder = Path(sys.argv[1]) / str(number)
    folder.mkdir()
    try:
        path = make(folder)
        import_environment(path, **(PHOTO if path.suffix == ".png" else {}))
    except UnusableFile:
        continue
    raise SystemExit(f"not refused: {number}")
# Of this program alone: `ru_maxrss` contains the memory of the process that started it.
print(next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")).split()[1])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")
def test_all_of_them_together_need_little_time_and_memory(tmp_path: Path) -> None:
    """In a process that may reserve 2 GiB and compute for a minute, all are refused with 400 MB in use at most."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))

    line = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(line, capture_output=True, text=True, preexec_fn=limit, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    assert int(done.stdout) * 1024 < 400e6


def test_a_map_of_one_cell_and_one_without_obstacles(tmp_path: Path) -> None:
    """The smallest map is imported; one without anything solid has no obstacles, which is not an error."""
    assert len(import_environment(write_map(tmp_path, np.zeros((1, 1), np.uint8))).obstacles) == 1
    assert len(import_environment(write_map(tmp_path, FREE)).obstacles) == 0


def test_a_checkered_map_has_too_many_obstacles(tmp_path: Path) -> None:
    """The message for as many pieces as half the cells says how many are allowed."""
    write_pgm(tmp_path / "map.pgm", np.where(np.indices((210, 210)).sum(axis=0) % 2, 0, 254))
    with pytest.raises(UnusableFile, match="22050 obstacles; at most 20000 are allowed"):
        import_environment(write_map(tmp_path))
