"""Files that commands write into folders, and recognition of existing folders by these files.

Only a folder that contains nothing else is ever replaced. A command that writes a new file must list it here.
"""

from __future__ import annotations

import re
from collections.abc import Set
from pathlib import Path

CHECKPOINT = "checkpoint.npz"
"""File name of the checkpoint in a run folder: of its first search."""
FRICTION = tuple(f"friction-{number}.npz" for number in (1, 2, 3, 4))
"""File names of the checkpoints of its searches with friction."""
REFINEMENT = "refinement.npz"
"""File name of what refinement and trials have found."""
SAME = "same-design.json"
"""File in the folder of a plan for several environments, which has a folder with a run for each of them."""
ADAPTED = "adapted.json"
"""File name of the proposals by which a built design was adapted."""
SWEEP = "sweep.json"
"""File name of the manifest of a sweep."""
SWEEP_PARTS = SWEEP_INPUTS, SWEEP_DONE, SWEEP_FAILED, SWEEP_CANCELLED = "inputs", "shards", "failed", "cancelled"
"""Names in the folder of a sweep: they are common, so they count only beside its manifest."""
KINDS: dict[str, tuple[str, ...]] = {
    "a plan": (
        *("run.json", "design.json", "environment.toml", "plan.png", "solutions.json", "solutions.png"),
        *("trajectory.npz", "trials.npz", CHECKPOINT, *FRICTION, REFINEMENT),
    ),
    "one design for several environments": (SAME,),
    "an adapted design": (ADAPTED, "design.json", "environment.toml", "adapted.png"),
    "a simulation": ("simulation.json", "trajectory.npz", "growth.csv", "centreline.csv", "plan.png"),
    "the motion of a robot": ("motion.json", "motion.png", "trajectory.csv", "robot.toml"),
    "a robot that follows a reference": ("tracking.json", "tracking.png", "trajectory.csv", "robot.toml"),
    "motions of a robot": ("motions.json", "motions.csv", "motions.png", "robot.toml"),
    "a fit": ("fit.json", "fit.png", "recording.json", "tube.toml"),
    "a sweep": (SWEEP,),
    "a map": ("map.json", "map.png"),
    "a mapping session": ("session.json", "session.png"),
    "a pack for fabrication": (
        *(
            "pack.json",
            "design.json",
            "environment.toml",
            "pressures.json",
            "cut-list.csv",
            "folds.csv",
            "sections.csv",
            "parts.csv",
            "schedule.csv",
            "schedule.json",
        ),
        *("pattern.dxf", "pattern.svg", "plumbing.svg", "template-a4.pdf", "template-letter.pdf"),
        *("bracket.stl", "vessel.stl", "clamp.stl", "stock-tube.toml", "sofa_scene.py", "sofa_obstacles.obj"),
        *("bench-1to1-a4.pdf", "bench-1to1-letter.pdf", "bench-1to1.svg"),
    ),
    "trained weights": ("spam.json", "spam-paper.json"),
    **{f"trained weights of {kind}": (f"{kind}.json",) for kind in ("pouch", "fpam", "cpam")},
    "the counts of a fuzzing run": ("fuzz.json",),
}
"""Files of each kind of results; the first is in every folder of its kind."""
FILES = frozenset(name for names in KINDS.values() for name in names)
TILES, TILE = "bed", re.compile(r"\w+-\d+of\d+\.(dxf|svg)")
"""Folder in a pack with tiles of its pattern, and their names: the folder's name is common, so it counts only with nothing else in it."""
MEASUREMENTS = "trials.toml"
"""File name of the measurements of a built design, in the folder of its run or pack. It is not listed above, and neither are the
recordings that it names and the files that are learnt from it: so no command replaces or removes a folder with measurements, which
nothing can compute again."""
STUDY_FILES = re.compile(r"README\.md|data\.json|[\w-]+\.(png|gif|log|db)")
"""Files of a study: these names are common, so they count only beside the data of a study."""
STUDY_DATA = re.compile(r'\{\s*"schema": 1,\s*"command": "vinewright ')
"""Beginning of the data of a study."""


def names_in(folder: Path) -> set[str]:
    """Return the files of a folder; none if it does not exist. A file that is being written counts under its final name."""
    if not folder.exists():
        return set()
    # While a file is written, its name is `.NAME.PROCESS.partial`, or `.FOLDER.new.LETTERS` if it is for a folder in this one.
    return {re.sub(r"^\.(.+)\.(\d+\.partial|new\.\w{8})$", r"\1", entry.name) for entry in folder.iterdir()}


def foreign_files(folder: Path) -> list[str]:
    """Return the files of a folder that no command wrote."""
    others = names_in(folder) - FILES
    if others and _is_study(folder):
        others = {name for name in others if not STUDY_FILES.fullmatch(name)}
    if TILES in others and (folder / TILES).is_dir() and all(TILE.fullmatch(name) for name in names_in(folder / TILES)):
        others.discard(TILES)
    if others and (folder / SWEEP).is_file():
        others -= {*SWEEP_PARTS}
    if others and (folder / SAME).is_file():
        others = {name for name in others if not _is_run(folder / name)}
    return sorted(others)


def describe_contents(folder: Path) -> str:
    """Return the contents of a folder of results, in words."""
    names = names_in(folder)
    if is_unfinished(names):
        return "the checkpoint of an unfinished plan"
    if _is_study(folder):
        return "the report of a study"
    return next((kind for kind, files in KINDS.items() if files[0] in names), "results: " + ", ".join(sorted(names)))


def is_unfinished(names: Set[str]) -> bool:
    """Return whether files are those of a plan that has not written its results, but can be resumed."""
    return {CHECKPOINT} <= names <= {CHECKPOINT, *FRICTION, REFINEMENT}


def _is_run(folder: Path) -> bool:
    """Return whether a folder contains the files of a run and nothing else."""
    return (folder / "run.json").is_file() and not foreign_files(folder)


def _is_study(folder: Path) -> bool:
    try:
        with (folder / "data.json").open(encoding="utf-8") as file:
            return STUDY_DATA.match(file.read(200)) is not None
    except (OSError, UnicodeDecodeError):
        return False
