"""The option --device of all commands that grow vines."""

import os
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from dynamics import cuda
from dynamics.cuda import CHOICE
from dynamics.registry import kernels_are_cached
from dynamics.tube import VineParams
from environments import Environment
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from vinewright.cli import app
from vinewright.console.device import with_device

GROWING = (
    *("plan", "simulate", "robustness", "export", "show", "fit", "funnel", "studio", "validate"),
    *("bench rollouts", "bench plan", "bench gpu", "reproduce table2", "reproduce tip-steering"),
)
"""Commands that grow vines, apart from those of sweeps, whose bytes must be the same everywhere."""


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("command", GROWING)
def test_commands_that_grow_vines_have_the_option(command: str) -> None:
    """It is in their help, with its default."""
    told = " ".join(run(*command.split(), "--help").output.split())
    assert "--device" in told
    assert "Device of the computation: cpu, cuda, or auto" in told
    assert "[default: auto]" in told


def test_a_command_with_the_option_sets_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it runs, models that name no device use that one; without the option, they keep the variable's."""
    monkeypatch.setenv(CHOICE, "")
    seen: list[tuple[str, int]] = []

    def grow(vines: int = 3) -> int:
        """Grow vines."""
        seen.append((cuda.default_device(), vines))
        return 5

    one = typer.Typer()
    one.command()(with_device(grow))
    for arguments in (["--device", "cpu", "--vines", "4"], [], ["--device", "auto"]):
        assert CliRunner().invoke(one, arguments).exit_code == 0
    assert seen == [("cpu", 4), ("cpu", 3), ("cpu", 3)]


def test_a_command_that_has_the_option_keeps_its_own() -> None:
    """It acts on the device itself."""

    def grow(device: str = "auto") -> None:
        """Grow vines."""
        del device

    assert with_device(grow) is grow


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("tpu", "unknown device 'tpu'; known: auto, cpu, cuda"),
        ("cuda", "there is no CUDA driver here; or use --device cpu"),
    ],
)
def test_a_device_that_cannot_be_used_is_one_line(
    vinewright: Any, device: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything else is done; the default stays."""
    monkeypatch.setattr(cuda, "driver_version", lambda: None)
    monkeypatch.setenv(CHOICE, "")
    cuda.why_not.cache_clear()
    try:
        done = vinewright("robustness", "maze", "nowhere", "--device", device)
    finally:
        cuda.why_not.cache_clear()
    assert done[0] == 2
    assert words in done[2]
    assert done[2].count("\n") == 1
    assert os.environ[CHOICE] == ""


def test_the_kernel_of_a_device_is_compiled_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command says that it compiles where the kernel for the chosen device is not in the cache."""
    monkeypatch.setattr("surrogate.kernels.compiled.cache_folder", lambda: tmp_path)
    (tmp_path / "quasistatic").mkdir()
    (tmp_path / "quasistatic" / "rollout.grow_one-100.nbi").touch()
    monkeypatch.setattr(cuda, "is_simulated", lambda: False)
    for reason, device, found in (
        ("none here", "cpu", True),
        ("none here", "auto", True),
        (None, "cpu", True),
        (None, "auto", False),
        (None, "cuda", False),
    ):
        monkeypatch.setattr(cuda, "why_not", lambda reason=reason: reason)
        assert kernels_are_cached("quasistatic", device=device) == found
    (tmp_path / "quasistatic" / "device.grow_lanes-70.nbi").touch()
    assert kernels_are_cached("quasistatic", device="cuda")


def test_trials_of_a_plan_grow_on_its_device(room: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan's device goes before the default; `auto` leaves the choice to the model, and so does a plan of another propagator."""
    monkeypatch.setenv(CHOICE, "cuda")
    for device, propagator, named in (
        ("cpu", "quasistatic", "cpu"),
        ("auto", "quasistatic", None),
        ("cpu", "impulse", None),
    ):
        problem = Problem.of(room, VineParams(), Inputs(device=device, propagator=propagator, particles=1))
        assert problem.device == named
    on_cpu = Problem.of(room, VineParams(), Inputs(device="cpu", particles=2))
    worlds = on_cpu.switches().worlds
    assert worlds is not None
    assert worlds.planned.device == "cpu"
