"""The file of trials: it keeps what was measured and what people write into it, and refuses the rest in one line."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.built.trial import NOTHING, BendTest, Growth, MeasuredPoint, MeasurementErrors, Trials
from planner.built.trials_file import HEADER, InvalidTrials, load_trials, save_trials, trials_content

DIGEST = "0123456789abcdef"
GROWTH = Growth(True, (0.5, -0.2305), 0.48, (12e3, 8.5e3), "bench.json", 'a "note"\nof two lines')
TRIALS = Trials(
    DIGEST,
    MeasurementErrors(tip=2e-3),
    (GROWTH, Growth(False, None, None, None, None, "")),
    (BendTest(2, 12e3, math.radians(31.5)),),
    (MeasuredPoint("wall 6", (0.1, 0.2), (0.103, 0.199)),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file in a folder with its recording."""
    (tmp_path / "bench.json").touch()
    return tmp_path / "trials.toml"


def test_trials_come_back(path: Path) -> None:
    """All numbers, in the units of the keys; what is unknown is left out."""
    save_trials(path, TRIALS)
    again = load_trials(path)
    assert trials_content(again) == trials_content(TRIALS)
    assert again.growths[0].tip == pytest.approx(GROWTH.tip)
    assert again.growths[0].pressures == pytest.approx(GROWTH.pressures)
    assert again.growths[0].note == GROWTH.note
    assert again.growths[1] == TRIALS.growths[1]
    assert again.bends[0].bend == pytest.approx(math.radians(31.5))
    assert again.errors.tip == pytest.approx(2e-3)
    content = tomllib.loads(path.read_text())
    assert content["growths"][0]["tip_mm"] == [500, -230.5]
    assert content["growths"][1] == {"reached": False}
    assert content["bends"] == [{"section": 2, "pressure_kpa": 12, "bend_deg": 31.5}]
    assert content["points"][0]["measured_mm"] == [103, 199]
    assert [entry.name for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


def test_errors_have_their_defaults(path: Path) -> None:
    """A file without them has those of the dataclass."""
    path.write_text(f'schema = 1\ndesign = "{DIGEST}"\n')
    assert load_trials(path) == Trials(DIGEST)
    assert load_trials(path).empty
    assert not TRIALS.empty


def test_what_people_write_stays(path: Path) -> None:
    """Comments, order and numbers of lines that still hold; only what is removed goes, and what is new comes last."""
    save_trials(path, TRIALS)
    mine = path.read_text().replace("[[bends]]", "# measured twice\n[[bends]]  # hot day").replace("2.0\n", "2.00\n", 1)
    path.write_text(mine)
    more = replace(TRIALS, growths=(*TRIALS.growths, replace(GROWTH, note="third")))
    save_trials(path, more)
    added = path.read_text()
    assert added.startswith(mine)
    assert tomllib.loads(added)["growths"][2]["note"] == "third"
    save_trials(path, replace(more, growths=more.growths[1:]))
    left = path.read_text()
    assert "two lines" not in left
    assert "# measured twice\n[[bends]]  # hot day" in left
    assert left.startswith(HEADER[0])
    assert [one.note for one in load_trials(path).growths] == ["", "third"]


@pytest.mark.parametrize(
    "lists", ['growths = [{ reached = true, note = """\n[[growths]]\n""" }]', "growths = [{ reached = true }]"]
)
def test_lists_in_lines_are_written_anew(path: Path, lists: str) -> None:
    """TOML cannot add to them, and what looks like a table in a text is none."""
    path.write_text(f'schema = 1\ndesign = "{DIGEST}"\n{lists}\n')
    before = load_trials(path)
    save_trials(path, replace(before, growths=(*before.growths, TRIALS.growths[1])))
    assert [one.reached for one in load_trials(path).growths] == [True, False]
    assert load_trials(path).growths[0].note == before.growths[0].note


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("schema = 2", "trials.toml: schema = 2 must be less than or equal to 1"),
        ("[[growths]]\nreached = 1", "trials.toml: growths[0].reached = 1 must be a valid boolean"),
        ("[[growths]]\n[[growths]]\ntip_mm = [1]", "growths[1].tip_mm = [1] "),
        ("[[growths]]\ntip_mm = [1, nan]", "growths[0].tip_mm[1] = nan"),
        ("[[growths]]\ntip = [1, 2]", "unknown key growths[0].tip (did you mean tip_mm?)"),
        ("[[growths]]\nlength_mm = -1", "growths[0].length_mm = -1 "),
        ("[[growths]]\npressures_kpa = [300]", "growths[0].pressures_kpa[0] = 300 "),
        ('[[growths]]\nrecording = "../run.json"', "growths[0].recording = '../run.json' "),
        ('[[growths]]\nrecording = "/etc/x.json"', "growths[0].recording = '/etc/x.json' "),
        ('[[growths]]\nrecording = "other.json"', "growths[0].recording = 'other.json' is not in "),
        ('[[growths]]\nnote = "\\u001b[2J"', "must be without control characters"),
        ("[[bends]]\nsection = 0\npressure_kpa = 1\nbend_deg = 1", "bends[0].section = 0 "),
        ("[[bends]]\nsection = 1\nbend_deg = 1", "missing key bends[0].pressure_kpa"),
        ('[[points]]\nobstacle = ""\nplanned_mm = [0, 0]\nmeasured_mm = [0, 0]', "points[0].obstacle = '' "),
        ("[errors]\ntip_mm = 0", "errors.tip_mm = 0 must be greater than 0"),
        ("growths = 3", "growths = 3 must be a valid list"),
        ("=", "trials.toml: is not TOML"),
    ],
)
def test_a_bad_file_is_one_line(path: Path, text: str, words: str) -> None:
    """The file, the key and the value."""
    head = "" if text.startswith("schema") else "schema = 1\n"
    path.write_text(f'{head}design = "{DIGEST}"\n{text}\n')
    with pytest.raises(InvalidTrials) as error:
        load_trials(path)
    assert words in str(error.value)
    assert str(error.value).startswith("trials.toml: ")
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 2


def test_a_missing_file_says_how_to_begin(path: Path) -> None:
    """With the command."""
    with pytest.raises(InvalidTrials, match=r"trials\.toml cannot be read: .*; `vinewright trials add` begins it"):
        load_trials(path)


def test_a_file_that_could_not_be_read_is_not_written(path: Path) -> None:
    """The earlier one stays."""
    save_trials(path, TRIALS)
    before = path.read_bytes()
    for wrong in (
        replace(TRIALS, design="of another length"),
        replace(TRIALS, growths=(replace(GROWTH, tip=(math.nan, 0.0)),)),
        replace(TRIALS, growths=(replace(GROWTH, recording="a/b.json"),)),
    ):
        with pytest.raises(InvalidTrials, match=r"^trials\.toml: "):
            save_trials(path, wrong)
    assert path.read_bytes() == before
    path.write_text("what somebody was writing")
    with pytest.raises(InvalidTrials, match=r"^trials\.toml: is not TOML"):
        save_trials(path, TRIALS)
    assert path.read_text() == "what somebody was writing"


TESTS = st.builds(BendTest, st.integers(1, 3), st.sampled_from([1e3, 2e3]), st.sampled_from([0.1, 0.2]))
NOTES = st.sampled_from(["", "[[bends]]"])
GROWTHS = st.builds(lambda reached, note: replace(NOTHING, reached=reached, note=note), st.booleans(), NOTES)
SOME = st.builds(
    lambda growths, bends: Trials(DIGEST, growths=tuple(growths), bends=tuple(bends)),
    st.lists(GROWTHS, max_size=4),
    st.lists(TESTS, max_size=4),
)


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(SOME, min_size=1, max_size=4))
def test_any_change_is_kept(tmp_path: Path, states: list[Trials]) -> None:
    """The file has all that is added, removed or put in another order, and its first comment stays."""
    path = tmp_path / "trials.toml"
    path.write_text(f'schema = 1  # mine\ndesign = "{DIGEST}"\n')
    for one in states:
        save_trials(path, one)
        assert trials_content(load_trials(path)) == trials_content(one)
        assert path.read_text().startswith("schema = 1  # mine\n")
