"""The command that trains and evaluates the actuator network, and its report."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studies.surrogate.plots import save_evaluation
from studies.surrogate.report import report, verdict
from studies.surrogate.study import BINS, NETWORK, PAPER, TABLE, Evaluation
from surrogate.evaluation import Speed
from surrogate.force_network import read_force_weights
from surrogate.weights_file import NAMES, SHIPPED, ModelErrors, read_weights
from tests.waiting import LONGEST

WITHOUT_TORCH = """
import sys
from vinewright.cli import main
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Blocker())
for command in sys.argv[1:]:
    sys.argv = ["vinewright", *command.split()]
    try:
        main()
    except SystemExit as ended:
        print("code", ended.code or 0)
"""
"""Commands, one after the other, in a process in which PyTorch is not installed."""
COMMAND = [sys.executable, "-c", "from vinewright.cli import main; main()"]


def vinewright(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=LONGEST)


@pytest.fixture
def evaluation() -> Evaluation:
    """Made-up figures: the table is 1000 times as close as the network and 20 times as fast."""
    shares = np.full(len(BINS) - 1, 1 / (len(BINS) - 1))
    return Evaluation(
        read_weights(SHIPPED / NAMES["log-force"]),
        4000,
        0.03,
        {
            NETWORK: ModelErrors(2e-4, 4e-3, 0.02, 0.03, 0.1, 0.02, 0.05),
            PAPER: ModelErrors(2e-3, 0.02, 0.1, 0.7, 50.0, 0.3, 0.3),
            TABLE: ModelErrors(None, 1e-6, 2e-5, 1e-4, 1e-3, 1e-4, 1e-4),
        },
        dict.fromkeys((NETWORK, PAPER, TABLE), shares),
        [
            Speed(model, device, batch, batch / rate)
            for batch in (100, 10_000)
            for model, device, rate in (("analytic", "cpu", 1e3), ("table", "cpu", 2e7), ("network", "cpu", 1e6))
        ],
    )


def test_verdict_follows_the_figures(evaluation: Evaluation) -> None:
    """Nearer and quicker, the table is used for both; else the reason is another, and the figures stand beside it."""
    text = verdict(evaluation)
    assert "uses the force table: in calls for 10,000 forces it is 20 times as fast as the network on cpu" in text
    assert "0.002 % at the 90th percentile, the network's by 2 %" in text
    slow = [
        replace(speed, seconds=speed.seconds * 40) if speed.model == "table" else speed for speed in evaluation.speeds
    ]
    text = verdict(replace(evaluation, speeds=slow))
    assert "because its compiled loop asks for one joint at a time" in text
    assert "0.5 times as fast" in text


def test_report_has_the_figures(evaluation: Evaluation, tmp_path: Path) -> None:
    """Tables with a row for each model and size of call, the same numbers as data, and a picture."""
    made = report(evaluation)
    table, content = made.text, made.content
    assert "| network | 2.0e-04 | 0.4 % | 2 % | 3 % | 10 % | 2 % | 5 % |" in table
    assert "| force table | - | 0.0001 % |" in table
    assert "| 10,000 | 1,000 | 20,000,000 (20,000) | 1,000,000 (1,000) |" in table
    assert json.loads(json.dumps(content, allow_nan=False))["errors"][PAPER]["largest"] == 50.0
    assert content["speeds"][1]["rate"] == pytest.approx(2e7)
    save_evaluation(tmp_path / "picture.png", evaluation)
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_evaluate_writes_tables_data_and_picture(tmp_path: Path) -> None:
    """The shipped network, in small calls: the promised bounds stand in the data."""
    done = vinewright("surrogate", "evaluate", "--largest-batch", 10, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path / "runs" / "surrogate")) == ["README.md", "data.json", "surrogate.png"]
    content = json.loads((tmp_path / "runs" / "surrogate" / "data.json").read_text())
    assert content["errors"][NETWORK]["normalised_mse"] <= 3e-4
    assert content["errors"][NETWORK]["median"] < 0.01
    assert content["errors"][NETWORK]["p90"] < 0.03
    assert sum(content["histogram"][NETWORK]) == pytest.approx(1.0)
    assert {speed["batch"] for speed in content["speeds"]} == {1, 10}
    assert "uses the force table" in done.stdout


@pytest.mark.slow
def test_train_writes_weights_that_can_be_evaluated(tmp_path: Path) -> None:
    """A short training prints errors and time and writes both forms, which `evaluate` accepts and refuses rightly."""
    done = vinewright("surrogate", "train", "--epochs", 2, "--seed", 7, "--out", "new", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"log-force: 2 epochs in \d+ s; normalised MSE .* error of the force", done.stdout)
    assert sorted(os.listdir(tmp_path / "new")) == ["spam-paper.json", "spam.json"]
    assert read_weights(tmp_path / "new" / "spam.json").seed == 7
    other = vinewright("surrogate", "train", "--actuator", "fpam", "--epochs", 2, "--out", "other", cwd=tmp_path)
    assert re.search(r"fpam: 2 epochs in \d+ s; error of the force", other.stdout)
    assert os.listdir(tmp_path / "other") == ["fpam.json"]
    assert read_force_weights(tmp_path / "other" / "fpam.json").seed == 2
    refused = vinewright("surrogate", "evaluate", "--weights", "new/spam-paper.json", cwd=tmp_path)
    assert refused.returncode == 2
    assert "expected the form log-force" in refused.stderr


def test_without_torch(tmp_path: Path) -> None:
    """Where PyTorch is missing, `surrogate` says in one line how to get it, and `plan` does not need it."""
    commands = "surrogate evaluate", "surrogate train", "plan divider --iterations 1"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *commands], cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST
    )
    codes = re.findall(r"^code (\d)$", done.stdout, re.M)
    assert codes[:2] == ["2", "2"]
    assert codes[2] in ("0", "3"), done.stderr
    (line,) = {line for line in done.stderr.splitlines() if line.startswith("error")}
    assert line == "error: this needs PyTorch: pip install -c constraints.txt -e '.[torch]'"
    assert done.stderr.count(line) == 2
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs" / "surrogate").exists()
