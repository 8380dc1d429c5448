"""Paper 004's figures, made again: what they come to, tables, pictures, and the command."""

import json
from pathlib import Path

import numpy as np
import pytest

from dynamics.euler_lagrange.control import Saturation
from dynamics.euler_lagrange.model import Robot
from studies.euler_lagrange import study as euler_lagrange
from studies.euler_lagrange.report import ALLOWED, TITLES, WORDS, report
from studies.euler_lagrange.study import (
    BLEND,
    SET_POINTS,
    Chase,
    Experiment,
    ExperimentResult,
    cases,
    check_motions,
    linear_swing,
    list_experiments,
    reference,
    run_cases,
    run_experiment,
    split_results,
    swinging_plane,
)
from vinewright.cli import main

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def results() -> list[ExperimentResult]:
    return [run_experiment(experiment) for experiment in list_experiments()]


@pytest.fixture(scope="module")
def followed() -> list[Chase]:
    return split_results(list(run_cases([case for case in cases() if not isinstance(case, Experiment)])))[1]


@pytest.mark.slow
def test_motions_are_as_closed_forms_say(results: list[ExperimentResult]) -> None:
    """Swings, growth, bends and planes of Figs. 4 to 7 agree with closed forms, and a tighter tolerance moves nothing."""
    compared = check_motions(results)
    assert {check.figure for check in compared} == {"static", "growth", "ramp", "plane"}
    for check in compared:
        assert check.found == pytest.approx(check.expected, rel=2e-3, abs=2e-4), check.what
    assert max(result.moved for result in results) < 1e-6
    assert all(result.seconds > 0 for result in results)


def test_figures_show_what_the_paper_shows(results: list[ExperimentResult]) -> None:
    """The numbers that can be read off the paper: 0.667 m/s, 0.1 rad, about 2 rad, a sag of nearly -0.2 and then 0.4 rad."""
    of = {(one.experiment.figure, one.experiment.label): one.motion for one in results}
    growth = of["growth", "no gravity along the axis"]
    assert (growth.q[-1, 0] - growth.q[500, 0]) / 5 == pytest.approx(0.667, abs=5e-4)
    plane = of["plane", "arm 2 D"]
    assert plane.polar[-1] == pytest.approx([2.0, 0.1, 2.0944], abs=1e-3)
    ramp = of["ramp", "s = 5 m, arm 2 D"]
    assert -0.2 < ramp.q[:, 1].min() < -0.15
    assert ramp.q[-1, 1] == pytest.approx(0.4, abs=0.05)


def test_plane_swings_on_with_the_printed_damper(results: list[ExperimentResult]) -> None:
    """With Eq. 16's damper phi oscillates about 2 pi / 3 for long, at the frequency of a spring K across an inertia m s^2 / 4."""
    result = next(one for one in results if one.experiment.figure == "plane")
    times, swinging = swinging_plane(result)
    late = swinging[times > 8, 2] - 2 * np.pi / 3
    assert 0.2 < np.ptp(late) < 1.2
    assert abs(late.mean()) < 0.1
    crossings = times[times > 8][1:][np.diff(np.sign(late)) != 0]
    robot, s = result.experiment.robot, result.experiment.start[0]
    expected = np.sqrt(robot.stiffness / (robot.mass * s**2 / 4)) / np.pi
    assert 1 / np.diff(crossings).mean() == pytest.approx(expected, rel=0.05)


def test_slight_swings_have_the_published_spring_and_damper() -> None:
    """Decay D / (2 I) and the square of the frequency K / I, less the decay's, for I = m s^2 / 4, without gravity."""
    decay, swing = linear_swing(Robot(gravity=(0.0, 0.0, 0.0)), 2.0)
    assert decay == pytest.approx(1.1 / 0.2)
    assert decay**2 + swing**2 == pytest.approx(200.0)


def test_reference_blends_between_its_set_points() -> None:
    """It is at a set point at the end of each second, at rest there, and its rates are its slopes."""
    for k, point in enumerate(SET_POINTS):
        values, rates = reference(k + BLEND)
        np.testing.assert_allclose(values, point, atol=1e-12)
        np.testing.assert_allclose(rates, 0.0, atol=1e-9)
    for time in np.linspace(0.01, 4.9, 23):
        slope = (reference(time + 1e-6)[0] - reference(time - 1e-6)[0]) / 2e-6
        np.testing.assert_allclose(reference(time)[1], slope, atol=1e-4)


def test_reference_is_followed_where_growth_allows(followed: list[Chase]) -> None:
    """By default within 0.01 m and 0.01 rad; soft gains and a sPAM's pull do not come near."""
    default, published, soft, limited = followed
    assert (default.tracking.greatest_errors < ALLOWED).all()
    assert published.tracking.greatest_errors[0] > ALLOWED
    assert (soft.tracking.greatest_errors > ALLOWED).any()
    assert limited.tracking.greatest_errors[1] > 1.0
    assert [event.what for event in default.tracking.events] == [Saturation.SHORTER]
    assert limited.tracking.during(Saturation.TENSION).mean() > 0.5


def test_report_tells_every_figure(results: list[ExperimentResult], followed: list[Chase]) -> None:
    """A picture, words and a table for each, errata, run times with the machine, and the same numbers as JSON."""
    made = report(results, followed)
    table, content = made.text, made.content
    for figure in TITLES:
        assert f"(euler-lagrange-{figure}.png)" in table
        assert all(line in table for line in WORDS[figure])
    assert "| no gravity along the axis: growth rate [m/s] | 0.6667 | 0.6667 |" in table
    assert "Eq. 22 needs M^-1." in table
    assert "shorter 2.0" in table
    slowest = min(result.speed for result in results)
    assert f"1 / {slowest:.0f} of that time (target 1 / 100)" in table
    assert content["tracking"][0]["within"]
    assert not content["tracking"][-1]["within"]
    assert len(content["motions"]) == len(results)
    json.dumps(content, allow_nan=False)


def test_results_say_what_the_report_says() -> None:
    """The shipped files were made by the words that are here."""
    shipped = (Path(__file__).parents[2] / "results" / "euler-lagrange" / "README.md").read_text(encoding="utf-8")
    for line in [line for words in WORDS.values() for line in words]:
        assert line in shipped


def only(figure: str) -> list[Experiment]:
    return [one for one in list_experiments() if one.figure == figure]


@pytest.mark.slow
def test_command_writes_tables_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything is in the folder, and the exit code says that the reference was followed."""
    monkeypatch.setattr("sys.argv", ["vinewright", "reproduce", "euler-lagrange", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "wrote" in capsys.readouterr().out
    folder = tmp_path / "euler-lagrange"
    assert (folder / "README.md").exists()
    assert json.loads((folder / "data.json").read_text())["schema"] == 1
    for figure in TITLES:
        assert (folder / f"euler-lagrange-{figure}.png").read_bytes()[:4] == PNG


def test_interrupted_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of the figures are no report: Ctrl-C ends with a line that says so."""

    def interrupted(experiment: Experiment) -> ExperimentResult:
        if experiment.figure == "plane":
            raise KeyboardInterrupt
        return run_experiment(experiment)

    monkeypatch.setattr(euler_lagrange, "run_experiment", interrupted)
    monkeypatch.setattr(euler_lagrange, "list_experiments", lambda: [*only("growth"), *only("plane")])
    monkeypatch.setattr("sys.argv", ["vinewright", "reproduce", "euler-lagrange", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert "nothing was written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
