"""Writing and reading of the solutions of a run (`solutions.json`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dynamics.jumps import Jump
from planner.design.design import Design, InvalidDesign
from planner.design.design_file import DESIGN, SOLUTIONS, design_content, has_solutions, parse_design, read_json


def solutions_content(solutions: Sequence[tuple[Design, Jump | None]]) -> dict[str, Any]:
    """Return the content of the solutions file: designs, each with the largest jump that it needs, None if it needs none."""
    every = [{**design_content(design), "jump_mm": jump.content() if jump else None} for design, jump in solutions]
    return {"schema": 1, "solutions": every}


def load_solutions(path: str | Path) -> list[Design]:
    """Read all designs of a solutions file, lowest cost first.

    Raises:
        InvalidDesign: See `load_design`.
    """
    return [design for design, _ in load_solutions_with_jumps(path)]


def load_solutions_with_jumps(path: str | Path) -> list[tuple[Design, Jump | None]]:
    """Read all designs of a solutions file, lowest cost first, with the largest jump of each.

    The jump is None for a design that does not jump, and in older files, which have no jumps.
    Raises:
        InvalidDesign: See `load_design`.
    """
    path = Path(path)
    content = read_json(path)
    if not has_solutions(content):
        raise InvalidDesign(f"{path.name}: missing key solutions")
    every = content["solutions"]
    designs = [parse_design(one, f"{path.name}: solutions[{k}]") for k, one in enumerate(every)]
    jumps = [Jump(*(1e-3 * part for part in one["jump_mm"])) if one.get("jump_mm") else None for one in every]
    return list(zip(designs, jumps, strict=True))


def find_solution(folder: Path) -> tuple[int | None, int]:
    """Find the `design.json` of a run folder among its solutions: its number, None if it is none of them, and their count.

    The count is 0 if there is no readable solutions file, as in the folder of a pack.
    """
    try:
        design, content = read_json(folder / DESIGN), read_json(folder / SOLUTIONS)
    except InvalidDesign:
        return None, 0
    every = [_without_extras(one) for one in content["solutions"]] if has_solutions(content) else []
    design = _without_extras(design)
    return (every.index(design) + 1 if design in every else None), len(every)


def _without_extras(content: Any) -> Any:
    """Return a design in parsed JSON without the keys that only one of the two files has."""
    said = "trials", "jump_mm", "obstacles_left", "obstacles_right"
    return {key: part for key, part in content.items() if key not in said} if isinstance(content, dict) else content
