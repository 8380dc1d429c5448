"""The models of a growing vine that there are."""

from __future__ import annotations

from dynamics.propagator import Propagator
from dynamics.quasistatic import QuasiStatic


def propagators() -> dict[str, type[Propagator]]:
    """The propagators by name; the first is the default."""
    return {"quasistatic": QuasiStatic}
