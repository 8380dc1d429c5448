"""Machines short of memory, files or room, and folders that vanish: one line and exit code 4, and what is left is whole."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.output.contents import CHECKPOINT
from tests.campaign.disks import mounted
from tests.campaign.runs import PLAN, command, ran, surroundings
from tests.waiting import LONGEST, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="limits and mounts as on Linux")]
EAGER = "import planner.plan.plan as plan; plan.SAVED_EVERY = 0.0; from vinewright.cli import main; main()"
"""The command line, with a checkpoint after every iteration."""


def check_refused(code: int, errors: str) -> None:
    """The machine is at fault, in one line."""
    assert (code, errors.count("\n")) == (4, 1), errors
    assert errors.startswith("error: ")


def check_left(place: Path, run: str, usual: bytes, before: set[str]) -> None:
    """Nothing is left, or a checkpoint with which the plan goes on to its usual end."""
    folder = place / run
    assert {one.name for one in folder.parent.iterdir() if one != folder} == before
    if folder.exists():
        assert os.listdir(folder) == [CHECKPOINT]
        assert ran(place, command("plan", "--resume", run, "--iterations", 2))[::2] == (0, "")
        assert (folder / "design.json").read_bytes() == usual
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("kind", "amounts", "enough"),
    [
        (resource.RLIMIT_AS, [300 << 20, 480 << 20], 1500 << 20),
        (resource.RLIMIT_NOFILE, [6, 7, 8, 9, 10], 32),
        (resource.RLIMIT_FSIZE, [100, 5000, 20_000, 60_000], 1 << 20),
    ],
    ids=["memory", "open files", "size of files"],
)
def test_a_limit(place: Path, usual: bytes, kind: int, amounts: list[int], enough: int) -> None:
    """With too little, the plan ends with exit code 4; near the limit it may succeed, and with enough it does."""
    codes = []
    for amount in [*amounts, enough]:
        code, _, errors = ran(place, command(*PLAN), lambda amount=amount: resource.setrlimit(kind, (amount, amount)))  # type: ignore[misc]
        codes.append(code)
        if code == 0:
            assert (place / "run" / "design.json").read_bytes() == usual
            shutil.rmtree(place / "run")
        else:
            check_refused(code, errors)
        check_left(place, "run", usual, {"small.toml"})
    assert codes[0] == 4
    assert codes[-1] == 0


@pytest.fixture
def disk(place: Path) -> Iterator[Path]:
    """A small file system in the folder of the test."""
    with mounted(place / "disk", "1m") as disk:
        yield disk


@pytest.mark.parametrize("room", [0, 4, 20, 48, 96], ids="{} KiB".format)
def test_a_full_disk(place: Path, usual: bytes, disk: Path, room: int) -> None:
    """From the first file on, at the checkpoint, and among the results; once there is room, the plan goes on."""
    (disk / "full").write_bytes(bytes((1 << 20) - 1024 * room))
    code, _, errors = ran(place, command(*PLAN[:-1], "disk/run"))
    check_refused(code, errors)
    assert "No space left on device; make room, or write elsewhere" in errors
    assert (disk / "run").exists() == (room > 40)
    (disk / "full").unlink()
    check_left(place, "disk/run", usual, set())
    assert ran(place, command(*PLAN[:-1], "disk/run"))[::2] == (0, "")


@pytest.mark.parametrize("again", [False, True], ids=["once", "again and again"])
@pytest.mark.parametrize("gone", ["out/run", "out"])
def test_a_folder_that_is_removed_while_it_is_planned(place: Path, gone: str, again: bool) -> None:
    """It is made again, whole; or the plan ends with exit code 4 and one line if it is removed just then."""
    words = *PLAN[:3], "--iterations", "20", *PLAN[5:-1], "out/run"
    process = subprocess.Popen(
        [sys.executable, "-c", EAGER, *words], cwd=place, env=surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )  # fmt: skip
    wait_until((place / "out" / "run" / CHECKPOINT).exists, process)
    shutil.rmtree(place / gone, ignore_errors=True)
    while again and process.poll() is None:
        shutil.rmtree(place / gone, ignore_errors=True)
        time.sleep(0.002)
    assert process.stderr
    errors = process.stderr.read().decode()
    if process.wait(LONGEST):
        assert again
        check_refused(process.returncode, errors)
    else:
        assert errors == ""
        assert again or {"design.json", "solutions.json", "plan.png", CHECKPOINT} <= set(
            os.listdir(place / "out" / "run")
        )
    assert not [one for one in place.rglob("*") if one.name[0] == "."]
