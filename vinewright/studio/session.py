"""The state of a studio: the file it was started with, the runs, the worker processes, and the packs."""

from __future__ import annotations

import secrets
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dynamics.registry import propagators
from dynamics.tube import InvalidTube
from dynamics.tube_choice import choose_tube
from dynamics.tube_file import known_tubes, tube_description
from environments import known_environments, load_environment
from environments.environment_file import environment_text
from environments.writing import atomic_path
from vinewright.studio.document import parse_content
from vinewright.studio.drawings import Drawings, data_folder
from vinewright.studio.events import Message, Send
from vinewright.studio.folders import NoRun, RunFolders
from vinewright.studio.hub import Hub
from vinewright.studio.kept_pictures import KeptPictures
from vinewright.studio.requests import offered_options
from vinewright.studio.tubes import content_view, named_tube, shipped_tube, tube_keys, tube_view
from vinewright.studio.views import error_keys, error_presets
from vinewright.studio.workers import Worker


class FileChanged(RuntimeError):
    """The file cannot be saved: it has changed since it was opened, or there is none; the one-line message says what to do."""


class UnwritableFile(OSError):
    """The file cannot be saved: the disk is full, or its folder cannot be written; the one-line message says what to do."""


@dataclass(slots=True)
class OpenedFile:
    """The file that the studio was started with."""

    path: Path

    @property
    def text(self) -> str:
        """The content of the file, with its byte order mark, if any.

        Raises:
            OSError: The file cannot be read.
        """
        return self.path.read_bytes().decode()

    def save(self, text: str, opened: str) -> None:
        """Replace the content of the file; links and permissions stay.

        Args:
            opened: Content of the file when it was opened or last saved.
        Raises:
            FileChanged: The file has changed since.
            UnwritableFile: The disk is full, or the file cannot be written.
        """
        path = self.path.resolve()
        # Bytes: what another program has written need not be text.
        if path.exists() and path.read_bytes() != opened.encode():
            raise FileChanged(f"{self.path.name} has changed since it was opened here: save a copy, or open it again")
        try:
            with atomic_path(path) as partial:
                partial.write_bytes(text.encode())
                if path.exists():
                    partial.chmod(path.stat().st_mode)
        except OSError as error:
            reason = error.strerror or error
            raise UnwritableFile(f"{self.path.name} is not saved: {reason}; make room, or save a copy") from error


@dataclass(eq=False)
class StudioSession:
    """The state of a studio."""

    root: Path
    """Folder of all runs."""
    file: OpenedFile | None = None
    run: Path | None = None
    """The run folder that the studio was started with."""
    shipped: str | None = None
    """The name of the shipped environment that the studio was started with."""
    hub: Hub = field(default_factory=Hub)
    drawings: Drawings = field(default_factory=lambda: Drawings(data_folder(), str(Path.cwd())))

    def __post_init__(self) -> None:
        self.hub.document = self._unsaved()
        self.keeping = threading.Lock()  # requests are answered in several threads
        self.folders = RunFolders(self.root, self.run)
        self.pictures = KeptPictures(self.drawings.folder / "background-pictures")
        self.checked: tuple[dict[str, Any], dict[str, Any]] = {}, {}
        self.packs = tempfile.TemporaryDirectory(prefix="vinewright-studio-")
        self.tell: Send = self.hub.tell
        self.planning: Worker
        self.looking: Worker
        self.building: Worker

    def start(self, tell: Send) -> None:
        """Start the process that plans; those for all other jobs start with their first job.

        Args:
            tell: Called with each event, in another thread.
        """
        self.tell = tell

        def tell_of_plan(event: Message) -> None:
            self._note_run(event)
            tell(event)

        self.planning = Worker(str(self.root), tell_of_plan, True)
        self.looking = Worker(str(self.root), tell, False)
        # What takes half a minute must not keep a growth or trials waiting.
        self.building = Worker(str(self.root), tell, False)
        self.planning.start()

    def close(self) -> None:
        """End all processes and remove temporary files."""
        try:
            self.looking.close(0.0)
            self.building.close(0.0)
            self.planning.close()
        finally:
            self.packs.cleanup()

    @cached_property
    def known(self) -> dict[str, Any]:
        """Environments, tubes, errors and propagators that the page offers."""
        from importlib.metadata import version

        environments = []
        for name in known_environments():
            text = environment_text(load_environment(name, 0.0))
            content = parse_content(text)
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
            "planOptions": offered_options(),
        }

    def document(self) -> dict[str, Any] | None:
        """Return the drawing to show first: the last drawing of a page, else the environment that the studio was started with."""
        if (last := self.hub.document) is not None:
            # While another page may edit it, a further page gets a copy, which is a drawing of its own, without a run.
            return (
                {**last, "id": None, "beside": {**(last.get("beside") or {}), "run": None}} if self.hub.pages else last
            )
        run = self.folders.name_of(self.folders.given.resolve()) if self.folders.given else None
        if self.file:
            text, name, file = self.file.text, self.file.path.stem, self.file.path.name
        elif self.folders.given:
            given = self.folders.given
            text, name, file = (given / "environment.toml").read_bytes().decode(), given.name, None
        elif self.shipped:
            text, name, file = environment_text(load_environment(self.shipped, 0.0)), self.shipped, None
        else:
            return None
        content = parse_content(text)
        return {
            "text": text,
            "saved": text,
            "name": content["name"] or name,
            "file": file,
            "content": content,
            "beside": {"run": run, "design": "best"},
        }

    def _unsaved(self) -> dict[str, Any] | None:
        """Return the drawing to go on with: that edited last in this folder if its changes are in no file.

        A studio that was started with a file goes on with changes of the file as it is now; one started with anything else shows that.
        """
        if self.run or self.shipped or (drawing := self.drawings.last()) is None:
            return None
        if self.file and (drawing["path"] != str(self.file.path.resolve()) or drawing["saved"] != self.file.text):
            return None
        if not self.file and drawing.get("path") and "edited_ms" not in drawing:
            return None  # its file has all of it but what belongs to it
        try:
            content_view(drawing["tube"])
        except InvalidTube:
            return None
        return {**drawing, "file": drawing["file"] if self.file else None}

    def tube(self) -> dict[str, Any]:
        """Return the tube to show first."""
        if self.hub.document is not None:
            return content_view(self.hub.document["tube"])
        if self.folders.given:
            from planner.design.design_file import load_design

            return tube_view(load_design(self.folders.given).params)
        if self.file:
            named = load_environment(self.file.path, 0.0).tube
            return tube_view(choose_tube(named)) if named and named not in known_tubes() else named_tube(named)
        return named_tube(load_environment(self.shipped, 0.0).tube if self.shipped else None)

    def look(self, kind: str, name: str, given: Message) -> int:
        """Queue a job about a design of a run, and return its number.

        Raises:
            NoRun: There is no such run.
            Busy: There are too many jobs.
        """
        return self.looking.submit(kind, {**given, "run": name, "folder": str(self.folders[name])})

    def build(self, kind: str, name: str, given: Message) -> int:
        """Queue a job about a built design of a run, and return its number.

        Raises:
            NoRun: There is no such run.
            Busy: There are too many jobs.
        """
        return self.building.submit(kind, {**given, "run": name, "folder": str(self.folders[name])})

    def plan(self, given: Message) -> int:
        """Start a plan, and return the number of the job.

        Raises:
            Busy: A plan is under way.
        """
        return self.planning.submit("plan", given)

    def remember(self, drawing: dict[str, Any], is_changed: bool) -> None:
        """Keep a drawing unchanged for a page that is opened later, and on disk for a later studio.

        Args:
            drawing: Its `id`, the `text` that was opened, the `content` and `origins` of the drawing, the text as `saved`, the name of
                its `file` if Save writes it, its `name`, its `tube`, and `beside`: everything that is in no file. Without an id it
                is not kept on disk.
            is_changed: Whether it has changes that are in no file.
        Raises:
            OSError: It cannot be written to disk.
        """
        path = self._path_of(drawing)
        self.hub.document = {**drawing, "file": drawing["file"] if path else None}
        if drawing["id"]:
            with self.keeping:
                self.drawings.keep(drawing["id"], {**self.hub.document, "path": path}, is_changed)

    def _path_of(self, drawing: dict[str, Any]) -> str | None:
        """Return the path of the file that Save writes for a drawing."""
        own = self.file is not None and drawing["file"] == self.file.path.name
        return str(self.file.path.resolve()) if self.file and own else None

    def _note_run(self, event: Message) -> None:
        """Keep the run of a plan with its drawing, also if no page shows it any more, and while the studio ends."""
        plan = event.get("plan", {})
        if event["type"] != "plan" or not (plan["phase"] == "done" and plan["run"] and plan["drawing"]):
            return
        name, run, document = plan["drawing"], plan["run"], self.hub.document
        with self.keeping, suppress(OSError):  # the run is in the list all the same
            if self.drawings.note_run(name, run) or not document or document["id"] != name:
                return
            # It had no changes until now, and is kept only if it is that of a file.
            if path := self._path_of(document):
                beside = {**(document.get("beside") or {}), "run": run, "design": "best"}
                self.drawings.keep(name, {**document, "path": path, "beside": beside}, False)

    def pack(self, key: str) -> bytes:
        """Read a pack as a zip file.

        Raises:
            NoRun: There is no pack of this name.
        """
        packs = {path.stem: path for path in Path(self.packs.name).glob("*.zip")}
        if key not in packs:
            raise NoRun("there is no such pack: make it again")
        return packs[key].read_bytes()

    def new_pack_path(self) -> Path:
        """Return the path of a new pack, with a name that cannot be guessed."""
        return Path(self.packs.name) / f"{secrets.token_hex(8)}.zip"
