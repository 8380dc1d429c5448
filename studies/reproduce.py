"""`vinewright reproduce`: repeat a study. Each study has a command of its own, found here by its name."""

from __future__ import annotations

from importlib import import_module

import typer

app = typer.Typer(help="Repeat a study: experiments of the papers, measurements of the planner.")

STUDIES = (
    "tip_steering",
    "search_variants:table2",
    "search_variants:ompl_planners",
    "search_variants:ablations",
    "search_variants:defaults",
    "search_variants:steering",
    "search_variants:clutter",
    "reliability",
    "fewest",
    "actuators",
    "uncertainty",
    "uncertainty:uncertainty_longer",
    "uncertainty:uncertainty_ablations",
    "uncertainty:uncertainty_random",
    "paper_errors",
    "funneling",
    "impulse:impulse_runtime",
    "impulse:impulse_clutter",
    "euler_lagrange",
    "fitting",
    "kinematics",
    "geometric",
    "mapping",
    "sensing",
    "real_mapping",
    "snaps",
)
"""Folders of studies, in the order of the help; with the function of their `command.py` if its name is another."""

for study in STUDIES:
    folder, _, function = study.partition(":")
    app.command()(getattr(import_module(f"studies.{folder}.command"), function or folder))
app.command("soak", hidden=True, help="The same as reliability.")(
    import_module("studies.reliability.command").reliability
)
