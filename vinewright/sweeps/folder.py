"""The folder of a sweep: a file for the result of each shard that is done, and a file for each shard that was set aside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.output.claim import writing
from planner.output.contents import SWEEP_CANCELLED, SWEEP_DONE, SWEEP_FAILED
from planner.output.folder import replace_file
from vinewright.sweeps.case import Row
from vinewright.sweeps.manifest import Manifest


@dataclass(frozen=True, slots=True)
class ShardResult:
    """The result of a shard."""

    digest: str
    rows: list[Row]
    seconds: float
    """Computing time of the worker [s]: not part of the table, since it depends on the machine."""


@dataclass(frozen=True, slots=True)
class SweepState:
    """State of a sweep, as read from its folder at one moment."""

    manifest: Manifest
    seconds: dict[int, float]
    """Computing time of each shard that is done [s]; a shard whose result is damaged is not done."""
    failures: dict[int, str]
    """Message of each shard that was set aside."""
    cancelled: bool

    @property
    def missing(self) -> list[int]:
        """Numbers of the shards that are neither done nor set aside, in order."""
        shards = range(len(self.manifest.shards))
        return [number for number in shards if number not in self.seconds and number not in self.failures]

    @property
    def unmet(self) -> str:
        """Number of shards that are not done, as text; empty if all are done."""
        left = len(self.manifest.shards) - len(self.seconds)
        return f"{left} of {len(self.manifest.shards)} shards are not done" if left else ""

    def content(self) -> dict[str, Any]:
        """Return the content of a JSON document."""
        manifest, spent = self.manifest, sum(self.seconds.values())
        cases = sum(len(manifest.shards[number]) for number in self.seconds)
        each = spent / cases if cases else manifest.case_seconds
        return {
            "name": manifest.name,
            "description": manifest.description,
            "cases": len(manifest.grid.cases),
            "shards": len(manifest.shards),
            "done": len(self.seconds),
            "missing": len(self.missing),
            "set_aside": [{"shard": number, "message": message} for number, message in self.failures.items()],
            "cancelled": self.cancelled,
            "core_hours": round(spent / 3600, 4),
            "core_hours_left": round((len(manifest.grid.cases) - cases) * each / 3600, 4),
        }


@dataclass(frozen=True)
class SweepFolder:
    """The folder of a sweep."""

    path: Path
    manifest: Manifest

    def state(self) -> SweepState:
        """Read every result, and return the state of the sweep."""
        return self._state({number: result.seconds for number, result in self.results()})

    def table(self) -> tuple[list[Row], SweepState]:
        """Return the rows of all shards that are done, each beginning with the number of its case, and the state of the sweep."""
        rows, seconds = list[Row](), dict[int, float]()
        for number, result in self.results():
            cases = self.manifest.shards[number]
            rows += [{"case": case, **row} for case, row in zip(cases, result.rows, strict=True)]
            seconds[number] = result.seconds
        return rows, self._state(seconds)

    def _state(self, seconds: dict[int, float]) -> SweepState:
        failures = {}
        for number in self._numbers(SWEEP_FAILED):
            with suppress(OSError, ValueError, KeyError, TypeError):
                if number not in seconds:
                    failures[number] = str(self._read(SWEEP_FAILED, number)["message"])
        return SweepState(self.manifest, seconds, failures, self.cancelled)

    @property
    def cancelled(self) -> bool:
        """Whether the sweep was cancelled, so that no shard may begin."""
        return (self.path / SWEEP_CANCELLED).exists()

    def result(self, number: int) -> ShardResult | None:
        """Return the result of a shard; None if it is missing, incomplete or of another manifest."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            content, shard = self._read(SWEEP_DONE, number), self.manifest.shard(number)
            if content["digest"] == shard.digest and len(content["rows"]) == len(shard.cases):
                return ShardResult(content["digest"], content["rows"], content["seconds"])
        return None

    def results(self) -> Iterator[tuple[int, ShardResult]]:
        """Yield number and result of each shard that is done, in order."""
        for number in self._numbers(SWEEP_DONE):
            if result := self.result(number):
                yield number, result

    def keep(self, number: int, result: ShardResult) -> None:
        """Write the result of a shard, which is then no longer set aside. Safe if another process writes it too.

        Raises:
            UnwritableFolder: The file cannot be written; no partial file remains.
        """
        content = {"shard": number, "digest": result.digest, "seconds": round(result.seconds, 3), "rows": result.rows}
        self._write(SWEEP_DONE, number, content)
        self._path(SWEEP_FAILED, number).unlink(missing_ok=True)

    def set_aside(self, number: int, message: str) -> None:
        """Set a shard aside, so that it is not computed again before `retry`.

        Raises:
            UnwritableFolder: The file cannot be written.
        """
        self._write(SWEEP_FAILED, number, {"shard": number, "message": message})

    def retry(self, numbers: Iterable[int]) -> None:
        """Allow shards that were set aside to be computed again, and lift `cancel`."""
        with writing(self.path):
            (self.path / SWEEP_CANCELLED).unlink(missing_ok=True)
            for number in numbers:
                self._path(SWEEP_FAILED, number).unlink(missing_ok=True)

    def cancel(self) -> None:
        """Cancel the sweep: no shard begins before `retry`."""
        with writing(self.path):
            (self.path / SWEEP_CANCELLED).touch()

    def _numbers(self, kind: str) -> list[int]:
        """Return the numbers of the shards that have a file of this kind, in order."""
        try:
            stems = [Path(name).stem for name in os.listdir(self.path / kind)]
        except FileNotFoundError:
            return []
        numbers = {int(stem) for stem in stems if stem.isdecimal()}
        return sorted(numbers & set(range(len(self.manifest.shards))))

    def _path(self, kind: str, number: int) -> Path:
        return self.path / kind / f"{number:06d}.json"

    def _read(self, kind: str, number: int) -> dict[str, Any]:
        return dict(json.loads(self._path(kind, number).read_text(encoding="utf-8")))

    def _write(self, kind: str, number: int, content: dict[str, Any]) -> None:
        """Write a file in one step: it is complete or absent, even if the machine loses power."""

        def write(fresh: Path) -> None:
            with fresh.open("w", encoding="utf-8") as file:
                file.write(json.dumps(content) + "\n")
                file.flush()
                os.fsync(file.fileno())

        path = self._path(kind, number)
        replace_file(path.parent, path.name, write)
