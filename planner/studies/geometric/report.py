"""The table of the geometric simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import Status
from planner.provenance import machine, versions
from planner.studies.geometric.study import COMPARED, GROWN, OBSTACLES, Pair, Timing


def report(timings: Sequence[Timing], pairs: Sequence[Pair], command: str) -> tuple[str, dict[str, Any]]:
    """Tables as Markdown, and what they are made of."""
    actions = sum(timings[0].statuses)
    outlines, deployed = (np.array([getattr(one, name) for one in timings]) for name in ("outlines_ms", "actions_ms"))
    ended = np.sum([one.statuses for one in timings], axis=0)
    looked_for, on_graph = sum(one.looked_for for one in timings), sum(one.on_graph for one in timings)
    lines = [
        "# Deployments by geometry",
        "",
        f"Made by `{command}` on {machine()}; compiling apart. `geometric.png`: some deployments.",
        "",
        f"{len(timings)} random places of 1 m by 1 m with {OBSTACLES} polygons, the {actions} turning actions of paper 003 in each, one",
        f"after the other on one thread: {deployed.mean():.0f} ms ({deployed.min():.0f} to {deployed.max():.0f}), "
        f"{1e3 * deployed.mean() / actions:.0f} microseconds a deployment; the outlines before that, once a",
        f"place, {outlines.mean():.1f} ms. "
        + ", ".join(f"{count} {Status(k).name.lower().replace('_', ' ')}" for k, count in enumerate(ended) if count)
        + ".",
        f"Of {looked_for} shapes, {on_graph} lie on the visibility graph. Of all, {sum(one.crossing for one in timings)} "
        f"cross an obstacle, and {sum(one.wrong_length for one in timings)} are not as long as they say.",
        "",
        "## Against quasistatic",
        "",
        f"Vines of {1e3 * GROWN:g} mm in {COMPARED} places of random clutter, those that met a wall; geometry without friction, as",
        "quasistatic has none. Apart: the tips, at the greatest length that both reached.",
        "",
        "| vines | number | ended alike % | stuck by geometry alone % | apart, median mm | within 10 mm % | within a tube radius % |",
        "|---|---|---|---|---|---|---|",
    ]
    radius = VineParams().radius
    for kind in ("passive", "steered"):
        own = [
            pair for pair in pairs if pair.steered == (kind == "steered") and pair.touched and not np.isnan(pair.apart)
        ]
        apart = np.array([pair.apart for pair in own])
        alike = np.mean([pair.statuses[0] == pair.statuses[1] for pair in own])
        stuck = np.mean([pair.statuses[0] == Status.STALLED != pair.statuses[1] for pair in own])
        shares = [
            100 * alike,
            100 * stuck,
            1e3 * np.median(apart),
            100 * np.mean(apart < 0.01),
            100 * np.mean(apart < radius),
        ]
        lines.append(f"| {kind} | {len(own)} | {' | '.join(f'{share:.1f}' for share in shares)} |")
    lines += [
        "",
        "Stuck by geometry alone: within the critical angle, and where two walls push the tip into each other, it says that the tube",
        "buckles and ends there (paper 003: stuck). Quasistatic's tube, whose moment rises with the bend, buckles and grows on.",
    ]
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "versions": versions(),
        "timings": [asdict(one) for one in timings],
        "pairs": [asdict(pair) for pair in pairs],
    }
    return "\n".join(lines) + "\n", content
