"""`vinewright bench sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    command_line,
    measure_study,
)

if TYPE_CHECKING:
    from vinewright.sweeps.manifest import Manifest


def sweep_engine(out: FolderOption = None, force: ForceOption = False) -> int:
    """Measure the cluster of sweeps: same bytes, overhead, efficiency, 10 000 shards. Ctrl-C keeps the measurements done."""
    with readable_errors():
        from studies.sweep_engine.report import missed, report
        from studies.sweep_engine.study import cases, manifest, measure

        made: list[Manifest] = []
        study = Study(
            "sweep_engine-engine",
            cases(),
            lambda several: measure(several, made[0]),
            report,
            unit="measurements",
            prepare=lambda: made.append(manifest()),
        )
        return measure_study(study, command_line("bench sweep_engine"), out, force, missed)
