"""The errors that decide, as `plan` and `robustness` tell them."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from environments import load_environment
from environments.uncertainty import Uncertainty
from planner.design.design_file import load_design
from planner.uncertainty.trials import EVALUATING, Worlds, grow_trials
from planner.uncertainty.weakest import estimate_success

pytestmark = pytest.mark.usefixtures("small_pictures")


def test_plan_and_robustness_rank_errors_by_one_method(
    small_environment: Callable[[str], str], tmp_path: Path, vinewright: Callable[..., tuple[int, str, str]]
) -> None:
    """Errors of the heading alone: `plan` prints the list that a survey of the same trials has, and keeps it with the run."""
    (tmp_path / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    (tmp_path / "heading.toml").write_text('preset = "none"\nstart_heading_deg = 12\n')
    options = "plan", "small.toml", "--iterations", 4, "--uncertainty", "heading.toml", "--out", "headed"
    code, printed, _ = vinewright(*options)
    assert code in (0, 3)
    chosen = json.loads((tmp_path / "headed" / "run.json").read_text())["trials"]["chosen"]
    design = load_design(tmp_path / "headed")
    room = load_environment(str(tmp_path / "headed" / "environment.toml"), design.params.radius)
    errors = Uncertainty(start_heading=np.radians(12))
    numbers = range(EVALUATING, EVALUATING + chosen["trials"])
    reached = grow_trials(design, Worlds.draw(room, design.params, errors, numbers, 0)).reached
    found = estimate_success(design, room, errors, numbers, 0, reached)
    assert chosen["reached"] == found.reached
    assert [one.words.split(",")[0] for one in found.influences or ()] == ["heading"]
    assert chosen["influences"] == [one.content() for one in found.influences or ()]
    assert chosen["weakest"] == found.weakest
    printed = " ".join(printed.split())
    assert " ".join(found.influence_lines) in printed
    assert f"weakest: {found.weakest}" in printed
