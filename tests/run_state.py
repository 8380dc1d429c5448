"""Everything of a planning run that decides how it goes on, to compare runs."""

from typing import Any

from planner.search.run import Run


def state_of(run: Run) -> tuple[Any, ...]:
    """Equal for runs that go on alike, to the last bit."""
    search, found = run.search, run.solutions
    stored = {name: array.tobytes() for name, array in search.tree.to_arrays().items()}
    solutions = [(solution.cost, solution.controls.tobytes(), solution.jump) for solution in found.best]
    counts = search.iteration, search.vine_steps, found.replayed, found.rejected, found.ambiguous, len(run.history)
    return stored, solutions, counts, search.bound, search.rng.bit_generator.state, search.witnesses.poses.tobytes()
