"""`vinewright bench gpu`."""

from __future__ import annotations

from studies.earlier import read_earlier
from vinewright.console.errors import BadInput, missing, readable_errors, remedy
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    command_line,
    measure_study,
)


def gpu(out: FolderOption = None, force: ForceOption = False) -> int:
    """Measure exact contact on a CUDA device against the CPU; without a device, what can be known of it. Ctrl-C keeps what was measured.

    Needs the extra cuda, also without a device. Tables of an earlier report in --out that this machine cannot make are kept.
    """
    if lacking := missing("cuda"):  # before minutes of measurements that do not need it
        raise BadInput(f"this needs {', '.join(lacking)}: {remedy('cuda')}")
    with readable_errors():
        from studies.gpu.report import report
        from studies.gpu.study import EarlierMeasurements, cases, measure

        earlier = read_earlier(out, "gpu", EarlierMeasurements.of)
        study = Study(
            "gpu", cases(), measure, lambda found: report(found, earlier), unit="measurements", module=__name__
        )
        return measure_study(study, command_line("bench gpu"), out, force)
