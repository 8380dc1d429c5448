"""`vinewright plan --full-tree`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from planner.drawing.style import SEARCHED

Vinewright = Callable[..., tuple[int, str, str]]


@pytest.mark.slow
def test_the_full_tree_is_drawn_where_it_is_asked_for(
    vinewright: Vinewright, small_environment: Callable[[str], str], tmp_path: Path
) -> None:
    """Also of a finished run: resumed without further iterations, it is drawn again with the same design."""
    (tmp_path / "room.toml").write_text(small_environment("[[280, 100, 330, 300]]"))

    def drawn() -> int:
        pixels = np.asarray(Image.open(tmp_path / "run" / "plan.png").convert("RGB")).astype(int)
        return int((np.abs(pixels - np.round(255 * np.array(to_rgb(SEARCHED)))).max(axis=-1) < 6).sum())

    code, _, errors = vinewright("plan", "room.toml", "--fast", "--iterations", 24, "--seed", 2, "--out", "run")
    assert code == 0, errors
    few, design = drawn(), (tmp_path / "run" / "design.json").read_bytes()
    code, printed, errors = vinewright("plan", "--resume", "run", "--iterations", 24, "--full-tree")
    assert code == 0, errors
    assert "24 iterations" in printed
    assert drawn() > 1.2 * few
    assert (tmp_path / "run" / "design.json").read_bytes() == design
