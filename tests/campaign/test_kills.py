"""Commands that are stopped at random moments, in any way: their results are whole or absent, and they go on to the same end."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import vinewright as vw
from planner.output.contents import CHECKPOINT, foreign_files
from tests.campaign.runs import ROOT, surroundings
from tests.planner.plan.run.test_resume import state_in
from tests.vinewright.sweeps.folders import made_in, study

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGHUP")]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
KILLS = 50
"""Number of times that a command is stopped, of all commands together; the seed determines how and when."""
COMMANDS: dict[str, tuple[str, ...]] = {
    "plan": ("plan", "small.toml", "--iterations", "4", "--batch", "20", "--seed", "7", "--out", "out/run"),
    "robustness": ("robustness", "small.toml", "made", "--trials", "30", "--seed", "1", "--out", "out"),
    "export": ("export", "made", "--out", "out/pack", "--allow-limit"),
    "sweep": ("sweep", "work", "sweep", "--shard", "0"),
}
FORK = """
import os, signal, sys, time
import vinewright.cli, vinewright as vw
from planner.plan import effort
import vinewright.commands.plan, vinewright.commands.robustness, vinewright.commands.export, vinewright.commands.sweep
import planner.plan.plan, planner.drawing.plan, planner.fabrication.pack, planner.uncertainty.survey

effort.DEFAULT_EFFORT = effort.Effort(
    levels=(2, 4), heat=1, generations=2, patience=0, inserted=4, chosen_trials=40, other_trials=20, block=20
)
planner.plan.plan.SAVED_EVERY = 0.0
for line in sys.stdin:
    number, seconds, folder, *words = line.rstrip("\\n").split("\\t")
    process = os.fork()
    if not process:
        os.setsid()
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
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
    """A folder with a run, and with a sweep of which nothing is done."""
    vw.plan(vw.load_environment(place / "small.toml"), iterations=2, batch=20, fast=True).save(place / "made")
    made_in(place, study())
    return place


def result_of(name: str, folder: Path) -> Path:
    """The folder that a command writes."""
    return (
        folder / {"plan": "out/run", "robustness": "out/robustness-small", "export": "out/pack", "sweep": "sweep"}[name]
    )


def check_whole(name: str, folder: Path, expected: set[str]) -> None:
    """What the command wrote is complete, or it is a checkpoint, or it is absent; a kill leaves only hidden leftovers beside it."""
    result = result_of(name, folder)
    if name == "sweep":
        done = [one for one in (result / "shards").glob("*") if one.name[0] != "."]
        assert all(one.read_text().endswith("}\n") for one in done)
        return
    if result.exists():
        names = set(os.listdir(result))
        assert not foreign_files(result)
        assert expected <= names or (name == "plan" and CHECKPOINT in names), names
    if result.parent.exists():
        assert all(one.name[0] == "." for one in result.parent.iterdir() if one != result)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_stopped_at_any_moment(
    forks: Forks, prepared: Path, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """Folders are whole or absent, and given again the command ends as if it had never been stopped; no lock stays."""
    words, rng, tmp_path = COMMANDS[name], random.Random(name), tmp_path_factory.mktemp(name)
    assert forks.run(prepared, words)[0] == 0  # compiles what has to be
    if name == "sweep":
        shutil.rmtree(prepared / "sweep" / "shards")
    else:
        shutil.rmtree(prepared / "out")
    shutil.copytree(prepared, tmp_path / "whole")
    code, lasted = forks.run(tmp_path / "whole", words)
    assert code == 0
    whole = result_of(name, tmp_path / "whole")
    expected = {"README.md", "data.json"} if name == "robustness" else set(os.listdir(whole))
    for k in range(KILLS // len(COMMANDS) + 1):
        folder = tmp_path / f"case-{k}"
        shutil.copytree(prepared, folder)
        forks.run(folder, words, SIGNALS[k % len(SIGNALS)], lasted * rng.uniform(0.02, 1.1))
        check_whole(name, folder, expected)
        again = words
        if name == "plan" and (folder / "out" / "run" / CHECKPOINT).exists():
            again = "plan", "--resume", "out/run", "--iterations", "4"
        elif name != "sweep":
            again = *words, "--force"
        assert forks.run(folder, again)[0] == 0
        result = result_of(name, folder)
        assert set(os.listdir(result)) == set(os.listdir(whole))
        assert not [one for one in result.parent.iterdir() if one.name[0] == "."]
        if name == "plan":
            (arrays, facts), (arrays_whole, facts_whole) = state_in(result), state_in(whole)
            assert arrays == arrays_whole
            different = {key for key in facts | facts_whole if facts.get(key) != facts_whole.get(key)}
            assert not different, {key: (facts.get(key), facts_whole.get(key)) for key in different}
            for file in ("design.json", "solutions.json"):
                assert (result / file).read_bytes() == (whole / file).read_bytes()
        shutil.rmtree(folder)
