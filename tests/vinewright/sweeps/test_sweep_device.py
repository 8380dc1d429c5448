"""Sweeps on a CUDA device; run as a module, it computes cases on Numba's simulated device, all in Python."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

if __name__ == "__main__":
    # Before Numba is imported: compiled for the simulated device, the same kernels would take minutes.
    os.environ.update(NUMBA_ENABLE_CUDASIM="1", NUMBA_DISABLE_JIT="1")

import numpy as np
import pytest

from dynamics.cuda import CHOICE
from dynamics.quasistatic.device import Device
from dynamics.tube import VineParams
from dynamics.vine import Rollout
from environments import load_environment
from environments.environment_file import environment_text
from environments.reach import WalledIn
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from tests.vinewright.sweeps.folders import ROOT, made_in, study
from vinewright.sweeps.case import Case, CaseTrials, Input, Row, run_case
from vinewright.sweeps.errors import InvalidManifest, InvalidStudy, OtherProgram
from vinewright.sweeps.grid import make_grid
from vinewright.sweeps.manifest import program, program_difference, read_manifest
from vinewright.sweeps.shard import run_shard
from vinewright.sweeps.study_file import check_study

DEVICES = "cpu", "cuda"


def case_and_inputs() -> tuple[Case, dict[str, Input]]:
    """Trials of a tube of four segments that bends."""
    maze = load_environment("maze")
    bent = Section(0.0, 0.1, "left", 2.0, 0.04, 18e3)
    design = Design("maze", maze.sha256, VineParams(), (bent,), np.zeros(3), np.zeros((1, 2)))
    texts = {"environment": environment_text(maze), "design": json.dumps(design_content(design))}
    case = Case({"design": "short"}, "environment", design="design", trials=CaseTrials(0, 3, "workshop", 1))
    return case, {name: Input(name, text) for name, text in texts.items()}


def computed() -> list[tuple[Row, list[int]]]:
    """Row of the case on each device, and the numbers of vines in the batches that the device grew."""
    case, inputs = case_and_inputs()
    found, grow = [], Device.grow
    for device in DEVICES:
        batches: list[int] = []

        def growing(self: Device, *arguments: Any, batches: list[int] = batches) -> Rollout:
            batches.append(len(arguments[1]))
            return grow(self, *arguments)

        Device.grow = growing  # type: ignore[method-assign,assignment]
        found.append((run_case(replace(case, device=device), inputs), batches))
    return found


@pytest.mark.slow
def test_trials_on_a_simulated_device_have_the_rows_of_the_cpu() -> None:
    """The whole row; what differs from the compiled kernels is rounding."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, __file__], env=environ, cwd=ROOT, capture_output=True, text=True, check=True)
    (on_cpu, none), (on_device, batches) = json.loads(done.stdout)
    assert (none, batches) == ([], [1, 3]), "the design as planned, then its trials"
    assert on_device == on_cpu == run_case(*case_and_inputs())
    assert on_device["trials"] == 3
    assert on_device["length_mm"] == 100.0


@pytest.mark.parametrize("device", DEVICES)
def test_a_case_is_computed_on_its_device(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device of the case is used for plans, and for trials, whose bytes must not depend on the default, which stays."""
    seen: list[Any] = []

    def refuse(_: object, __: object, options: Any, *___: object) -> None:
        seen.append(options.device)
        raise WalledIn("nothing is planned")

    monkeypatch.setenv(CHOICE, "auto")
    monkeypatch.setattr("vinewright.sweeps.case.Problem.of", refuse)
    monkeypatch.setattr("vinewright.sweeps.case._facts", lambda device, *_: seen.append(device) or {})
    monkeypatch.setattr("vinewright.sweeps.case.Worlds.draw", lambda *drawn: seen.append(drawn[-1]))
    counts = SimpleNamespace(counts=lambda: defaultdict(int))
    monkeypatch.setattr("vinewright.sweeps.case.grow_trials", lambda *_: counts)
    case, inputs = case_and_inputs()
    run_case(replace(case, device=device), inputs)
    tube = Input("tube", json.dumps(design_content(inputs["design"].design())["tube"]))
    run_case(Case({}, "environment", "tube", device=device), inputs | {"tube": tube})
    assert seen == [device] * 4, "the design as planned, its trials, the plan, and the facts of no design"


@pytest.fixture
def device_here(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Name of the CUDA device that this machine is said to have, to be changed in place."""
    here = {"name": "device A"}
    for module in ("grid", "manifest"):
        monkeypatch.setattr(f"vinewright.sweeps.{module}.why_not", lambda: None if here["name"] else "there is none")
    monkeypatch.setattr("vinewright.sweeps.manifest.device_name", lambda: here["name"])
    monkeypatch.setattr("vinewright.sweeps.grid.resolve_models", lambda *_: None)
    return here


def test_a_sweep_keeps_to_its_device(place: Path, device_here: dict[str, str]) -> None:
    """All its cases have it; a machine with another device or none refuses its shards, and the CPU's sweeps run anywhere."""
    made = made_in(place, {"device": "cuda", **study()})
    manifest = read_manifest(made)
    assert {case.device for case in manifest.grid.cases} == {"cuda"}
    assert manifest.program["device"] == "device A"
    on_cpu = made_in(place, study(), name="on cpu")
    assert {case.device for case in read_manifest(on_cpu).grid.cases} == {"cpu"}
    for other in ("device B", ""):
        device_here["name"] = other
        words = f"device device A, and this is {other or 'cpu'}"
        with pytest.raises(InvalidManifest, match=words):
            read_manifest(made)
        with pytest.raises(OtherProgram, match=words):
            run_shard(manifest.shard(0))
        assert program_difference(read_manifest(on_cpu).program) == ""
        assert program()["device"] == "cpu"


@pytest.mark.parametrize(
    ("device", "words"), [("cuda", "device cuda: there is none; make the sweep where there is one"), ("auto", "device")]
)
def test_a_device_that_cannot_be_used_is_refused(
    place: Path, device_here: dict[str, str], device: str, words: str
) -> None:
    """Before anything is computed; `auto` would give other bytes on other machines."""
    device_here["name"] = ""
    with pytest.raises(InvalidStudy, match=words):
        make_grid(check_study({"device": device, **study()}), place)


if __name__ == "__main__":
    print(json.dumps(computed()))
