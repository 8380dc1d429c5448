"""Dimensions of the narrowest passages in the figure of an environment."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from environments import Environment
from environments.passages import narrowest_passages
from planner.drawing.environment import environment_figure


@pytest.mark.parametrize("name", ["divider", "maze", "plus"])
def test_passages_are_dimensioned(name: str, shipped: dict[str, Environment]) -> None:
    """Each has its width beside it, in the drawing, apart from the other figures; arrows meet its two ends."""
    passages = narrowest_passages(shipped[name])
    figure = environment_figure(shipped[name], passages)
    FigureCanvasAgg(figure).draw()
    axes = figure.axes[0]
    figures = [text for text in axes.texts if text.get_gid() == "passage"]
    assert [text.get_text() for text in figures] == [f"{1e3 * one.width:.4g} mm" for one in passages]
    boxes, frame = [text.get_window_extent() for text in figures], axes.get_window_extent()
    for k, box in enumerate(boxes):
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1
        assert not any(box.overlaps(other) for other in boxes[:k])
        middle = axes.transData.transform(1e3 * passages[k].middle)
        assert np.hypot(*(middle - (box.min + box.max) / 2)) < 0.1 * frame.width
    heads = np.array([patch._posA_posB[1] for patch in axes.patches if hasattr(patch, "_posA_posB")])
    np.testing.assert_allclose(heads, 1e3 * np.concatenate([one.ends for one in passages]))
    assert {text.get_gid() for text in environment_figure(shipped[name]).axes[0].texts} == {"name"}
