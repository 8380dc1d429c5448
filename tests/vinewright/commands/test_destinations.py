"""Where results cannot be written: refused before anything is computed, in one line; a link stands for what it leads to."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from planner.search.sst import Search
from tests.full_disk import largest_file
from tests.vinewright.commands.written import snapshot
from tests.vinewright.sweeps.folders import made_in, study, toml

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
DATA = Path(__file__).parents[2] / "data"
PLAN = "plan", "small.toml", "--fast", "--iterations", 2, "--batch", 20
FOLDERS = [
    PLAN,
    ("plan", "small.toml", "other.toml", "--same-design", "--iterations", 2),
    ("plan", "--resume", "made"),
    ("demo",),
    ("simulate", "small.toml", "made"),
    ("export", "made", "--allow-limit", "--formats", "csv"),
    ("robustness", "small.toml", "made", "--trials", 2),
    ("map", "small.toml", "--deployments", 1),
    ("fit", DATA / "oscillation.json"),
    ("sweep", "make", "study.toml"),
    ("reproduce", "kinematics"),
    ("surrogate", "train"),
]
"""Commands that write a folder, `--out`."""
FILES = [
    ("environments", "new"),
    ("environments", "export", "small.toml"),
    ("environments", "import", DATA / "import" / "minimal.dxf", "--unit", "mm", "--out"),
    ("environments", "show", "small.toml", "--picture"),
    ("tube", "new"),
    ("show", "made", "--picture"),
    ("simulate", "small.toml", "made", "--animate"),
    ("sweep", "collect", "sweep"),
    ("track", "film.mp4", "--scale", 1, "--color", "#d04030", "--out"),
]
"""Commands that write a file, which is their last argument."""
ENDINGS = {"export": ".yaml", "--picture": ".png", "--animate": ".gif", "collect": ".csv", "track": ".json"}


@pytest.fixture
def place(small: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the commands read, in which a search and a vine would be a fault."""

    def fail(*_: object) -> None:
        raise AssertionError("something was computed")

    monkeypatch.setattr(Search, "iterate", fail)
    (small / "study.toml").write_text(toml(study()))
    shutil.copy(small / "small.toml", small / "other.toml")
    (small / "loop").symlink_to("loop")
    return small


def write_film(path: Path) -> None:
    """A film of three black frames."""
    cv2 = pytest.importorskip("cv2")
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 10, (64, 48))
    for _ in range(3):
        film.write(np.zeros((48, 64, 3), np.uint8))
    film.release()


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("/proc/nope", "no file can be made in /proc"),
        ("/proc/self/x", "no file can be made in /proc/"),
        ("/dev/null/x", "/dev/null is not a folder"),
        ("loop", "it is a symbolic link that leads to itself"),
        ("", "--out is empty"),
    ],
)
@pytest.mark.parametrize("arguments", FOLDERS, ids=lambda words: " ".join(map(str, words[:2])))
def test_a_folder_that_cannot_be_written(
    vinewright: Vinewright, place: Path, arguments: tuple[object, ...], out: str, reason: str
) -> None:
    """Exit code 2 and one line, and the folder is as it was."""
    within = arguments[0] in ("robustness", "reproduce") and out
    before = snapshot(place)
    code, _, errors = vinewright(*arguments, "--out", out)
    assert (code, errors.count("\n")) == (2, 1), errors
    assert ("cannot be written: " if within else reason) in errors
    assert snapshot(place) == before
    assert not list(place.glob(".*"))


@pytest.mark.parametrize("out", ["/proc/nope", "/dev/null/x", "loop"])
@pytest.mark.parametrize("arguments", FILES, ids=lambda words: " ".join(map(str, words[:2])))
def test_a_file_that_cannot_be_written(
    vinewright: Vinewright, place: Path, arguments: tuple[object, ...], out: str
) -> None:
    """Exit code 2 and one line."""
    ending = next((ending for word, ending in ENDINGS.items() if word in arguments), ".toml")
    (place / f"loop{ending}").symlink_to(f"loop{ending}")
    if arguments[0] == "sweep":
        made_in(place, study())
    if arguments[0] == "track":
        write_film(place / "film.mp4")
    before = snapshot(place)
    code, _, errors = vinewright(*arguments, f"{out}{ending}")
    assert (code, errors.count("\n")) == (2, 1), errors
    assert "cannot be written: " in errors
    assert snapshot(place) == before


def test_a_link_leads_to_the_folder_that_is_written(vinewright: Vinewright, small: Path) -> None:
    """Dangling, it makes the folder; with --force the folder behind it is replaced as a whole, and the link stays."""
    (small / "link").symlink_to("elsewhere/run")
    assert vinewright(*PLAN, "--out", "link")[0] == 0
    first = snapshot(small / "elsewhere")
    assert {"run/design.json", "run/run.json"} <= set(first)
    code, _, errors = vinewright(*PLAN, "--out", "link")
    assert (code, "link contains a plan; give another --out, or --force" in errors) == (2, True)
    with largest_file(1200):
        assert vinewright(*PLAN, "--out", "link", "--force")[0] == 4
    assert snapshot(small / "elsewhere") == first
    assert vinewright(*PLAN, "--seed", 1, "--out", "link", "--force")[0] == 0
    second = snapshot(small / "elsewhere")
    assert second.keys() == first.keys()
    assert second["run/run.json"] != first["run/run.json"]
    assert vinewright("plan", "--resume", "link", "--iterations", 3)[0] == 0
    assert vinewright("export", "link", "--out", "link", "--force", "--formats", "csv")[0] == 2
    assert os.readlink(small / "link") == "elsewhere/run"
    assert sorted(os.listdir(small)) == ["elsewhere", "link", "made", "small.toml"]
    assert os.listdir(small / "elsewhere") == ["run"]


def test_a_link_leads_to_the_file_that_is_written(vinewright: Vinewright, small: Path) -> None:
    """Also a dangling one; a device is not replaced."""
    (small / "link.toml").symlink_to("mine.toml")
    assert vinewright("tube", "new", "link.toml")[0] == 0
    assert (small / "link.toml").is_symlink()
    text = (small / "mine.toml").read_text()
    (small / "mine.toml").write_text("mine")
    assert vinewright("tube", "new", "link.toml")[0] == 2
    assert (small / "mine.toml").read_text() == "mine"
    assert vinewright("tube", "new", "link.toml", "--force")[0] == 0
    assert ((small / "mine.toml").read_text(), (small / "link.toml").is_symlink()) == (text, True)
    os.mkfifo(small / "pipe.toml")
    code, _, errors = vinewright("tube", "new", "pipe.toml", "--force")
    assert (code, "pipe.toml is a device or a pipe, which is not replaced" in errors) == (2, True)


def test_what_is_read_through_a_link_is_not_replaced(vinewright: Vinewright, small: Path) -> None:
    """A link to the environment lies elsewhere than the folder that would be replaced."""
    (small / "room.toml").symlink_to("made/environment.toml")
    before = snapshot(small)
    code, _, errors = vinewright("plan", "room.toml", "--out", "made", "--force")
    assert (code, "made contains the environment that is read" in errors) == (2, True)
    assert snapshot(small) == before


def test_a_limit_on_the_size_of_files_is_named(vinewright: Vinewright, small: Path) -> None:
    """Elsewhere it would hold as well."""
    with largest_file(400):
        code, _, errors = vinewright("tube", "new", "mine.toml")
    assert code == 4
    assert errors.endswith("cannot be written: File too large; raise the limit on the size of files: `ulimit -f`\n")
    assert not (small / "mine.toml").exists()
