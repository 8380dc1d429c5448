"""Fitting the dynamic model: to a motion whose stiffness and damping are known, and to the published wall experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynamics.identification import Fit, fit
from dynamics.recording import Recording
from planner.bench import machine
from planner.fit_report import fit_content, rows, sentences
from planner.studies.cantilever import Cantilever
from planner.versions import versions

RATE, FRAMES, POINTS, NOISE, SEED = 120, 209, 21, 3e-3, 0
"""Of the synthetic recording: frames a second, frames, points of each, and their noise [m]."""
STARTS = (0.03, 1e-3), (0.3, 1e-2), (1.0, 1e-4)
"""K [N m/rad] and C [N m s/rad] that the fits of it begin with."""
MOST_STIFFNESS_ERROR, MOST_DAMPING_ERROR = 1.0, 3.0
"""What the fits must keep to [%]."""
PAPER_WALL_MM = 1.1
"""Mean absolute error of the tip's x in the paper's wall experiment [mm]."""


def oscillation() -> Recording:
    """A released cantilever as a camera sees it: K and C are those of `Cantilever`."""
    return Cantilever().recording(np.arange(FRAMES) / RATE, POINTS, NOISE, np.random.default_rng(SEED))


def small_oscillation() -> Recording:
    """The same of two links, with few frames and points, rounded to a tenth of a millimetre, as kept beside the tests."""
    times = np.round(np.arange(60) / 80, 6)
    seen = Cantilever(links=2).recording(times, 7, 1e-3, np.random.default_rng(SEED))
    return replace(seen, centerlines=tuple(np.round(line, 4) for line in seen.centerlines))


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """A fit of the synthetic recording, and what it began with."""

    stiffness: float
    """[N m/rad]"""
    damping: float
    """[N m s/rad]"""
    found: Fit

    def errors(self) -> tuple[float, float]:
        """Of stiffness and damping [%]."""
        truth = Cantilever()
        pairs = (("stiffness", truth.stiffness), ("damping", truth.damping))
        stiffness, damping = (100 * (self.found.parameter(name).value / known - 1) for name, known in pairs)
        return float(stiffness), float(damping)

    @property
    def kept(self) -> bool:
        """Whether the errors are as small as they must be."""
        stiffness, damping = np.abs(self.errors())
        return bool(
            self.found.convergence.converged and stiffness <= MOST_STIFFNESS_ERROR and damping <= MOST_DAMPING_ERROR
        )


def oscillation_fits(on_progress: Callable[[str], None]) -> list[Start]:
    """Fits from every start, the last of them with profiles.

    Raises:
        KeyboardInterrupt: Ctrl-C came: a fit that it ended early says nothing of the method.
    """
    seen = oscillation()
    starts = []
    for stiffness, damping in STARTS:
        last = (stiffness, damping) == STARTS[-1]
        found = fit(seen, start=(stiffness, damping), profiles=last, on_progress=on_progress)
        if found.interrupted:
            raise KeyboardInterrupt
        starts.append(Start(stiffness, damping, found))
    return starts


def report(starts: Sequence[Start], wall: Fit | None, command: str, took: float) -> tuple[str, dict[str, Any]]:
    """Tables for people, and the same for programs.

    Args:
        wall: The fit of the wall experiment, where its file was given.
        took: The whole study [s].
    """
    truth, last = Cantilever(), starts[-1].found
    model = f"{2 * truth.links}-body model of a tube of {2e3 * truth.radius:g} mm, {truth.length:g} m long, {truth.mass_per_length:g} kg/m"
    lines = [
        "# Fitting the dynamic model",
        "",
        f"Made by `{command}` on {machine()}, in {took:.0f} s. Stiffness K and damping C of every joint, the growth rate and the",
        "whole motion are fitted at once (paper 000, Eq. 16).",
        "",
        "## A released cantilever, synthetic",
        "",
        f"K = {truth.stiffness:g} N m/rad, C = {truth.damping:g} N m s/rad at each joint of a {model};",
        f"{FRAMES} frames at {RATE} Hz of {POINTS} points with {1e3 * NOISE:g} mm of noise. The truth was integrated in minimal",
        "coordinates with an adaptive method of high order.",
        f"Wanted: K within {MOST_STIFFNESS_ERROR:g} %, C within {MOST_DAMPING_ERROR:g} %, from every start.",
        "",
        "| start K | start C | K | error % | C | error % | tip y error mm | iterations | s | kept to |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in starts:
        stiffness, damping = one.errors()
        done, tip = one.found.convergence, 1e3 * one.found.tip_error[1]
        values = [one.found.parameter(name).value for name in ("stiffness", "damping")]
        cells = [f"{one.stiffness:g}", f"{one.damping:g}", f"{values[0]:.5f}", f"{stiffness:+.3f}", f"{values[1]:.6f}"]
        cells += [
            f"{damping:+.2f}",
            f"{tip:.2f}",
            f"{done.iterations}",
            f"{done.seconds:.1f}",
            "yes" if one.kept else "NO",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "The tip's error is that against the noisy points (mean absolute). Of the last start, with profiles:",
        "",
    ]
    lines += _found(last)
    lines += ["", "## Growth into a wall, real", ""]
    if wall:
        done = wall.convergence
        status = "converged" if done.converged else f"NOT converged: {done.status}"
        lines += [
            "The published experiment (paper 000, section IV-B.2): 8 frames of the tip sliding along a tilted wall.",
            f"{done.iterations} iterations, {done.seconds:.1f} s; {status}. Tip x, mean absolute error: "
            f"**{1e3 * wall.tip_error[0]:.2f} mm** (paper: {PAPER_WALL_MM:g} mm).",
            "That number says little unless the data identify stiffness and damping as well:",
            "",
            *_found(wall),
        ]
    else:
        lines.append("Left out: give the published file with `--wall-growth FILE`.")
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "versions": versions(),
        "seconds": round(took, 1),
        "truth": {"stiffness_n_m_per_rad": truth.stiffness, "damping_n_m_s_per_rad": truth.damping},
        "oscillation": [
            {
                "start_stiffness_n_m_per_rad": one.stiffness,
                "start_damping_n_m_s_per_rad": one.damping,
                "error_percent": dict(zip(("stiffness", "damping"), one.errors(), strict=True)),
                **_measured(one.found),
            }
            for one in starts
        ],
        "wall_growth": _measured(wall) if wall else None,
    }
    return "\n".join(lines) + "\n", content


def _found(one: Fit) -> list[str]:
    table = ["| parameter | value | 95 % | identified |", "|---|---|---|---|"]
    table += [f"| {' | '.join(row)} |" for row in rows(one.parameters)]
    return [*table, "", *(f"- {sentence}" for sentence in sentences(one))]


def _measured(one: Fit) -> dict[str, Any]:
    return {key: value for key, value in fit_content(one).items() if key not in ("trajectory", "versions")}
