"""The study of mapping: its environments, and its report."""

import numpy as np
import pytest
import shapely

from dynamics.vine import Status
from planner.mapping.sampling import Sample
from studies.mapping import study as mapping
from studies.mapping.report import difference, first_ahead, of_kind, report
from studies.mapping.study import (
    ACTIONS,
    DEPLOYMENTS,
    KINDS,
    MappingRecord,
    cases,
    keep_whole_environments,
    make_environment,
    run_cases,
)


@pytest.mark.parametrize(("kind", "most"), [("uniform", 5), ("non-uniform", 6)])
def test_environments_are_as_in_the_paper(kind: str, most: int) -> None:
    """3 to 5 equal squares or 3 to 6 polygons, a cell apart and off the launch points, the same from the same number."""
    counts, concave = set(), 0
    for number in range(12):
        shapes = [
            shapely.Polygon(corners) for corners in make_environment(kind, number, closed=False).obstacles.polygons
        ]
        counts.add(len(shapes))
        for k, shape in enumerate(shapes):
            assert shape.is_valid
            assert shapely.box(0, 0, 1, 1).buffer(1e-9).contains(shape)
            assert all(shape.distance(other) >= 1 / 35 for other in shapes[:k])
            assert shape.distance(shapely.MultiPoint([(1 / 3, 0), (2 / 3, 0)])) >= 1 / 35
            concave += shape.area < shape.convex_hull.area - 1e-9
            if kind == "uniform":
                assert (shape.area, shape.length) == pytest.approx((0.12**2, 4 * 0.12))
        again = make_environment(kind, number, closed=False).obstacles.polygons
        assert all(np.array_equal(np.array(a.exterior.coords)[:-1], b) for a, b in zip(shapes, again, strict=True))
    assert min(counts) >= 3
    assert max(counts) <= most
    assert (concave > 0) == (kind == "non-uniform")


def records(final: dict[str, float]) -> list[MappingRecord]:
    """Two environments, mapped by hand: scores rise evenly to what each policy has, 2 more in the second environment."""
    rise = np.arange(1, DEPLOYMENTS + 1) / DEPLOYMENTS
    return [
        MappingRecord(case, rise * (final[case.policy] + 2 * case.number), np.full(DEPLOYMENTS, 3.2), 0.1)
        for case in cases(2)
    ]


FINAL = {"ideal": 80.0, "monte-carlo": 60.0, "information-gain": 55.0, "random": 40.0}


def test_when_a_policy_gets_ahead() -> None:
    """Where the means part by a point a deployment, a deviation of 3.2 is left behind at the fourth."""
    assert first_ahead(records(FINAL), "uniform", "straight", "monte-carlo") == 4
    assert first_ahead(records(FINAL | {"monte-carlo": 43.0}), "uniform", "straight", "monte-carlo") is None


def test_paired_difference_and_its_error() -> None:
    """Mean 3 and standard error 1 of differences 2 and 4."""
    final = [np.zeros((2, DEPLOYMENTS)) + np.array(values)[:, None] for values in ([12.0, 5.0], [10.0, 1.0])]
    assert difference(*final) == pytest.approx((3.0, 1.0))


def test_report_has_the_paper_beside_ours() -> None:
    """Table 1 by policy, kind and actions, Table 2 by information; all records are in the data."""
    every = records(FINAL)
    made = report(every, 0.25)
    text, content = made.text, made.content
    assert "| Ideal | 81.0 (1.4) | 81.0 (1.4) | 81.0 (1.4) | 81.0 (1.4) |" in text
    assert "| Random | 41.0 (1.4; 3.2) |" in text
    assert "| Monte-Carlo - Random, straight | +20.0 ± 0.0 |" in text
    assert "| wall only | 61.0 (1.4) | 7.1 (2.46) |" in text
    assert "| 0.12 | 0.4 | closed | 61.0 (1.4) | 41.0 (1.4) | +20.0 ± 0.0 |" in text
    assert "takes 0.25 s" in text
    assert len(content["records"]) == len(every) == 2 * (len(KINDS) * len(ACTIONS) * len(FINAL) + 2 + 6)


def test_interrupted_study_keeps_whole_environments() -> None:
    """Records of an environment that is not done are left out."""
    every = records(FINAL)
    assert keep_whole_environments(every) == every
    kept = keep_whole_environments(every[:-1])
    assert {record.case.number for record in kept} == {0}
    assert of_kind(kept, "uniform", "straight", "ideal").shape == (1, DEPLOYMENTS)


def test_closed_environments_have_walls_that_are_known() -> None:
    """No tube leaves but by the launch points' side; walls there cover no cell, and are there in drawn environments too."""
    closed, opened = (mapping.make_task("uniform", 0, "straight", closed=whether) for whether in (True, False))
    assert np.array_equal(closed.rubric, opened.rubric)
    assert (len(closed.closed), len(opened.closed)) == (3, 0)
    blank = Sample([], np.zeros_like(closed.rubric))
    left = [(task.simulate_in(blank).status == Status.OUT_OF_BOUNDS).mean() for task in (closed, opened)]
    assert left[0] < 0.05
    assert left[1] == 1


def test_cases_run() -> None:
    """Every policy maps an environment; only random ones differ from one repeat to the next."""
    some = [case for case in cases(1) if (case.kind, case.actions) == ("non-uniform", "straight")]
    for record in run_cases(some, deployments=4, repeats=5):
        assert record.scores.shape == record.spread.shape == (4,)
        assert 0 < record.scores[-1] < 100
        assert (record.spread > 0).any() == (record.case.policy == "random")
