"""The runs that the studio shows. Their names are looked up, so that no path from a page is ever opened."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from planner.design.design import InvalidDesign
from planner.design.design_file import DESIGN, load_design
from planner.output.contents import FILES
from vinewright.studio.views import success_view

MOST_RUNS = 200
"""Maximum number of runs in the list."""


class NoRun(LookupError):
    """There is no run of this name; the one-line message says so."""


class RunFolders:
    """The folders of runs: all folders in `runs`, and the run that the studio was started with."""

    def __init__(self, root: Path, given: Path | None = None) -> None:
        self.root, self.given = root, given

    def find_plans(self) -> dict[str, Path]:
        """Return the folders of plans by their names, the newest first."""
        found = [self.given] if self.given else []
        found += self.root.iterdir() if self.root.is_dir() else []
        plans = {folder.resolve(): folder for folder in found if _is_plan(folder)}
        ordered = sorted(plans, key=lambda folder: (folder / "run.json").stat().st_mtime, reverse=True)
        return {self.name_of(folder): folder for folder in ordered}

    def name_of(self, folder: Path) -> str:
        """Return the name of a run; outside `runs` it includes the parent folder, since a plan may have the same name."""
        beside = folder.parent == self.root.resolve()
        return folder.name if beside else f"{folder.name} ({folder.parent.name or '/'})"

    def __getitem__(self, name: str) -> Path:
        """Return the folder of a run, by name.

        Raises:
            NoRun: There is no such run.
        """
        folder = self.find_plans().get(name)
        if folder is None:
            raise NoRun(f"there is no run {name[:80]!r}")
        return folder

    def list_runs(self) -> list[dict[str, Any]]:
        """Return the runs for a list, without damaged runs."""
        rows = []
        for name, folder in list(self.find_plans().items())[:MOST_RUNS]:
            try:
                design = load_design(folder / DESIGN)
                changed = datetime.fromtimestamp((folder / "run.json").stat().st_mtime, UTC)
            except (InvalidDesign, OSError):
                continue
            rows.append(
                {
                    "name": name,
                    "environment": design.environment,
                    "actuators": design.actuators,
                    "length": round(1e3 * design.built, 1),
                    "success": success_view(design.success),
                    "changed": changed.isoformat(timespec="seconds"),
                }
            )
        return rows


def _is_plan(folder: Path) -> bool:
    return not folder.name.startswith(".") and (folder / "run.json").is_file()


def zip_folder(folder: Path) -> bytes:
    """Pack the files of a run folder into a zip file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            if path.name in FILES and path.is_file() and not path.is_symlink():
                archive.write(path, f"{folder.name}/{path.name}")
    return data.getvalue()
