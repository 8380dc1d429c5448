import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments import Environment, Obstacles, load_environment, write_environment


@pytest.mark.parametrize("name", ["divider", "long", "maze", "needle", "pickone", "plus", "tube"])
def test_shipped_files_are_written_as_they_are(tmp_path: Path, name: str) -> None:
    """Writing a shipped environment reproduces the shipped file exactly."""
    write_environment(load_environment(name), tmp_path / "copy.toml")
    shipped = Path(__file__).parents[2] / "environments" / f"{name}.toml"
    assert (tmp_path / "copy.toml").read_text() == shipped.read_text()


def test_written_file_is_whole_and_alone(tmp_path: Path) -> None:
    """Writing replaces the file and leaves no temporary file, even if it fails."""
    path = tmp_path / "room.toml"
    path.write_text("old")
    environment = load_environment("plus")
    write_environment(environment, path)
    assert load_environment(path).sha256 == environment.sha256
    assert os.listdir(tmp_path) == ["room.toml"]
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_environment(environment, tmp_path / "folder")
    assert sorted(os.listdir(tmp_path)) == ["folder", "room.toml"]


coordinate = st.floats(0.2, 0.8)
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n"), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(
    texts,
    texts,
    st.floats(-math.pi, math.pi),
    st.lists(st.tuples(coordinate, coordinate, st.floats(1e-3, 0.1)), max_size=3),
    st.lists(st.tuples(coordinate, coordinate, st.floats(0, 0.1)), max_size=3),
    st.lists(st.tuples(coordinate, coordinate, st.floats(1e-3, 0.1)), max_size=3),
)
def test_written_environments_load_back_equal(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    description: str,
    heading: float,
    circles: list[tuple[float, float, float]],
    walls: list[tuple[float, float, float]],
    triangles: list[tuple[float, float, float]],
) -> None:
    """A written file loads with the same sha256, texts, and numbers to a billionth of a millimetre."""
    environment = Environment(
        name=name,
        description=description,
        bounds=np.array([-1.0, -1.0, 1.0, 1.0]),
        start=np.array([-0.5, -0.5, heading]),
        goal=np.array([-0.7, 0.7, 0.1]),
        obstacles=Obstacles(
            polygons=tuple(np.array([[x, y], [x + side, y], [x, y + side]]) for x, y, side in triangles),
            circles=np.array(circles).reshape(-1, 3),
            walls=np.array([[x, y, x + 0.1, y, thickness] for x, y, thickness in walls]).reshape(-1, 5),
        ),
    )
    path = tmp_path_factory.mktemp("written") / "environment.toml"
    write_environment(environment, path)
    again = load_environment(path)
    assert (again.sha256, again.name, again.description) == (environment.sha256, name, description)
    np.testing.assert_allclose(again.start, environment.start, rtol=1e-11)
    np.testing.assert_allclose(again.obstacles.circles, environment.obstacles.circles, rtol=1e-11)
    np.testing.assert_allclose(again.obstacles.walls, environment.obstacles.walls, rtol=1e-11)
    for written, read in zip(environment.obstacles.polygons, again.obstacles.polygons, strict=True):
        np.testing.assert_allclose(read, written, rtol=1e-11)
