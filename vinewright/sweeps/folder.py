"""What is done in the folder of a sweep: a file for each shard that is done, and one for each that was set aside."""

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
class Done:
    """The result of a shard."""

    digest: str
    rows: list[Row]
    seconds: float
    """Time of its worker [s]: not part of the table, since it is not the same everywhere."""


@dataclass(frozen=True, slots=True)
class State:
    """How far a sweep is, as read at one moment."""

    manifest: Manifest
    seconds: dict[int, float]
    """Computing time of each shard that is done [s]; one whose result is damaged is not done."""
    failures: dict[int, str]
    """Why each of the other shards was set aside that were."""
    cancelled: bool

    @property
    def missing(self) -> list[int]:
        """Numbers of the shards that are neither done nor set aside, in order."""
        shards = range(len(self.manifest.shards))
        return [number for number in shards if number not in self.seconds and number not in self.failures]

    @property
    def unmet(self) -> str:
        """What is not done, in words; empty if all is."""
        left = len(self.manifest.shards) - len(self.seconds)
        return f"{left} of {len(self.manifest.shards)} shards are not done" if left else ""

    def content(self) -> dict[str, Any]:
        """Content for a JSON document."""
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
class Folder:
    """The folder of a sweep."""

    path: Path
    manifest: Manifest

    def state(self) -> State:
        """How far the sweep is; reads every result once."""
        return self._state({number: done.seconds for number, done in self.done()})

    def table(self) -> tuple[list[Row], State]:
        """Rows of all shards that are done, each beginning with the number of its case, and how far the sweep was then."""
        rows, seconds = list[Row](), dict[int, float]()
        for number, done in self.done():
            cases = self.manifest.shards[number]
            rows += [{"case": case, **row} for case, row in zip(cases, done.rows, strict=True)]
            seconds[number] = done.seconds
        return rows, self._state(seconds)

    def _state(self, seconds: dict[int, float]) -> State:
        failures = {}
        for number in self._numbers(SWEEP_FAILED):
            with suppress(OSError, ValueError, KeyError, TypeError):
                if number not in seconds:
                    failures[number] = str(self._read(SWEEP_FAILED, number)["message"])
        return State(self.manifest, seconds, failures, self.cancelled)

    @property
    def cancelled(self) -> bool:
        """Whether no shard is to be begun."""
        return (self.path / SWEEP_CANCELLED).exists()

    def result(self, number: int) -> Done | None:
        """The result of a shard; None if there is none that is whole and belongs to this manifest."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            content, shard = self._read(SWEEP_DONE, number), self.manifest.shard(number)
            if content["digest"] == shard.digest and len(content["rows"]) == len(shard.cases):
                return Done(content["digest"], content["rows"], content["seconds"])
        return None

    def done(self) -> Iterator[tuple[int, Done]]:
        """Results of the shards that are done, in order."""
        for number in self._numbers(SWEEP_DONE):
            if found := self.result(number):
                yield number, found

    def keep(self, number: int, done: Done) -> None:
        """Keep the result of a shard, whole; it is no longer set aside. Another process may do the same.

        Raises:
            UnwritableFolder: It cannot be written; nothing is left of it.
        """
        content = {"shard": number, "digest": done.digest, "seconds": round(done.seconds, 3), "rows": done.rows}
        self._write(SWEEP_DONE, number, content)
        self._path(SWEEP_FAILED, number).unlink(missing_ok=True)

    def set_aside(self, number: int, message: str) -> None:
        """Set a shard aside: it is not begun again until `retry`.

        Raises:
            UnwritableFolder: That cannot be written.
        """
        self._write(SWEEP_FAILED, number, {"shard": number, "message": message})

    def retry(self, numbers: Iterable[int]) -> None:
        """Let shards be begun again that were set aside, and all that were cancelled."""
        with writing(self.path):
            (self.path / SWEEP_CANCELLED).unlink(missing_ok=True)
            for number in numbers:
                self._path(SWEEP_FAILED, number).unlink(missing_ok=True)

    def cancel(self) -> None:
        """Let no shard be begun until `retry`."""
        with writing(self.path):
            (self.path / SWEEP_CANCELLED).touch()

    def _numbers(self, kind: str) -> list[int]:
        """Numbers of the shards with a file, in order."""
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
        """Write a file that appears whole, also if the machine loses power."""

        def write(fresh: Path) -> None:
            with fresh.open("w", encoding="utf-8") as file:
                file.write(json.dumps(content) + "\n")
                file.flush()
                os.fsync(file.fileno())

        path = self._path(kind, number)
        replace_file(path.parent, path.name, write)
