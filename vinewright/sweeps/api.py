"""`vinewright.sweep`: a sweep from Python."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from planner.output.claim import claim, lock
from planner.output.contents import SWEEP
from planner.output.folder import write_folder
from vinewright.cluster.cluster import connect
from vinewright.sweeps.case import Row
from vinewright.sweeps.errors import InvalidManifest
from vinewright.sweeps.execution import run_sweep
from vinewright.sweeps.folder import SweepFolder
from vinewright.sweeps.make import load_grid, make_manifest, time_sample
from vinewright.sweeps.manifest import read_manifest


def sweep(
    study: str | Path | Mapping[str, Any],
    folder: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
) -> list[Row]:
    """Compute every case of a study on a Dask cluster, and return the rows of its table.

    The folder keeps every result: an interrupted sweep resumes where it stopped. A script that calls this needs
    `if __name__ == "__main__":`, because the workers of this machine import it.

    Args:
        study: The file of a study, or its content as a dictionary.
        folder: Folder of the manifest and the results; made if it does not exist.
        workers: Number of processes on this machine; None for one per core.
        scheduler: Address of a Dask scheduler to use instead, for example "tcp://10.0.0.5:8786".
    Returns:
        One dictionary for each case that is done, in order, as in the files of `vinewright sweep collect`; for example, a
        `pandas.DataFrame` can be made of them.
    Raises:
        InvalidStudy: The study cannot be used.
        InvalidManifest: The folder contains the sweep of another study or version.
        NoScheduler: No scheduler answers at the address.
        UnwritableFolder: The folder cannot be written.

    >>> import tempfile
    >>> import vinewright as vw
    >>> study = {
    ...     "schema": 1,
    ...     "environments": {"files": ["divider"]},
    ...     "plan": {"fast": True, "iterations": 8, "seed": [0, 1]},
    ... }
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     rows = vw.sweep(study, f"{parent}/sweep", workers=1)
    >>> [(row["seed"], row["outcome"]) for row in rows]
    [(0, 'design'), (1, 'design')]
    """
    from surrogate.kernels.compiled import thread_count

    path = Path(folder)
    name, checked, grid = load_grid(study)
    if not (path / SWEEP).exists():
        with claim(path, path) as out:
            write_folder(out, make_manifest(name, checked, grid, float(np.mean([*time_sample(grid)]))).write)
    manifest = read_manifest(path)
    if manifest.grid.cases != grid.cases:
        raise InvalidManifest(f"{path} contains the sweep of another study; give another folder")
    results = SweepFolder(path, manifest)
    if results.state().missing:
        with (
            lock(path),
            connect(workers or thread_count(), scheduler) as cluster,
            closing(run_sweep(results, cluster)) as steps,
        ):
            for _ in steps:
                pass
    return results.table()[0]
