"""`vinewright reproduce geometric`."""

from __future__ import annotations

from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    measure_study,
    study_command,
)


@study_command
def geometric(out: FolderOption = None, force: ForceOption = False) -> int:
    """Time deployments of the geometric propagator, check them against the visibility graph, and compare with quasistatic."""
    with readable_errors():
        import networkx  # noqa: F401

        from studies.geometric.plots import save_deployments
        from studies.geometric.report import report
        from studies.geometric.study import cases, run_cases, split_items

        study = Study(
            "geometric",
            cases(),
            run_cases,
            lambda found: report(*split_items(found)),
            {"geometric.png": lambda path, _found: save_deployments(path)},
            "environments",
            chained=True,
            enough=lambda found: all(split_items(found)),
            least="an environment was timed and another compared",
            module=__name__,
        )
        return measure_study(study, "vinewright reproduce geometric", out, force)
