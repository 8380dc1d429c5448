"""Studies of plans under errors: what they measure, what they count, and what an interruption leaves."""

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from dynamics.tube import VineParams
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.plan.choice.front import Champion, Passed
from planner.plan.choice.selection import Selection
from studies.uncertainty import fresh_trials
from studies.uncertainty import study as main_study
from studies.uncertainty.fresh_trials import FreshTrials
from studies.uncertainty.plots import save_fronts, save_scatter
from studies.uncertainty.random_pairs import PlanPair, make_environment
from studies.uncertainty.report import report, report_pairs
from studies.uncertainty.study import OTHER_ERRORS, AblationStages, DesignsUnderErrors, PlanOutcome

Vinewright = Callable[..., tuple[int, str, str]]
PNG = b"\x89PNG"
BARE = Section(0.0, 0.5, "none", 0.0, 0.0, 0.0)
DESIGN = Design("room", "", VineParams(), (BARE,), np.zeros(3), np.zeros((1, 2)))


def tried(actuators: int, reached: int, trials: int = 300) -> FreshTrials:
    return FreshTrials(actuators, np.arange(trials) < reached)


def planned(seed: int, chosen: int, actuators: int) -> PlanOutcome:
    front = {1: Estimate(30, 100), 2: Estimate(90, 100)}
    others = {name: tried(actuators, 30 * k) for k, name in enumerate(OTHER_ERRORS, start=1)}
    verified = {"impulse": seed > 0, "penalty": False}
    parts = tried(1, 60), tried(actuators, chosen), tried(actuators, 80, 100), others, front, verified
    rounds = [Passed(3.0, 2, 20 + 5 * seed, 50), Passed(6.0, 2, 30 + 5 * seed, 50)]
    stages = AblationStages(0.5, 12.0, 11.0, 7.0 + seed)
    return PlanOutcome(
        "room", seed, DesignsUnderErrors(DESIGN, stages, *parts[:-1], rounds, "time budget spent", parts[-1])
    )


PLANS = [planned(0, 150, 2), planned(1, 270, 2), planned(2, 240, 3), PlanOutcome("hall", 0, None)]


@pytest.fixture
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Designs are tried in few trials."""
    monkeypatch.setattr(fresh_trials, "FRESH", 40)
    monkeypatch.setattr(main_study, "FINE", 20)


@pytest.fixture
def small(tmp_path: Path, small_environment: Callable[[str], str]) -> str:
    """A small environment, in the folder where commands run."""
    (tmp_path / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    return "small.toml"


def data_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "data.json").read_text())
    return content


def test_tables_have_medians_of_the_runs() -> None:
    """Median, smallest and largest of each environment, in every table; the front of each run."""
    made = report(PLANS, 30.0, "workshop")
    assert (
        "| room | - | 3 of 3 | 20 (20 ... 20) | 1 (1 ... 1) | 80 (50 ... 90) | 2 (2 ... 3) | 100 (100 ... 100) | 80 (80 ... 80) |"
    ) in made.lines
    assert (
        "| room | 0.50 (0.50 ... 0.50) | 12.0 (12.0 ... 12.0) | 11.0 (11.0 ... 11.0) | 8.0 (7.0 ... 9.0) |"
        in made.lines
    )
    assert "| room | 2 of 3 | 0 of 3 |" in made.lines
    assert "| room | 80 (50 ... 90) | 10 (10 ... 10) | 20 (20 ... 20) |" in made.lines
    assert "1: 30; 2: 90 | 50 % after 3 s, 70 % after 6 s | time budget spent |" in made.text
    assert "In 2 measured rounds of plans at 50 to 80 %, twice the time led to 75 %" in made.text
    run = made.content["runs"][1]
    assert run["chosen"] == {"actuators": 2, "reached_of": [270, 300]}
    assert run["chosen_with_other_errors"]["no friction"] == [30, 300]
    assert run["stages"]["trials_s"] == 8.0
    assert run["rounds"] == [[3.0, 2, 25, 50], [6.0, 2, 35, 50]]


def test_a_plan_without_a_design_is_counted() -> None:
    """It counts as no success at all, with dashes for what it does not have; it is in the data."""
    made = report(PLANS, 30.0, "workshop")
    assert "| hall | - | 0 of 1 | 0 | - | 0 | - | 0 | 0 |" in made.lines
    assert "| hall | 0 | none found | - | - | - | - |" in made.lines
    assert made.content["runs"][3] == {"environment": "hall", "seed": 0}


def test_designs_that_were_not_grown_with_other_propagators_have_a_dash() -> None:
    """Ctrl-C may come before: they are grown for all seeds together."""
    designs = replace(PLANS[0].designs, verified={}) if PLANS[0].designs else None
    assert "| room | - | - |" in report([PlanOutcome("room", 0, designs)], 30.0, "workshop").lines


def test_pictures_are_drawn_with_and_without_designs(tmp_path: Path) -> None:
    """Fronts, and the scatter of random environments."""
    save_fronts(tmp_path / "fronts.png", PLANS)
    save_fronts(tmp_path / "none.png", PLANS[3:])
    save_scatter(tmp_path / "random.png", [PlanPair(0, False, tried(1, 30), tried(2, 90)), PlanPair(1, True)])
    assert [file.read_bytes()[:4] for file in tmp_path.iterdir()] == [PNG] * 3


def test_a_difference_counts_only_beyond_the_noise_of_the_trials() -> None:
    """Both designs meet the same trials, so only those count that one of them reached: 5 of 5 are too few, 6 of 6 are not."""
    assert PlanPair(0, False, tried(1, 100), tried(1, 105)).verdict == "alike"
    assert PlanPair(0, False, tried(1, 100), tried(1, 106)).verdict == "better"
    assert PlanPair(0, False, tried(1, 106), tried(1, 100)).verdict == "worse"
    assert PlanPair(0, False, tried(1, 0), tried(1, 0)).verdict == "alike"
    other = FreshTrials(1, np.roll(tried(1, 106).reached, 150))
    assert PlanPair(0, False, tried(1, 100), other).verdict == "alike"


def test_random_environments_without_designs_are_counted() -> None:
    """Walled-in goals and plans without a design are told; the sign test is over the environments with a design of both."""
    both = [PlanPair(k, False, tried(1, 30 * k), tried(2, 30 * k + 30 * (k > 0))) for k in range(8)]
    several = [*both, PlanPair(8, True), PlanPair(9, False, None, tried(2, 150)), PlanPair(10)]
    made = report_pairs(several, 30.0)
    words = " ".join(made.lines)
    assert "Of 11 environments, 1 had no passage" in words
    assert "other 10, `--fast` found a design in 8, and the plan under errors in 9." in words
    assert "better in 7, worse in 0 and alike in 1." in words
    assert f"a probability of {binomtest(7, 7).pvalue:.2g} (two-sided sign test)" in words
    assert "| 8 | walled in | walled in | - |" in made.lines
    assert made.content["environments"][9]["fast"] is None


def test_random_environments_are_those_of_the_command(vinewright: Vinewright, tmp_path: Path) -> None:
    """The report names the command that makes them."""
    from environments import load_environment

    assert vinewright("environments", "new", "one.toml", "--seed", 4)[0] == 0
    made, wanted = make_environment(4), load_environment(str(tmp_path / "one.toml"))
    np.testing.assert_allclose(made.start, wanted.start, atol=1e-9)
    shapes = zip(made.obstacles.shapes(), wanted.obstacles.shapes(), strict=True)
    assert max(one.hausdorff_distance(other) for one, other in shapes) < 1e-6


@pytest.mark.slow
@pytest.mark.usefixtures("few_trials")
def test_the_study_keeps_whole_plans_after_ctrl_c(
    vinewright: Vinewright, small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan that Ctrl-C shortened is no result; those before it are reported, with every measurement and the picture."""
    (tmp_path / "other.toml").write_text((tmp_path / small).read_text())
    before, champions = Selection.with_trials, Selection.champions
    plans: list[Selection] = []

    def counted(self: Selection, designs: Sequence[Design]) -> Iterator[Champion]:
        plans.append(self)
        return champions(self, designs)

    def interrupted(self: Selection, champion: Champion, count: int) -> Champion:
        if len(plans) == 2:
            signal.raise_signal(signal.SIGINT)
        return before(self, champion, count)

    monkeypatch.setattr(Selection, "champions", counted)
    monkeypatch.setattr(Selection, "with_trials", interrupted)
    code, printed, _ = vinewright(
        *("reproduce", "uncertainty", "--env", small, "--env", "other.toml"),
        *("--runs", 1, "--time-budget", 2, "--out", "out"),
    )
    assert code == 0
    assert "interrupted after 1 of 2 runs" in printed
    folder = tmp_path / "out" / "uncertainty"
    (run,) = data_of(folder)["runs"]
    assert run["chosen"]["reached_of"][1] == 40
    assert run["chosen_at_an_eighth_of_the_step"][1] == 20
    assert run["verified"].keys() == {"impulse", "penalty"}
    assert run["chosen_with_other_errors"].keys() == OTHER_ERRORS.keys()
    assert run["stages"]["refinement_s"] > 0
    assert (folder / "fronts.png").read_bytes()[:4] == PNG
    assert "![Success over the number of actuators](fronts.png)" in (folder / "README.md").read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("few_trials")
def test_random_environments_are_compared(vinewright: Vinewright, tmp_path: Path) -> None:
    """Two environments, each with a verdict, a picture and the count of what was found."""
    code, printed, errors = vinewright(
        "reproduce", "uncertainty-random", "--count", 2, "--time-budget", 1, "--out", "out"
    )
    assert code == 0, errors
    folder = tmp_path / "out" / "uncertainty-random"
    assert [one["seed"] for one in data_of(folder)["environments"]] == [0, 1]
    assert (folder / "random.png").read_bytes()[:4] == PNG
    assert "Of 2 environments" in printed
