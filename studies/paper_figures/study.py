"""Figures of paper 002 that are no measurements of speed or success: each part of the study is what one of them shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dynamics.tube import VineParams
from planner.output.text import plural
from studies.paper_figures.bending import Bending, bend_tube
from studies.paper_figures.free_shapes import ENVIRONMENTS, Solved, solve
from studies.paper_figures.progress import TreeSnapshot, search_in_steps

BENDING, TREE = "bending", "tree"
"""Names of the cases of Figs. 2c and 4; those of Fig. 8 have the names of their environments."""
CASES = BENDING, TREE, *ENVIRONMENTS

Part = Bending | list[TreeSnapshot] | Solved


@dataclass
class Parts:
    """Results of the cases by figure; empty where a case is not done."""

    bending: Bending | None = None
    trees: list[TreeSnapshot] = field(default_factory=list)
    solved: list[Solved] = field(default_factory=list)

    @classmethod
    def of(cls, results: Sequence[Part]) -> Parts:
        """Sort the results of the cases by figure."""
        parts = cls()
        for one in results:
            if isinstance(one, Bending):
                parts.bending = one
            elif isinstance(one, Solved):
                parts.solved.append(one)
            else:
                parts.trees = one
        return parts


def run_cases(cases: Sequence[str], iterations: int, seed: int) -> Iterator[Part]:
    """Compute what the figures show.

    Args:
        cases: Some of `CASES`.
        iterations: Number of iterations of each search; results are the same on any machine.
        seed: Seed of each search.
    """
    for case in cases:
        if case == BENDING:
            yield bend_tube(VineParams())
        elif case == TREE:
            yield search_in_steps(iterations, seed)
        else:
            yield solve(case, iterations, seed)


def tell(part: Part) -> str:
    """Return a line for the console about a part of a figure."""
    if isinstance(part, Bending):
        return f"bends over {len(part.pressure)} pressures"
    if isinstance(part, Solved):
        return f"{part.environment.name}: {plural(part.found, 'solution')} in {plural(part.iterations, 'iteration')}"
    return f"{plural(len(part), 'tree')} of a search"
