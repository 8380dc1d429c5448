"""Tables of the geometric simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import Status
from planner.output.markdown import markdown_table
from studies.geometric.study import COMPARED, GROWN, OBSTACLES, ActionTiming, VinePair
from vinewright.console.study import Report

COLUMNS = (
    "vines",
    "number",
    "same status %",
    "stuck in geometric only %",
    "apart, median mm",
    "within 10 mm %",
    "within a tube radius %",
)


def report(timings: Sequence[ActionTiming], pairs: Sequence[VinePair]) -> Report:
    """Tables in Markdown, and their data."""
    actions = sum(timings[0].statuses)
    outlines, deployed = (np.array([getattr(one, name) for one in timings]) for name in ("outlines_ms", "actions_ms"))
    ended = np.sum([one.statuses for one in timings], axis=0)
    looked_for, on_graph = sum(one.looked_for for one in timings), sum(one.on_graph for one in timings)
    lines = [
        f"In each of {len(timings)} random environments of 1 m by 1 m with {OBSTACLES} polygons, the {actions} turning",
        f"actions of paper 003 were deployed one after another on one thread. Excluding compilation, this takes "
        f"{deployed.mean():.0f} ms ({deployed.min():.0f} to {deployed.max():.0f}), "
        f"{1e3 * deployed.mean() / actions:.0f} microseconds a deployment;",
        f"computing the outlines of the obstacles, once for each environment, takes {outlines.mean():.1f} ms. "
        + ", ".join(f"{count} {Status(k).name.lower().replace('_', ' ')}" for k, count in enumerate(ended) if count)
        + ".",
        f"Of {looked_for} shapes, {on_graph} lie on the visibility graph of the environment. Its nodes are the corners of",
        "the inflated obstacles, the base, the requested turn and the tip, so every other bend must be at a corner.",
        f"Of all shapes, {sum(one.crossing for one in timings)} cross an obstacle, and "
        f"{sum(one.wrong_length for one in timings)} do not have the length that they grew.",
        "",
        "![Some deployments](geometric.png)",
        "",
        "## Comparison with `quasistatic`",
        "",
        f"Vines of {1e3 * GROWN:g} mm length in {COMPARED} environments of random clutter; only those that met an obstacle",
        "count. `geometric` is used without friction, because `quasistatic` has none. *Apart* is the distance of the tips",
        "at the greatest length that both reached.",
        "",
        *markdown_table(COLUMNS, [_row(kind, pairs) for kind in ("passive", "steered")]),
        "",
        "*Stuck in geometric only*: if the tip meets a wall nearly head-on (beyond the critical angle), or if two walls",
        "push the tip towards each other, the tube in `geometric` buckles and ends there (paper 003: stuck). In",
        "`quasistatic`, where the moment rises with the bend, the tube buckles and keeps growing.",
    ]
    content = {"timings": [asdict(one) for one in timings], "pairs": [asdict(pair) for pair in pairs]}
    return Report("Deployments by the geometric propagator", lines, content)


def _row(kind: str, pairs: Sequence[VinePair]) -> list[str]:
    """Table row of the passive or the steered vines that met a wall and have a common record."""
    own = [pair for pair in pairs if pair.steered == (kind == "steered") and pair.touched and not np.isnan(pair.apart)]
    if not own:
        return [kind, "0", *["-"] * 5]
    apart = np.array([pair.apart for pair in own])
    shares = [
        100 * np.mean([pair.statuses[0] == pair.statuses[1] for pair in own]),
        100 * np.mean([pair.statuses[0] == Status.STALLED != pair.statuses[1] for pair in own]),
        1e3 * np.median(apart),
        100 * np.mean(apart < 0.01),
        100 * np.mean(apart < VineParams().radius),
    ]
    return [kind, str(len(own)), *(f"{share:.1f}" for share in shares)]
