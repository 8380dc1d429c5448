"""Tubes as the page shows them: their numbers, and figures derived from them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dynamics.tube import VineParams
from dynamics.tube_choice import DEFAULT_TUBE
from dynamics.tube_file import SCHEMA, checked_tube, known_tubes, load_tube, tube_content
from dynamics.tube_keys import ACTUATORS, INERTIA, LIMITS, TUBE, Key
from planner.design.tube_figures import TubeFigures


def tube_in(content: dict[str, Any]) -> VineParams:
    """The tube of a request, with the keys of a tube file.

    Raises:
        InvalidTube: It cannot be used.
    """
    return checked_tube({"schema": SCHEMA, **content})


def tube_view(params: VineParams, name: str = "own") -> dict[str, Any]:
    """A tube and its derived figures (takes about 0.5 s)."""
    rows = TubeFigures.of(params).rows(params)
    return {
        "name": name,
        "content": tube_content(params),
        "radius": 1e3 * params.radius,
        "figures": [{"label": label, "value": value, "note": note} for label, value, note in rows],
    }


def tube_keys() -> list[dict[str, Any]]:
    """The numbers of tube files; those of one type of actuator name it in `kind`."""
    every = [("", "", TUBE | INERTIA), ("actuator", "", LIMITS)]
    every += [("actuator", kind, keys) for kind, keys in ACTUATORS.items()]
    return [{"table": table, "kind": kind, **_key_view(key)} for table, kind, keys in every for key in keys.values()]


def _key_view(key: Key) -> dict[str, Any]:
    return {"name": key.name, "unit": _unit(key.name), "least": key.least, "most": key.most, "meaning": key.meaning}


def _unit(name: str) -> str:
    endings = {
        "_n_per_m": "N/m", "_n_m2": "N m²", "_g_per_m": "g/m", "_mm_per_s": "mm/s", "_mm": "mm", "_kpa": "kPa", "_n": "N",
        "_um": "µm", "_mpa": "MPa", "_s": "s",
    }  # fmt: skip
    return next((unit for ending, unit in endings.items() if name.endswith(ending)), "")


@lru_cache(maxsize=32)
def shipped_tube(name: str) -> dict[str, Any]:
    """A shipped tube with its figures."""
    return tube_view(load_tube(name), name)


def named_tube(name: str | None) -> dict[str, Any]:
    """The tube that an environment names, if it is a shipped one; else the default: no path from a page is opened."""
    return shipped_tube(name if name and name in known_tubes() else DEFAULT_TUBE)


def view_of(content: dict[str, Any]) -> dict[str, Any]:
    """The view of a tube; a shipped one keeps its name.

    Raises:
        InvalidTube: It cannot be used.
    """
    shipped = [shipped_tube(name) for name in known_tubes()]
    return next((view for view in shipped if view["content"] == content), None) or tube_view(tube_in(content))
