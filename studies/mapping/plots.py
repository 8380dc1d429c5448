"""Figures of the mapping study: scores over deployments, by kind of environment and of tubes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from planner.drawing.style import INK, save_figure
from planner.mapping.plots import DPI, draw_curve, dress_scores, map_figure
from planner.mapping.policies import explore, random_scores
from studies.mapping.report import NAMES, of_kind, random_band
from studies.mapping.study import ACTIONS, DEPLOYMENTS, KINDS, REPEATS, MappingRecord, make_task


def save_curves(path: Path, records: Sequence[MappingRecord]) -> None:
    """Draw mean scores of the policies over deployments, with bands of one standard deviation to either side.

    The band of Random is the deviation within an environment, that of Monte-Carlo the deviation over the environments.
    """
    figure = Figure(figsize=(9.2, 7.0), layout="constrained", facecolor="white")
    panels = figure.subplots(2, 2, sharey=True)
    for row, kind in zip(panels, KINDS, strict=True):
        for axes, actions in zip(row, ACTIONS, strict=True):
            for policy, name in NAMES.items():
                scores = of_kind(records, kind, actions, policy)
                mean, spread = scores.mean(axis=0), scores.std(axis=0, ddof=1)
                if policy == "random":
                    mean, spread = random_band(records, kind, actions)
                shaded = policy in ("random", "monte-carlo")
                draw_curve(axes, policy, mean, spread if shaded else None, label=name)
            dress_scores(axes, f"{kind} obstacles, {actions} tubes")
    highest = max(record.scores.max() for record in records if record.case.policy == "ideal")
    panels[0, 0].set_ylim(0, 1.04 * highest)
    panels[0, 0].legend(fontsize=8.5, frameon=False, loc="upper left", labelcolor=INK)
    save_figure(path, figure, DPI)


def save_example(path: Path) -> None:
    """Draw the first non-uniform environment, mapped by tubes with a turn."""
    task, rng = make_task("non-uniform", 0, "turning"), np.random.default_rng(0)
    steps, ideal = (list(explore(task, policy, DEPLOYMENTS, rng)) for policy in ("monte-carlo", "ideal"))
    random = random_scores(task, DEPLOYMENTS, REPEATS, rng)
    figure = map_figure(task, "monte-carlo", steps, np.array([step.score for step in ideal]), random)
    save_figure(path, figure, DPI)
