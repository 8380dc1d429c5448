"""Studies on the workers of a scheduler that runs already: the same results as here."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from studies.reproduce import app as studies
from tests.command_line import vinewright
from vinewright.cli import app
from vinewright.console.study_options import chosen_scheduler


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Address of a scheduler with two workers, processes with one thread each."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster:  # type: ignore[no-untyped-call]
        yield str(cluster.scheduler_address)


def data(folder: Path) -> dict[str, Any]:
    """The data of a report without its provenance."""
    content = json.loads((folder / "data.json").read_text())
    return {key: value for key, value in content.items() if key not in ("command", "seconds", "versions", "machine")}


@pytest.mark.slow
@pytest.mark.parametrize("study", [["tip-steering"], ["funneling", "--vines", "20", "--fields", "2"]])
def test_a_study_has_the_same_results_on_workers(
    study: list[str], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One whose cases are a chain, and one that has a worker for each case; both run in this process without a scheduler."""
    assert vinewright(monkeypatch, "reproduce", *study, "--out", tmp_path / "here") == 0
    assert vinewright(monkeypatch, "reproduce", *study, "--out", tmp_path / "there", "--scheduler", address) == 0
    assert data(tmp_path / "there" / study[0]) == data(tmp_path / "here" / study[0])
    command = json.loads((tmp_path / "there" / study[0] / "data.json").read_text())["command"]
    assert command.endswith(f" --scheduler {address} --out there")


def test_every_study_has_the_option() -> None:
    """Their commands say so in their help, beside their own options."""
    names = [
        one.name or str(one.callback.__name__).replace("_", "-") for one in studies.registered_commands if one.callback
    ]
    assert len(names) > 20
    for name in names:
        said = CliRunner().invoke(app, ["reproduce", name, "--help"]).output
        assert "--scheduler ADDRESS" in said, name
        assert "--out DIR" in said, name


def test_no_scheduler_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, nothing is written, and the next command has no scheduler."""
    monkeypatch.setattr("vinewright.cluster.cluster.CONNECTING", 1.0)
    study = "reproduce", "tip-steering", "--out", tmp_path, "--scheduler", "tcp://127.0.0.1:1"
    assert vinewright(monkeypatch, *study) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: no Dask scheduler answers at 'tcp://127.0.0.1:1'")
    assert error.count("\n") == 1
    assert not [*tmp_path.iterdir()]
    assert chosen_scheduler() is None
