"""Files that come with the program, and those of users: the same rules for tubes and for robots."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dynamics.euler_lagrange.robot_file import InvalidRobot, known_robots, load_robot
from dynamics.shipped import MOST_BYTES
from dynamics.tube import InvalidTube
from dynamics.tube_file import known_tubes, load_tube

Load = Callable[[str | Path], object]


@pytest.mark.parametrize(
    ("load", "known", "invalid"), [(load_tube, known_tubes, InvalidTube), (load_robot, known_robots, InvalidRobot)]
)
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"schema = ", "is not TOML: "),
        (b"# caf\xe9", "is not UTF-8 text: byte 5 is 0xe9"),
        (b"x = " + b"[" * 50_000, "is nested too deeply"),
        (b".".join(b"abcdefghijkl"[k : k + 1] for k in range(12)) + b" = 1", "is nested too deeply"),
        (b"#" * (MOST_BYTES + 1), "is larger than the allowed 0.1 MB"),
        (None, "cannot be read: "),
    ],
    ids=["prose", "latin1", "brackets", "dots", "large", "folder"],
)
def test_a_file_that_is_none_is_one_line(
    tmp_path: Path,
    load: Load,
    known: Callable[[], list[str]],
    invalid: type[ValueError],
    data: bytes | None,
    reason: str,
) -> None:
    """It begins with the name of the file; a shipped one of the same name is found by name, the file by its path."""
    path = tmp_path / f"{known()[0]}.toml"
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    with pytest.raises(invalid) as error:
        load(path)
    assert str(error.value).startswith(f"{path.name}: {reason}")
    assert "\n" not in str(error.value)
    load(known()[0])
