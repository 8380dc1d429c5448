"""The tables of the study of fitting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.output.markdown import markdown_table
from planner.recordings.fit_report import fit_content, rows, sentences
from planner.recordings.identification import RecordingFit
from studies.fitting.cantilever import Cantilever
from studies.fitting.study import (
    FRAMES,
    MOST_DAMPING_ERROR,
    MOST_STIFFNESS_ERROR,
    NOISE,
    PAPER_WALL_MM,
    POINTS,
    RATE,
    SyntheticFit,
    split_fits,
)
from vinewright.console.study import Report

STARTS = "initial K", "initial C", "K", "error %", "C", "error %", "tip y error mm", "iterations", "s", "as required"


def report(starts: Sequence[SyntheticFit], wall: RecordingFit | None) -> Report:
    """Tables in Markdown, and their data.

    Args:
        wall: The fit of the wall experiment, if its file was given.
    """
    truth, last = Cantilever(), starts[-1].found
    model = f"{2 * truth.links}-body model of a tube of {2e3 * truth.radius:g} mm, {truth.length:g} m long, {truth.mass_per_length:g} kg/m"
    lines = [
        "Stiffness K and damping C of every joint, the growth rate and the whole motion are fitted at once (paper 000,",
        "Eq. 16).",
        "",
        "## A released cantilever, synthetic",
        "",
        f"K = {truth.stiffness:g} N m/rad, C = {truth.damping:g} N m s/rad at each joint of a {model}; {FRAMES} frames at",
        f"{RATE} Hz of {POINTS} points with {1e3 * NOISE:g} mm of noise. The true motion was integrated in minimal",
        f"coordinates with an adaptive high-order method. Required: K within {MOST_STIFFNESS_ERROR:g} %, C within",
        f"{MOST_DAMPING_ERROR:g} %, from every initial guess.",
        "",
        *markdown_table(STARTS, map(_row, starts)),
        "",
        "The tip error is the mean absolute error in y relative to the noisy points. The fit from the last initial guess:",
        "",
    ]
    lines += _found(last)
    lines += ["", "## Growth into a wall, real", "", *_wall(wall)]
    content = {
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
    return Report("Fitting the dynamic model", lines, content)


def _row(one: SyntheticFit) -> list[str]:
    stiffness, damping = one.errors()
    done, tip = one.found.convergence, 1e3 * one.found.tip_error[1]
    values = [one.found.parameter(name).value for name in ("stiffness", "damping")]
    cells = [f"{one.stiffness:g}", f"{one.damping:g}", f"{values[0]:.5f}", f"{stiffness:+.3f}", f"{values[1]:.6f}"]
    cells += [f"{damping:+.2f}", f"{tip:.2f}", f"{done.iterations}", f"{done.seconds:.1f}"]
    return [*cells, "yes" if one.kept else "NO"]


def _wall(wall: RecordingFit | None) -> list[str]:
    if not wall:
        return ["Not measured: give the published file with `--wall-growth FILE`."]
    done = wall.convergence
    status = "converged" if done.converged else f"NOT converged: {done.status}"
    return [
        "The published experiment (paper 000, section IV-B.2): 8 frames of the tip sliding along a tilted wall.",
        f"{done.iterations} iterations, {done.seconds:.1f} s; {status}. Tip x, mean absolute error: "
        f"**{1e3 * wall.tip_error[0]:.2f} mm** (paper: {PAPER_WALL_MM:g} mm).",
        "This error says little unless the data identify stiffness and damping as well:",
        "",
        *_found(wall),
    ]


def _found(one: RecordingFit) -> list[str]:
    found = markdown_table(("parameter", "value", "95 %", "identified"), rows(one.parameters))
    return [*found, "", *(f"- {sentence}" for sentence in sentences(one))]


def _measured(one: RecordingFit) -> dict[str, Any]:
    return {key: value for key, value in fit_content(one).items() if key not in ("trajectory", "versions")}


def missed_text(results: Sequence[Any]) -> str:
    """Return as text whether accuracy of the fitted values and convergence were not met; empty if both were."""
    starts, wall = split_fits(results)
    said = []
    if inaccurate := sum(not one.kept for one in starts):
        said.append(f"the stiffness or damping of {inaccurate} of {len(starts)} fits is inaccurate")
    if wall and not wall.convergence.converged:
        said.append("the fit of the wall experiment did not converge")
    return "; ".join(said)
