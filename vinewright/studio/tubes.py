"""Tubes as the page shows them: their numbers, and figures derived from them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from dynamics.tube import VineParams
from dynamics.tube_choice import DEFAULT_TUBE
from dynamics.tube_file import SCHEMA, check_tube, known_tubes, load_tube, tube_content
from dynamics.tube_keys import ACTUATORS, INERTIA, LIMITS, TUBE, Key
from planner.design.tube_figures import TubeFigures


def tube_in(content: dict[str, Any]) -> VineParams:
    """Check the tube of a request, which has the keys of a tube file.

    Raises:
        InvalidTube: The tube cannot be used.
    """
    return check_tube({"schema": SCHEMA, **content})


def tube_view(params: VineParams, name: str = "own") -> dict[str, Any]:
    """Return the view of a tube, without derived figures."""
    return {"name": name, "content": tube_content(params), "radius": 1e3 * params.radius}


def add_figures(view: dict[str, Any]) -> dict[str, Any]:
    """Return the view of a tube with figures derived from it; the first time for a tube, it takes about 0.5 s.

    Raises:
        InvalidTube: The tube cannot be used, or its actuator has no pressure with head room.
    """
    return {**view, "figures": _derive_figures(json.dumps(view["content"]))}


@lru_cache(maxsize=32)
def _derive_figures(content: str) -> list[dict[str, str]]:
    params = tube_in(json.loads(content))
    rows = TubeFigures.of(params).rows(params)
    return [{"label": label, "value": value, "note": note} for label, value, note in rows]


def tube_keys() -> list[dict[str, Any]]:
    """Return the keys of tube files; keys of a type of actuator name it in `kind`."""
    tables = [("", "", TUBE | INERTIA), ("actuator", "", LIMITS)]
    tables += [("actuator", kind, keys) for kind, keys in ACTUATORS.items()]
    return [{"table": table, "kind": kind, **_key_view(key)} for table, kind, keys in tables for key in keys.values()]


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
    """Return the view of a shipped tube."""
    return tube_view(load_tube(name), name)


def named_tube(name: str | None) -> dict[str, Any]:
    """Return the view of the shipped tube of a name, else of the default tube, so that no path from a page is opened."""
    return shipped_tube(name if name and name in known_tubes() else DEFAULT_TUBE)


def content_view(content: dict[str, Any]) -> dict[str, Any]:
    """Return the view of a tube's content; a shipped tube keeps its name.

    Raises:
        InvalidTube: The tube cannot be used.
    """
    shipped = [shipped_tube(name) for name in known_tubes()]
    return next((view for view in shipped if view["content"] == content), None) or tube_view(tube_in(content))
