"""Funneling: densities of ends, random fields, fans grown in them, and what is said of it all."""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
import typer
from typer.exceptions import TyperException
from typer.testing import CliRunner

import studies.funneling.study as funneling
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status
from environments import Environment, Obstacles
from studies.funneling.command import funneling as funnel
from studies.funneling.report import USUAL, FanFindings, Interval, report, verdict
from studies.funneling.study import (
    FIELD,
    FLOOR,
    KEPT_FREE,
    LARGEST,
    LENGTH,
    SHARES,
    START,
    Fan,
    concentration,
    densities,
    even_fan,
    grow_fan,
    headings,
    highest_concentration,
    make_field,
    make_mild_actuation,
    neighbour_distances,
    places,
    ratios,
    run_fields,
    scatter_points,
    weakest_actuator,
)
from surrogate.kernels.compiled import Floats

SEGMENTS = 72


def bare(vines: int) -> Actuation:
    """No actuators."""
    return Actuation(np.zeros((vines, SEGMENTS)), np.zeros((vines, SEGMENTS)))


def around(ends: Floats, status: Status = Status.GROWN, environment: Environment | None = None, number: int = 0) -> Fan:
    """A fan of straight vines with these ends."""
    workspace = environment or make_field(np.random.default_rng(0), 0.0, "free")
    return Fan(workspace, number, tuple(np.array([START, end]) for end in ends), np.full(len(ends), status))


# ---- densities ----


def test_density_and_ratio_on_an_even_line() -> None:
    """Twenty points a step apart: within, the two nearest are a step away; at the ends one and two steps."""
    step = 0.03
    density = densities(np.column_stack([step * np.arange(20), np.zeros(20)]), 2)
    np.testing.assert_allclose(density[1:-1], 2 / (math.pi * step**2))
    np.testing.assert_allclose(density[[0, -1]], 2 / (math.pi * (1.5 * step) ** 2))
    assert concentration(density) == pytest.approx(20 / (18 + 2 / 2.25))


def test_density_on_equilateral_arrangements() -> None:
    """In a triangle both others are a side away; in the middle of a hexagon all six are."""
    turn = 2 * math.pi * np.arange(3) / 3
    triangle = 0.7 / math.sqrt(3) * np.column_stack([np.cos(turn), np.sin(turn)])
    np.testing.assert_allclose(densities(triangle, 2), 2 / (math.pi * 0.7**2))
    assert concentration(densities(triangle, 2)) == pytest.approx(1)
    turn = math.pi * np.arange(6) / 3
    hexagon = np.vstack([np.zeros(2), 0.2 * np.column_stack([np.cos(turn), np.sin(turn)])])
    assert densities(hexagon, 6)[0] == pytest.approx(6 / (math.pi * 0.2**2))
    # At a corner: the middle and two neighbours a side away, two at the square root of three, one at two.
    mean = 0.2 * (3 + 2 * math.sqrt(3) + 2) / 6
    np.testing.assert_allclose(densities(hexagon, 6)[1:], 6 / (math.pi * mean**2))


def test_points_in_one_place_are_as_dense_as_the_floor_allows() -> None:
    """Identical points are at the floor, whatever it is; the others are not touched by it."""
    points = np.vstack([np.zeros((4, 2)), [[5.0, 0.0], [9.0, 0.0]]])
    for floor in (FLOOR, 0.01):
        density = densities(points, 3, floor)
        np.testing.assert_allclose(density[:4], 3 / (math.pi * floor**2))
        assert density[4] == pytest.approx(3 / (math.pi * ((4 + 5 + 5) / 3) ** 2))


def test_the_ratio_is_between_one_and_the_highest() -> None:
    """All densities equal give 1; a tenth in one place, the others far apart, nearly ten; all in one place 1 again."""
    assert concentration(np.full(50, 3.7)) == pytest.approx(1)
    assert [highest_concentration(count) for count in (20, 50, 55)] == pytest.approx([10, 10, 55 / 6])
    far = np.column_stack([np.arange(45.0), np.zeros(45)])
    tenth = np.vstack([np.full((5, 2), -9.0), far])
    assert concentration(densities(tenth, 4)) == pytest.approx(10, rel=1e-4)
    assert concentration(densities(np.zeros((50, 2)), 4)) == pytest.approx(1)
    assert concentration(np.array([8.0, 1, 1, 1, 1, 1, 1, 1, 1, 4])) == pytest.approx(8 / 2)


def test_the_unit_of_length_does_not_matter() -> None:
    """Ends a thousand times as far apart have the same ratio at every k, as long as none is at the floor."""
    ends = np.random.default_rng(3).uniform(size=(40, 2))
    np.testing.assert_allclose(ratios(ends, 0.0), ratios(1000 * ends, 0.0))


def test_places_are_chains_of_near_ends() -> None:
    """Ends 9 mm apart in a row are one place, ends 11 mm apart are two."""
    row = np.column_stack([9e-3 * np.arange(5), np.zeros(5)])
    place = places(np.vstack([row, row[-1] + [0, 11e-3], [1.0, 1.0], [1.0, 1.0]]))
    assert sorted(np.bincount(place)) == [1, 2, 5]
    assert len(set(place[:5])) == 1


def test_the_even_fan_is_what_neighbours_are_measured_by() -> None:
    """On it all neighbours are at distance 1, and at every k the ratio is near 1; scattered points have more."""
    np.testing.assert_allclose(neighbour_distances(even_fan(50)), 1)
    assert ratios(even_fan(50)).max() < 1.15
    rng = np.random.default_rng(0)
    draws = [scatter_points(rng, 50) for _ in range(50)]
    assert np.mean([ratios(points) for points in draws], axis=0).min() > 1.5
    reach = np.hypot(*(np.concatenate(draws) - START).T)
    assert reach.max() < LENGTH
    assert np.mean(reach < LENGTH / 2) == pytest.approx(0.25, abs=0.03)


# ---- fields ----


@pytest.mark.parametrize("share", [*SHARES.values(), 0.3])
def test_a_field_is_as_dense_as_asked_and_leaves_the_start_free(share: float) -> None:
    """The covered share is met to one obstacle; nothing is near the start; the bounds are out of every vine's reach."""
    for seed in range(3):
        environment = make_field(np.random.default_rng(seed), share)
        solid = shapely.union_all(environment.obstacles.shapes()).intersection(shapely.box(0, 0, FIELD, FIELD))
        assert solid.area / FIELD**2 == pytest.approx(share, abs=LARGEST**2 / FIELD**2)
        assert environment.obstacles.clearance(np.array(START)) >= KEPT_FREE
        assert np.all(np.abs(environment.bounds.reshape(2, 2) - START) > LENGTH)
        if share:
            assert environment.obstacles.polygons
            assert len(environment.obstacles.circles)


def test_the_same_seed_gives_the_same_field() -> None:
    """Field and actuators depend on the seed alone, and a denser field has the obstacles of a sparser one."""
    sparse, dense = (make_field(np.random.default_rng(7), share).obstacles for share in (0.04, 0.16))
    assert make_field(np.random.default_rng(7), 0.1).sha256 == make_field(np.random.default_rng(7), 0.1).sha256
    assert make_field(np.random.default_rng(7), 0.1).sha256 != make_field(np.random.default_rng(8), 0.1).sha256
    np.testing.assert_array_equal(dense.circles[: len(sparse.circles)], sparse.circles)
    np.testing.assert_array_equal(dense.polygons[: len(sparse.polygons)], sparse.polygons)


def test_actuators_bend_a_little_towards_the_diagonal(params: VineParams) -> None:
    """The vine along x turns left, that along y right, by 10 to 20 % of 45 degrees; one along the diagonal has none."""
    heading = np.array([0.0, math.pi / 4, math.pi / 2])
    carried = make_mild_actuation(np.random.default_rng(0), heading, params)
    assert [np.sign(row.sum()) for row in carried.pressure] == [1, 0, -1]
    pressure = weakest_actuator(params)[1]
    assert 0 < np.abs(carried.pressure).max() <= pressure + 1e-6
    fan = grow_fan(make_field(np.random.default_rng(0), 0.0), carried, params)
    for line, begin, side in zip(fan.lines, heading, (1, 0, -1), strict=True):
        turned = np.arctan2(*(line[-1] - line[-2])[::-1]) - begin
        if side:
            assert 0.09 <= side * turned / (math.pi / 4) <= 0.21
        else:
            assert abs(turned) < 1e-9
        straight = np.asarray(START) + 0.275 * np.array([math.cos(begin), math.sin(begin)])
        np.testing.assert_allclose(line[11], straight, atol=1e-9)


# ---- fans ----


def test_a_fan_spreads_evenly_in_free_space(params: VineParams) -> None:
    """Without actuators and obstacles the ends are those of the even fan, to a rounding."""
    fan = grow_fan(make_field(np.random.default_rng(0), 0.0), bare(20), params)
    np.testing.assert_allclose(fan.ends, even_fan(20), atol=1e-9)
    assert (fan.status == Status.GROWN).all()


def test_vines_of_a_fan_grow_as_they_do_alone(params: VineParams) -> None:
    """Sharing a scene changes nothing, nor does the number of threads."""
    environment = make_field(np.random.default_rng(1), 0.08)
    carried = make_mild_actuation(np.random.default_rng(2), headings(20), params)
    fans = [grow_fan(environment, carried, params, threads=threads) for threads in (1, 4)]
    np.testing.assert_array_equal(fans[0].ends, fans[1].ends)
    np.testing.assert_array_equal(fans[0].status, fans[1].status)
    for i in (0, 7, 19):
        start = np.array([*START, headings(20)[i]])
        turned = Environment("", "", environment.bounds, start, environment.goal, environment.obstacles)
        alone = QuasiStatic(turned, params)
        one = Actuation(carried.pressure[[i]], carried.l_0[[i]])
        rollout = alone.grow(alone.start(1, SEGMENTS), one, LENGTH, params.segment_length)
        np.testing.assert_allclose(fans[0].ends[i], rollout.tips[0, rollout.records[0] - 1, :2], atol=1e-12)
    assert environment.start[2] == 0


def test_two_walls_that_close_to_a_gap_funnel(params: VineParams) -> None:
    """Vines that set out over a quarter turn all leave by the gap, and all neighbours end together."""
    ahead, across = np.array([1.0, 1.0]) / math.sqrt(2), np.array([-1.0, 1.0]) / math.sqrt(2)
    sides = [
        [*(START + 0.25 * ahead + side * 0.45 * across), *(START + 1.2 * ahead + side * 0.045 * across), 0.01]
        for side in (1, -1)
    ]
    empty = make_field(np.random.default_rng(0), 0.0)
    walls = Obstacles(walls=np.array(sides), ends="round")
    fan = grow_fan(Environment("", "", empty.bounds, empty.start, empty.goal, walls), bare(20), params)
    along, aside = (fan.ends - START) @ ahead, (fan.ends - START) @ across
    assert (fan.status == Status.GROWN).all()
    assert along.min() > 1.6
    # The tube has 13 mm to spare in the gap, and 0.6 m to grow behind it.
    assert np.ptp(aside) < np.ptp((even_fan(20) - START) @ across) / 6
    np.testing.assert_allclose(aside, -aside[::-1], atol=1e-3)
    assert neighbour_distances(fan.ends).max() < 0.5
    assert (ratios(fan.ends) > ratios(even_fan(20))).all()


def test_a_study_grows_the_same_vines_in_every_density(params: VineParams) -> None:
    """One fan of each density at a time, and in free space another fan for every number."""
    sets = list(run_fields(range(2), 3, 5, params))
    assert [[fan.environment.name for fan in fans] for fans in sets] == [list(SHARES)] * 2
    assert [fans[0].number for fans in sets] == [0, 1]
    assert not np.allclose(sets[0][0].ends, sets[1][0].ends)
    again = next(run_fields([0], 3, 5, params))
    for one, other in zip(sets[0], again, strict=True):
        np.testing.assert_array_equal(one.ends, other.ends)


# ---- what is said ----


def synthetic(fields: int, contact: Floats, wobble: float = 1e-3) -> FanFindings:
    """Free fans that are even but for a wobble, and fans whose ends are given wherever there are obstacles."""
    rng = np.random.default_rng(0)
    fields_of = {name: make_field(rng, 0.0, name) for name in SHARES}
    sets = []
    for number in range(fields):
        free = even_fan(len(contact)) + rng.normal(0, wobble, (len(contact), 2))
        near = contact + rng.normal(0, 1e-7, contact.shape)
        sets.append(
            tuple(around(free if name == "free" else near, Status.GROWN, fields_of[name], number) for name in SHARES)
        )
    return FanFindings(sets, 0)


def test_an_interval_is_students() -> None:
    """Mean and limits against the table: t = 4.303 for three fields; one field has none."""
    found = Interval.of(np.array([[1.0], [2.0], [3.0]]))
    assert (found.mean[0], found.high[0] - 2, 2 - found.low[0]) == pytest.approx(
        (2, 4.303 / 3**0.5, 4.303 / 3**0.5), rel=1e-3
    )
    assert found.sign.tolist() == [0]
    assert Interval.of(np.array([[2.0], [2.1], [2.2]])).sign.tolist() == [1]
    assert Interval.of(-np.array([[2.0], [2.1], [2.2]])).sign.tolist() == [-1]
    assert Interval.of(np.array([[2.0]])).shown(1) == ["2.0"]
    assert found.shown(2) == ["2.00 (-0.48 ... 4.48)"]


def test_the_verdict_follows_the_figures() -> None:
    """Borne out where a third of the ends shares a place; not where the fan stays even; one field proves nothing."""
    even = even_fan(50)
    crowd = even.copy()
    crowd[:17] = crowd[8]
    said = verdict(synthetic(4, crowd))
    assert "higher in 18 of 18 pairs of density and k. This confirms the finding of paper 002" in said[0]
    assert "1 mm, it is higher in 18. Contact brings vines together, and separates some" in said[0]
    assert "- dense: compared with free space higher at every k;" in said[-1]
    same = verdict(synthetic(4, even))
    assert "higher in 0 of 18" in same[0]
    assert "does not confirm" in same[0]
    assert "Whether contact brings vines together, or separates them, is undecided" in same[0]
    assert verdict(synthetic(1, crowd)) == ["One field of each density proves nothing: more are needed (`--fields`)."]


def test_a_low_ratio_of_ends_in_few_places_is_explained() -> None:
    """Where all vines end in three places, the ratio is lower than in free space, and the report says why."""
    three = even_fan(50)[np.repeat([5, 25, 45], [17, 17, 16])]
    said = verdict(synthetic(4, three, wobble=2e-2))
    assert any("in dense fields the 50 vines end in 3 places on average" in line for line in said)
    assert "96, 96, 96 % end together in sparse, medium, dense fields" in said[0]
    assert "4, 4, 4 % end apart in sparse, medium, dense fields" in said[0]


def test_the_report_holds_the_figures() -> None:
    """Tables for people with each density's ratios, the same in the data, and how the vines ended."""
    crowd = even_fan(50)
    crowd[:5] = crowd[2]
    findings = synthetic(3, crowd)
    made = report(findings, VineParams())
    text, content = made.text, made.content
    low, high = ratios(even_fan(50))[[0, -1]]
    row = next(line for line in text.splitlines() if line.startswith("| even fan |"))
    assert (row.split(" | ")[1], row.split(" | ")[-1]) == (f"{low:.2f}", f"{high:.2f} |")
    assert len(content["fields"]) == 3 * len(SHARES)
    dense = content["fields"][3]
    assert (dense["density"], dense["places"], dense["share_in_largest"]) == ("dense", 46, 0.1)
    others = "stalled", "out_of_bounds", "unresolved", "coiled", "not_finite", "unsettled", "ambiguous"
    assert dense["status"] == {"grown": 50, **dict.fromkeys(others, 0)}
    assert dense["ratio"]["at_least_1_mm"] == pytest.approx(findings.ratio["dense"][0, USUAL], abs=1e-4)
    assert len(content["ends_of_first_fields_mm"]["free"]) == 50
    json.dumps(content, allow_nan=False)


# ---- the command ----


def run(*options: object) -> tuple[int, str]:
    """Exit code, and what was printed or what the error says."""
    app = typer.Typer()
    app.command()(funnel)
    done = CliRunner().invoke(app, [str(option) for option in options], standalone_mode=False)
    if isinstance(done.exception, TyperException):
        return done.exception.exit_code, done.exception.format_message()
    assert done.exception is None, done.exception
    return done.exit_code, done.output


def test_the_command_writes_tables_data_and_pictures(tmp_path: Path) -> None:
    """Four files and nothing else, made from the asked number of vines and fields; a table at the end."""
    out = tmp_path / "new"
    code, printed = run("--vines", 20, "--fields", 2, "--seed", 3, "--out", out)
    assert code == 0
    assert [path.name for path in out.iterdir()] == ["funneling"]
    out = out / "funneling"
    assert sorted(path.name for path in out.iterdir()) == [
        "README.md", "data.json", "funneling-ratio.png", "funneling.png",
    ]  # fmt: skip
    assert (
        "`vinewright reproduce funneling --vines 20 --fields 2 --seed 3 --out new` on"
        in (out / "README.md").read_text()
    )
    rows = json.loads((out / "data.json").read_text())["fields"]
    assert [(row["field"], row["density"]) for row in rows] == [(i, name) for i in range(2) for name in SHARES]
    for name in ("funneling.png", "funneling-ratio.png"):
        assert (out / name).read_bytes()[:4] == b"\x89PNG"
    assert "scattered at random" in printed


def interrupted_after(monkeypatch: pytest.MonkeyPatch, fields: int) -> None:
    """Raise Ctrl-C after this many fields."""
    grown = funneling.run_fields

    def run_fields(numbers: Sequence[int], vines: int, *arguments: Any) -> Iterator[tuple[Fan, ...]]:
        for number, fans in enumerate(grown(numbers, vines, *arguments)):
            if vines > 2 and number == fields:  # the first, of two vines, is to compile
                raise KeyboardInterrupt
            yield fans

    monkeypatch.setattr(funneling, "run_fields", run_fields)


@pytest.mark.slow
def test_ctrl_c_keeps_the_fields_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vines grown until then are written, and marked as interrupted."""
    interrupted_after(monkeypatch, 1)
    code, printed = run("--vines", 20, "--fields", 9, "--out", tmp_path)
    assert code == 0
    assert "interrupted after 1 of 9 fields" in printed
    text = (tmp_path / "funneling" / "README.md").read_text()
    assert f"--fields 9 --seed 0 --out {tmp_path.name}, interrupted,` on" in text
    assert "One field of each density proves nothing" in text


def test_ctrl_c_before_any_field_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to say then; the exit code is that of an interrupt."""
    interrupted_after(monkeypatch, 0)
    code, said = run("--vines", 20, "--out", tmp_path)
    assert (code, said) == (130, "interrupted before any result was complete; nothing was written")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [("--vines", 19), ("--vines", 1001), ("--fields", 0), ("--seed", -1)])
def test_options_out_of_range_are_refused(tmp_path: Path, options: tuple[str, int]) -> None:
    """Exit code 2 and what is allowed, before anything is grown."""
    code, said = run(*options, "--out", tmp_path / "new")
    assert code == 2
    assert options[0] in said
    assert "or equal to" in said
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A file in its place: exit code 2, at once, with a word on what to do."""
    (tmp_path / "taken").write_text("")
    code, said = run("--out", tmp_path / "taken")
    assert code == 2
    assert said.endswith("give another --out")
