"""`vinewright bench`: speed of the propagators, and success of planning."""

from __future__ import annotations

import typer

from studies.gpu.command import gpu
from studies.planning.command import bench_plan
from studies.rollouts.command import rollouts

app = typer.Typer(help="Measure the speed of the propagators, or planning in all environments.")
app.command()(rollouts)
app.command("plan")(bench_plan)
app.command()(gpu)
