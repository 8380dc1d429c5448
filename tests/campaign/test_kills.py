"""Commands that are stopped at random moments, in any way: their results are whole or absent, and they go on to the same end."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import vinewright as vw
from dynamics.recording import load_recording
from planner.output.contents import CHECKPOINT, foreign_files
from planner.recordings.tracking.video import VideoFile, VideoWriter
from tests.campaign.runs import ROOT, surroundings
from tests.planner.plan.run.test_resume import state_in
from tests.vinewright.sweeps.folders import made_in, study

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGHUP")]
TUBE = 64, 70, 225  # blue, green, red
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
KILLS = {"plan": 10, "robustness": 9, "export": 7, "sweep": 12, "track": 12}
"""Number of times that each command is stopped, fewer where it takes longer; the seed determines when."""
LIMITS = "--iterations", "4", "--time-budget", "1000"
COMMANDS: dict[str, tuple[str, ...]] = {
    "plan": ("plan", "small.toml", *LIMITS, "--batch", "20", "--seed", "7", "--out", "out/run"),
    "robustness": ("robustness", "small.toml", "made", "--trials", "10", "--seed", "1", "--out", "out"),
    "export": ("export", "made", "--out", "out/pack", "--allow-limit"),
    "sweep": ("sweep", "work", "sweep", "--shard", "0"),
    "track": (
        *("track", "vine.mp4", "--scale", "1", "--color", "#e14640"),
        *("--out", "out/vine.json", "--overlay", "out/vine-overlay.mp4"),
    ),
}
RESULTS = {
    **{"plan": "out/run", "robustness": "out/robustness-small", "export": "out/pack", "sweep": "sweep"},
    "track": "out/vine.json",
}
"""Folder or file that each command writes."""
FORK = """
import os, signal, sys, time
import vinewright.cli, vinewright as vw
from planner.plan import effort
import vinewright.commands.plan, vinewright.commands.robustness, vinewright.commands.export, vinewright.commands.sweep
import vinewright.commands.track, planner.recordings.tracking.track, planner.recordings.tracking.overlay
import planner.plan.plan, planner.drawing.plan, planner.fabrication.pack, planner.uncertainty.survey

effort.DEFAULT_EFFORT = effort.Effort(
    levels=(2, 4), heat=1, generations=2, patience=0, inserted=4, chosen_trials=40, other_trials=20, block=20
)
planner.plan.searching.SAVED_EVERY = 0.0
for line in sys.stdin:
    number, seconds, folder, *words = line.rstrip("\\n").split("\\t")
    process = os.fork()
    if not process:
        os.setsid()
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        said = os.open("errors.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (0, 1, 2):
            os.dup2(said if stream == 2 else null, stream)
        sys.argv = ["vinewright", *words]
        vinewright.cli.main()
    begun = time.monotonic()
    if float(seconds):
        time.sleep(float(seconds))
        os.kill(process, int(number))
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    print(code, time.monotonic() - begun, flush=True)
"""


class Forks:
    """Runs commands in children of a process that has imported everything."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", FORK], cwd=ROOT, env=surroundings(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )  # fmt: skip

    def run(self, folder: Path, words: tuple[str, ...], number: int = 0, seconds: float = 0.0) -> tuple[int, float]:
        """Run a command, stop it by a signal after some seconds if they are given; exit code and duration [s]."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\t".join([str(int(number)), repr(seconds), str(folder), *words]) + "\n")
        self.process.stdin.flush()
        code, lasted = self.process.stdout.readline().split()
        return int(code), float(lasted)

    def close(self) -> None:
        self.process.communicate()


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """The process whose children run the commands."""
    made = Forks()
    yield made
    made.close()


@pytest.fixture
def prepared(place: Path) -> Path:
    """A folder with a run, a sweep of which nothing is done, and a video."""
    vw.plan(vw.load_environment(place / "small.toml"), iterations=2, batch=20, fast=True).save(place / "made")
    made_in(place, study())
    film(place / "vine.mp4")
    (place / "out").mkdir()
    return place


def film(path: Path) -> None:
    """Write a video of a tube that grows along a straight line."""
    with VideoWriter(path, 20.0) as writer:
        for length in range(0, 240, 6):
            image = np.full((160, 320, 3), 240, np.uint8)
            image[64:96, 40 : 40 + length] = TUBE
            writer.write(image)


def contents(result: Path) -> set[str]:
    """Return the names in a folder; none for a file."""
    return {*os.listdir(result)} if result.is_dir() else set()


def check_whole(name: str, folder: Path, expected: set[str]) -> None:
    """The output of the command is complete, or a checkpoint, or absent; a kill leaves only hidden leftovers beside it."""
    result = folder / RESULTS[name]
    if name == "sweep":
        done = [one for one in (result / "shards").glob("*") if one.name[0] != "."]
        assert all(one.read_text().endswith("}\n") for one in done)
        return
    if result.is_dir():
        names = set(os.listdir(result))
        assert not foreign_files(result)
        assert expected <= names or (name == "plan" and CHECKPOINT in names), names
        if name == "robustness":
            assert set(re.findall(r"\]\((.+?)\)", (result / "README.md").read_text())) <= names
    if name == "track":
        check_recording(result)
    elif result.parent.exists():
        assert all(one.name[0] == "." for one in result.parent.iterdir() if one != result)


def check_recording(file: Path) -> None:
    """A recording and its video are whole, each if it is there."""
    if file.exists():
        assert len(load_recording(file).times) > 1
    if (video := file.with_name("vine-overlay.mp4")).exists():
        assert VideoFile.open(video).frames > 1


def check_alike(name: str, folder: Path, whole: Path) -> None:
    """Results are those of a command that was never stopped, and nothing else lies beside them."""
    result, expected = folder / RESULTS[name], whole / RESULTS[name]
    assert sorted(os.listdir(result.parent)) == sorted(os.listdir(expected.parent))
    if name == "track":
        assert result.read_bytes() == expected.read_bytes()
        return
    assert set(os.listdir(result)) == set(os.listdir(expected))
    if name == "plan":
        (arrays, facts), (arrays_whole, facts_whole) = state_in(result), state_in(expected)
        assert arrays == arrays_whole
        different = {key for key in facts | facts_whole if facts.get(key) != facts_whole.get(key)}
        assert not different, {key: (facts.get(key), facts_whole.get(key)) for key in different}
        for file in ("design.json", "solutions.json"):
            assert (result / file).read_bytes() == (expected / file).read_bytes()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_stopped_at_any_moment(
    forks: Forks, prepared: Path, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """Folders are whole or absent, and given again the command ends as if it had never been stopped; no lock stays."""
    words, rng, tmp_path = COMMANDS[name], random.Random(name), tmp_path_factory.mktemp(name)
    whole = tmp_path / "whole"
    for folder in (tmp_path / "first", whole):  # the first compiles what has to be
        shutil.copytree(prepared, folder)
        code, lasted = forks.run(folder, words)
        assert code == 0, (folder / "errors.txt").read_text()
    expected = {"README.md", "data.json"} if name == "robustness" else contents(whole / RESULTS[name])
    for k in range(KILLS[name]):
        folder = tmp_path / f"case-{k}"
        shutil.copytree(prepared, folder)
        forks.run(folder, words, SIGNALS[k % len(SIGNALS)], lasted * rng.uniform(0.02, 1.1))
        check_whole(name, folder, expected)
        again = words if name == "sweep" else (*words, "--force")
        if name == "plan" and (folder / RESULTS[name] / CHECKPOINT).exists():
            again = "plan", "--resume", "out/run", *LIMITS
        assert forks.run(folder, again)[0] == 0, (folder / "errors.txt").read_text()
        check_alike(name, folder, whole)
        shutil.rmtree(folder)
