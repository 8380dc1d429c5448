"""How far a sweep is."""

from __future__ import annotations

from typing import Any

from planner.sweep.folder import Folder


def status_content(folder: Folder) -> dict[str, Any]:
    """How far a sweep is, for a JSON document."""
    manifest, done = folder.manifest, dict(folder.done())
    failures = folder.failures()
    seconds = sum(one.seconds for one in done.values())
    left = len(manifest.grid.cases) - sum(len(one.rows) for one in done.values())
    each = seconds / (len(manifest.grid.cases) - left) if done else manifest.case_seconds
    return {
        "name": manifest.name,
        "description": manifest.description,
        "cases": len(manifest.grid.cases),
        "shards": len(manifest.shards),
        "done": len(done),
        "missing": len(manifest.shards) - len(done) - len(failures),
        "set_aside": [{"shard": number, "message": message} for number, message in failures.items()],
        "cancelled": folder.cancelled,
        "core_hours": round(seconds / 3600, 4),
        "core_hours_left": round(left * each / 3600, 4),
    }
