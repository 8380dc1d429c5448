"""Figure of the walls found in each recording over the measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from planner.drawing.style import INK, save_figure
from planner.mapping.recorded import Elements
from planner.mapping.sensed_plots import draw_found, legend
from studies.real_mapping.study import MappedRecording

DPI = 110


def save_found(path: Path, several: Sequence[MappedRecording]) -> None:
    """Draw what was found from centrelines, and below it from length and contact angle, one column for each recording.

    Intervals are drawn only in the upper row: the study resamples readings too rarely for those of the lower one.
    """
    tracked = [one for one in several if one.case.noise is None]
    estimated = [one for one in several if one.case.noise == 0 and one.case.rule == "limit-analysis"]
    rows = [some for some in (tracked, estimated) if some]
    if not rows:
        return
    columns = max(map(len, rows))
    figure = Figure(figsize=(4.4 * columns, 3.9 * len(rows) + 0.5), layout="constrained", facecolor="white")
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for row, some in zip(grid, rows, strict=True):
        for axes, one in zip(row, some, strict=False):
            axes.set_axis_on()
            draw_found(axes, one.found, Elements.of_walls(one.case.recording.walls), one.case.noise is None)
            source = "centrelines" if one.case.noise is None else "length and angle"
            last = one.stages[-1]
            title = f"{one.case.recording.name}, {source}: precision {last.precision:.2f}, recall {last.recall:.2f}"
            axes.set_title(title, size=8.5, color=INK, loc="left")
            axes.set_xlabel("x [mm]", size=8, color=INK)
            axes.set_ylabel("y [mm]", size=8, color=INK)
    figure.legend(
        handles=legend(True), loc="outside lower center", ncols=6, fontsize=8.5, frameon=False, labelcolor=INK
    )
    save_figure(path, figure, DPI)
