"""Guidance of a search by a reverse tree, which grows with the search."""

from __future__ import annotations

from importlib.util import find_spec

from planner.search.reverse.cost_to_go import CostToGo
from planner.search.reverse.reverse_growth import ReverseGrowth
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.sst import Search

UNGUIDED = 4
"""Number of iterations without a solution after which a reverse tree guides a search."""
FIRST_SAMPLES = 1000
"""Number of poses that the reverse tree samples before the search. It grows on after 1, 2, 4, 8 ... iterations, each time to this
number for every iteration done, and one more."""
MOST_SAMPLES = 16000
"""Maximum number of poses that the reverse tree samples."""


class Guidance:
    """The reverse tree of a search, as far as it has grown.

    A search that was resumed grows the tree again from the seed: what has grown there is the same.
    """

    def __init__(self, search: Search, seed: int) -> None:
        """Begin without a tree.

        Args:
            seed: Seed of the tree.
        """
        self.search, self._seed = search, seed
        self.tree: ReverseTree | None = None
        """The tree that guides the search; None before it has grown."""
        self._growth: ReverseGrowth | None = None

    def is_wanted(self, solved: bool) -> bool:
        """Whether a tree guides the next iteration: always, if the search asks for it; otherwise while there is no solution after
        some iterations, if OMPL is installed.

        Args:
            solved: Whether there is a solution.
        """
        switches = self.search.switches
        if switches.heuristic:
            return True
        waited = not solved and self.search.iteration >= UNGUIDED
        return waited and switches.lost and find_spec("ompl") is not None

    def grow(self, seconds: float) -> None:
        """Grow the tree, if it is time for that, and guide the search by the result.

        Args:
            seconds: Time that the growth may take now [s].
        Raises:
            Interrupted: It was cut short.
            WalledIn: No path wide enough for the tube leads to the goal.
        """
        iteration, known, search = self.search.iteration, self.tree, self.search
        samples = min(FIRST_SAMPLES * (iteration + 1), MOST_SAMPLES)
        if iteration & (iteration - 1) or (known and known.samples >= samples) or seconds <= 0:
            return
        if not self._growth:
            reachable, contact = search.catalogue.reachable, search.switches.contact
            self._growth = ReverseGrowth(search.environment, search.params, reachable, self._seed, contact)
        tree = self._growth.grow_until(samples, seconds)
        if not known or tree.samples > known.samples:
            self.follow(tree)

    def follow(self, tree: ReverseTree) -> None:
        """Guide the search by a reverse tree from now on, if it has edges."""
        self.tree = tree
        if not tree.failure:
            self.search.guide(CostToGo(tree))
