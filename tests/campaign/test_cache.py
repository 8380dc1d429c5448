"""Caches of machine code that are shared, read-only, full or damaged: the plan is as usual, without a word."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaign.disks import mounted
from tests.campaign.runs import PLAN, command, ran, surroundings
from tests.waiting import LONGEST

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="mounts and processes as on Linux")]


def plan_in(place: Path, cache: Path) -> bytes:
    """Plan with a cache; the design."""
    code, _, errors = ran(place, command(*PLAN, "--force"), NUMBA_CACHE_DIR=str(cache))
    assert (code, errors) == (0, "")
    return (place / "run" / "design.json").read_bytes()


def files_in(cache: Path) -> list[Path]:
    """Indices and machine code of a cache."""
    return sorted(file for file in cache.rglob("*.nb[ic]"))


@pytest.fixture(scope="module")
def two_at_once(small_file: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    """The cache of two processes that begin together without one, and their designs."""
    cache, found = tmp_path_factory.mktemp("cache"), []
    places = [tmp_path_factory.mktemp("place") for _ in range(2)]
    for place in places:
        shutil.copy(small_file, place / "small.toml")
    pair = [
        subprocess.Popen(
            command(*PLAN), cwd=place, env=surroundings(NUMBA_CACHE_DIR=str(cache)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for place in places
    ]  # fmt: skip
    for process, place in zip(pair, places, strict=True):
        errors = process.communicate(timeout=LONGEST)[1]
        assert (process.returncode, errors) == (0, b"")
        found.append((place / "run" / "design.json").read_bytes())
    return cache, found


@pytest.fixture
def cache(two_at_once: tuple[Path, list[bytes]], tmp_path: Path) -> Path:
    """A copy of that cache."""
    return Path(shutil.copytree(two_at_once[0], tmp_path / "cache"))


def test_two_first_runs_at_once(place: Path, two_at_once: tuple[Path, list[bytes]]) -> None:
    """Both plan alike, and a third finds all that it needs in their cache."""
    cache, found = two_at_once
    assert found[0] == found[1]
    before = {file: file.stat().st_mtime_ns for file in files_in(cache)}
    assert before
    assert plan_in(place, cache) == found[0]
    assert {file: file.stat().st_mtime_ns for file in files_in(cache)} == before


@pytest.mark.parametrize("what", ["garbage", "half", "flipped", "empty", "exchanged"])
def test_a_damaged_cache(place: Path, two_at_once: tuple[Path, list[bytes]], cache: Path, what: str) -> None:
    """An index or code that is not what was written is compiled again, once."""
    files = files_in(cache)
    indices, codes = ([file for file in files if file.suffix == end] for end in (".nbi", ".nbc"))
    for file in (indices[0], indices[-1], codes[1], codes[-2]):
        content = file.read_bytes()
        middle = len(content) // 2
        file.write_bytes(
            {
                "garbage": b"garbage" * 100,
                "half": content[:middle],
                "flipped": content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :],
                "empty": b"",
                "exchanged": (codes if file in codes else indices)[2].read_bytes(),
            }[what]
        )
    assert plan_in(place, cache) == two_at_once[1][0]
    before = {file: file.stat().st_mtime_ns for file in files_in(cache)}
    assert plan_in(place, cache) == two_at_once[1][0]
    assert {file: file.stat().st_mtime_ns for file in files_in(cache)} == before


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for a few small files."""
    with mounted(tmp_path / "disk", "64k") as disk:
        yield disk


def test_a_full_disk_for_the_cache(place: Path, two_at_once: tuple[Path, list[bytes]], disk: Path) -> None:
    """A kernel that finds no room is compiled at every start."""
    assert plan_in(place, disk) == two_at_once[1][0]


def test_a_read_only_cache(place: Path, two_at_once: tuple[Path, list[bytes]], disk: Path) -> None:
    """Nothing is written there."""
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    assert plan_in(place, disk / "cache") == two_at_once[1][0]
    assert not os.listdir(disk)
