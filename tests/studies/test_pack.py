"""The study of packs: built from their files alone."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.seams import check_seams
from planner.fabrication.guide.paper import Page
from studies.pack.designs import EXAMPLES, design_of
from studies.pack.plots import BEHIND, GAP, SMALL, arrange, save_checklist, save_guide, save_image, save_pattern
from studies.pack.report import report
from studies.pack.study import Comparison, PackCase, PackRecord, make_cases, make_pack, missed, run_case, try_built
from tests.command_line import vinewright
from vinewright.console.errors import remedy

SAME = Comparison(
    alike=True, cell=0.0, seam=2e-8, place=3e-5, pressure=0.0, curvature=0.0, tip=4e-4, turn=0.0, in_goal=True
)
GOOD = PackRecord(PackCase("pouch", 200), ("pouch",), 2, "", SAME, (0.9, 0.85, 0.94), 181, 176)


def test_the_examples_are_of_all_types() -> None:
    """20 designs: every type alone and together, preformed, steered, stopped, in contact; no two have the same sections."""
    cases = make_cases(50)
    assert [case.name for case in cases] == list(EXAMPLES)
    assert len(cases) == 20
    designs = [design_of(example) for example in EXAMPLES.values()]
    assert len({(design.sections, str(design.params), design.stop) for design in designs}) == 20
    kinds = [{one.params.actuators[s.kind].kind for s in one.sections if s.actuated} for one in designs]
    for kind in ("spam", "pouch", "cpam", "fpam"):
        assert {kind} in kinds
    assert max(map(len, kinds)) == 4
    assert sum(design.schedule is not None for design in designs) == 2
    assert sum(example.touches for example in EXAMPLES.values()) == 5
    for example, design in zip(EXAMPLES.values(), designs, strict=True):
        check_seams(Build(design), example.seam)


@pytest.mark.usefixtures("small_pictures")
def test_a_pack_is_measured() -> None:
    """One pack with few trials: it is built as it is, and what is promised is measured again."""
    found = run_case(PackCase("no actuators", 40))
    assert (found.types, found.actuators, found.failure) == ((), 0, "")
    assert found.comparison is not None
    assert found.comparison.same
    assert found.promised is not None
    assert found.promised[0] == pytest.approx(found.reached / 40, abs=0.01)
    assert found.holds
    assert found.content()["holds"] is True


def test_trials_are_those_of_the_pack_and_others() -> None:
    """The first trials are those in which the pack was tried, and the others come after them."""
    pack = make_pack(EXAMPLES["mixed"], 60)
    design, success = pack.grown.design, pack.grown.design.success
    assert success is not None
    assert success.reached < 60
    same, other, both = (
        try_built(design, pack.environment, success.errors, count, after).reached
        for count, after in ((60, 0), (60, 60), (120, 0))
    )
    assert same == success.reached
    assert same + other == both


def test_the_report_says_what_does_not_hold() -> None:
    """A pack that holds, others whose lengths, tip, sides or success differ, and one that could not be built."""
    others = {
        "cell": replace(GOOD, comparison=replace(SAME, cell=2e-4)),
        "tip": replace(GOOD, comparison=replace(SAME, tip=2e-3)),
        "side": replace(GOOD, comparison=replace(SAME, alike=False)),
        "goal": replace(GOOD, comparison=replace(SAME, in_goal=False)),
        "promise": replace(GOOD, reached=160),
        "others": replace(GOOD, reached_elsewhere=100),
        "none": replace(GOOD, comparison=None, promised=None, reached=0, failure="not so: the seams"),
    }
    wrong = [replace(one, case=PackCase(name, 200)) for name, one in others.items()]
    made = report([GOOD, *wrong])
    assert "**1 of 8** designs" in made.text
    row = "| pouch | pouch | 2 | < 1e-06 | 2e-05 | 0.03 | 0.4 | 90 (85 ... 94) | 90.5 (85.6 ... 93.8) | yes | 88.0 (82.8 ... 91.8) | yes |"
    assert row in made.text
    assert "| promise |" in made.text
    assert "80.0 (73.9 ... 85.0) | **no** |" in made.text
    assert "50.0 (43.1 ... 56.9) | **no** |" in made.text
    assert "* none was not built: not so: the seams" in made.text
    assert all(f"* {name} was built as another design." in made.text for name in ("cell", "tip", "side", "goal"))
    assert [one["holds"] for one in made.content["packs"]] == [True] + [False] * 7
    assert missed([GOOD]) == ""
    assert missed([GOOD, *wrong]).endswith(", ".join(others))


def test_pages_are_arranged_in_rows(tmp_path: Path) -> None:
    """Three pages in two columns: each is where it belongs, at its size, and the picture is one of few colours."""
    pages = [Page(210.0, 297.0) for _ in range(3)]
    for page, colour in zip(pages, ("red", "lime", "blue"), strict=True):
        page.figure.set_facecolor(colour)
    save_image(tmp_path / "pages.png", arrange(pages, 2))
    image = Image.open(tmp_path / "pages.png").convert("RGB")
    wide, high = round(210 / 25.4 * SMALL), round(297 / 25.4 * SMALL)
    assert np.abs(np.subtract(image.size, (2 * wide + 3 * GAP, 2 * high + 3 * GAP))).max() <= 2
    near, far_x, far_y = GAP + 5, 2 * GAP + wide + 5, 2 * GAP + high + 5
    assert image.getpixel((near, near)) == (255, 0, 0)
    assert image.getpixel((far_x, near)) == (0, 255, 0)
    assert image.getpixel((near, far_y)) == (0, 0, 255)
    assert image.getpixel((far_x, far_y)) == (BEHIND,) * 3


def test_a_missing_reader_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without pypdf: exit code 2 and the pip command, before anything is grown."""
    monkeypatch.setitem(sys.modules, "pypdf", None)
    monkeypatch.chdir(tmp_path)
    assert vinewright(monkeypatch, "reproduce", "pack") == 2
    assert capsys.readouterr().err == f"error: this needs pypdf, which the extra test has: {remedy('test')}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_pages_of_a_pack_are_drawn(tmp_path: Path) -> None:
    """Every picture that the report shows is drawn, and is small enough to store."""
    records = [replace(GOOD, case=PackCase("pouch", 20), reached=18, reached_elsewhere=17)]
    save_checklist(tmp_path / "checklist.png", records)
    for half in (0, 1):
        save_guide(tmp_path / f"guide-{half + 1}.png", records, half)
    save_pattern(tmp_path / "pattern.png", records)
    shown = report(records).text
    for path in tmp_path.iterdir():
        assert f"({path.name})" in shown
        assert 10_000 < path.stat().st_size < 400_000
    with Image.open(tmp_path / "checklist.png") as image:
        assert image.size[0] < image.size[1]
