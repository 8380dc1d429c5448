"""The runs that the studio shows. Their names are looked up, so that no path from a page is ever opened."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from planner.design.design import InvalidDesign
from planner.design.design_file import DESIGN, load_design
from planner.output.claim import UnwritableFolder, lock
from planner.output.contents import FILES, foreign_files, is_unfinished, names_in
from planner.output.removal import remove_folder
from vinewright.studio.document import KINDS, parse_content
from vinewright.studio.views import line_of, success_view

MOST_RUNS = 200
"""Maximum number of runs in the list."""
MOST_DRAWN = 1000
"""Maximum number of obstacles in a small picture; one with more has none."""
_NAME = re.compile(r"[^\W_][\w .-]{0,78}[\w-]|[^\W_]")


class NoRun(LookupError):
    """There is no run of this name; the one-line message says so."""


class UnusableName(ValueError):
    """A run cannot have this name; the one-line message says why."""


class ForeignRun(RuntimeError):
    """The folder is not one that the studio changes; the one-line message says why."""


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

    def rename(self, name: str, new: str) -> str:
        """Rename a run, and return its new name.

        Raises:
            ForeignRun: It is not in the folder of all runs.
            NoRun: There is no such run.
            UnusableName: The new name has other characters than a folder should have, or is taken.
            UnwritableFolder: It is being written.
        """
        folder = self._own(name)
        if not _NAME.fullmatch(new):
            raise UnusableName(
                "a name has letters, digits, spaces and . _ - only, begins with a letter or digit, and has 80 at most"
            )
        target = folder.with_name(new)
        if new == folder.name:
            return name
        with lock(folder), lock(target):
            if target.exists():
                raise UnusableName(f"there is a {new} already")
            folder.rename(target)
        if self.given and self.given.resolve() == folder:
            self.given = target
        return self.name_of(target)

    def remove(self, name: str) -> None:
        """Remove the folder of a run.

        Raises:
            ForeignRun: It is not in the folder of all runs, or has other files than those of a run.
            NoRun: There is no such run.
            UnwritableFolder: It is being written.
        """
        folder = self._own(name)
        with lock(folder):
            if others := foreign_files(folder):
                raise ForeignRun(
                    f"{name} contains {others[0]}, which is not part of a run: remove the folder by other means"
                )
            remove_folder(folder)
        if self.given and self.given.resolve() == folder:
            self.given = None

    def _own(self, name: str) -> Path:
        """Return the folder of a run in the folder of all runs."""
        folder = self[name]
        if folder.parent != self.root.resolve():
            raise ForeignRun(f"{name} is not in the folder {self.root.name}: rename or remove it by other means")
        return folder

    def list_unfinished(self) -> list[str]:
        """Return the names of folders whose plan ended without a design, as by a kill: `vinewright plan --resume` goes on with them."""
        found = []
        for folder in sorted(self.root.iterdir()) if self.root.is_dir() else ():
            with suppress(UnwritableFolder):
                if folder.is_dir() and is_unfinished(names_in(folder)):
                    with lock(folder):  # not while it is planned in
                        found.append(folder.name)
        return found

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


def small_picture(folder: Path) -> dict[str, Any]:
    """Return the environment of a run, and the centreline and the radius of its design to make [mm], for a small picture.

    Raises:
        InvalidDesign: The design is damaged.
        InvalidEnvironment: The environment is damaged.
    """
    design = load_design(folder / DESIGN)
    content = parse_content((folder / "environment.toml").read_bytes().decode())
    obstacles = content["obstacles"]
    if sum(len(obstacles[kind]) for kind in KINDS) > MOST_DRAWN:
        for kind in KINDS:
            obstacles[kind] = []
    return {"content": content, "line": line_of(design.centerline), "radius": round(1e3 * design.params.radius, 4)}


def zip_folder(folder: Path) -> bytes:
    """Pack the files of a run folder into a zip file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            if path.name in FILES and path.is_file() and not path.is_symlink():
                archive.write(path, f"{folder.name}/{path.name}")
    return data.getvalue()
