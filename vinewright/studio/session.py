"""What a studio works on: the file it was started with, the runs, the processes that compute, and the packs."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dynamics.registry import propagators
from dynamics.tube_file import known_tubes, tube_description
from environments import known_environments, load_environment
from environments.environment_file import environment_text
from environments.writing import atomic_path
from vinewright.console.options import chosen_tube
from vinewright.studio.document import content_in
from vinewright.studio.events import Message, Send
from vinewright.studio.folders import Folders, NoRun
from vinewright.studio.hub import Hub
from vinewright.studio.tubes import named_tube, shipped_tube, tube_keys, tube_view, view_of
from vinewright.studio.views import error_keys, error_presets
from vinewright.studio.workers import Worker


class Changed(RuntimeError):
    """The file cannot be saved: it is no longer what was opened, or there is none; the one-line message says what to do."""


@dataclass(slots=True)
class OpenedFile:
    """The file that the studio was started with."""

    path: Path

    @property
    def text(self) -> str:
        """Its content, with its byte order mark, if it has one.

        Raises:
            OSError: It cannot be read.
        """
        return self.path.read_bytes().decode()

    def save(self, text: str, opened: str) -> None:
        """Replace its content; links and permissions stay.

        Args:
            opened: Its content when it was opened or last saved.
        Raises:
            Changed: It has another content by now.
            OSError: It cannot be written.
        """
        path = self.path.resolve()
        if path.exists() and self.text != opened:
            raise Changed(f"{self.path.name} has changed since it was opened here: save a copy, or open it again")
        with atomic_path(path) as partial:
            partial.write_bytes(text.encode())
            if path.exists():
                partial.chmod(path.stat().st_mode)


@dataclass(eq=False)
class Session:
    """The state of a studio."""

    root: Path
    """Folder of all runs."""
    file: OpenedFile | None = None
    run: Path | None = None
    """The run folder it was started with."""
    shipped: str | None = None
    """The name of the shipped environment it was started with."""
    hub: Hub = field(default_factory=Hub)

    def __post_init__(self) -> None:
        self.folders = Folders(self.root, self.run)
        self.packs = tempfile.TemporaryDirectory(prefix="vinewright-studio-")
        self.tell: Send = self.hub.tell
        self.planning: Worker
        self.looking: Worker

    def start(self, tell: Send) -> None:
        """Start the process that plans; the other one starts when it is needed.

        Args:
            tell: Called with each event, in another thread.
        """
        self.tell = tell
        self.planning, self.looking = Worker(str(self.root), tell, True), Worker(str(self.root), tell, False)
        self.planning.start()

    def close(self) -> None:
        """End both processes and remove temporary files."""
        try:
            self.looking.close(0.0)
            self.planning.close()
        finally:
            self.packs.cleanup()

    @cached_property
    def known(self) -> dict[str, Any]:
        """What the page offers."""
        from importlib.metadata import version

        environments = []
        for name in known_environments():
            text = environment_text(load_environment(name, 0.0))
            content = content_in(text)
            environments.append({"name": name, "description": content["description"], "content": content, "text": text})
        tubes = [
            {"name": name, "description": tube_description(name), "tube": shipped_tube(name)} for name in known_tubes()
        ]
        return {
            "version": version("vinewright"),
            "environments": environments,
            "tubes": tubes,
            "tubeKeys": tube_keys(),
            "errors": error_presets(),
            "errorKeys": error_keys(),
            "propagators": list(propagators()),
        }

    def document(self) -> dict[str, Any] | None:
        """The drawing to show first: as a page last sent it, else what the studio was started with."""
        if self.hub.document is not None:
            return self.hub.document
        if self.file:
            text, name, file = self.file.text, self.file.path.stem, self.file.path.name
        elif self.run:
            text, name, file = (self.run / "environment.toml").read_text(encoding="utf-8"), self.run.name, None
        elif self.shipped:
            text, name, file = environment_text(load_environment(self.shipped, 0.0)), self.shipped, None
        else:
            return None
        content = content_in(text)
        return {
            "text": text,
            "saved": text,
            "name": content["name"] or name,
            "file": file,
            "content": content,
        }

    def tube(self) -> dict[str, Any]:
        """The tube to show first."""
        if self.hub.document is not None:
            return view_of(self.hub.document["tube"])
        if self.run:
            from planner.design.design_file import load_design

            return tube_view(load_design(self.run).params)
        if self.file:
            named = load_environment(self.file.path, 0.0).tube
            return tube_view(chosen_tube(named)) if named and named not in known_tubes() else named_tube(named)
        return named_tube(load_environment(self.shipped, 0.0).tube if self.shipped else None)

    def look(self, kind: str, name: str, given: Message) -> int:
        """Queue a job about a design of a run; returns its number.

        Raises:
            NoRun: There is no such run.
            Busy: There are too many jobs.
        """
        return self.looking.submit(kind, {**given, "run": name, "folder": str(self.folders[name])})

    def plan(self, given: Message) -> int:
        """Start a plan; returns the number of the job.

        Raises:
            Busy: One is under way.
        """
        return self.planning.submit("plan", given)

    def remember(self, drawing: dict[str, Any]) -> None:
        """Keep a drawing, as it is, for a page that is opened later.

        Args:
            drawing: The `text` that was opened, with the `content` and `origins` of what is drawn, the text as `saved`, the name of
                its `file` if it is the one that Save writes, its `name`, and its `tube`.
        """
        own = self.file is not None and drawing["file"] == self.file.path.name
        self.hub.document = {**drawing, "file": drawing["file"] if own else None}

    def pack(self, key: str) -> bytes:
        """A pack as a zip file.

        Raises:
            NoRun: There is none of this name.
        """
        made = {path.stem: path for path in Path(self.packs.name).glob("*.zip")}
        if key not in made:
            raise NoRun("there is no such pack: make it again")
        return made[key].read_bytes()

    def new_pack(self) -> Path:
        """The file of a new pack, with a name that cannot be guessed."""
        return Path(self.packs.name) / f"{secrets.token_hex(8)}.zip"
