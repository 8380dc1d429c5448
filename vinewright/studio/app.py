"""The web application of the studio: the page, its requests and its events."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from dynamics.tube import InvalidTube
from environments.file_model import InvalidEnvironment
from environments.importing.traced import UnusableFile
from planner.design.design import InvalidDesign
from planner.output.claim import UnwritableFolder
from vinewright.console.errors import BadInput
from vinewright.studio import built_answers, requests
from vinewright.studio.checking import check_drawing
from vinewright.studio.combining import combine_shapes
from vinewright.studio.document import parse_content
from vinewright.studio.drawings import NoDrawing
from vinewright.studio.folders import ForeignRun, NoRun, UnusableName, small_picture, zip_folder
from vinewright.studio.foreign import describe_foreign, tube_content_of
from vinewright.studio.guard import MOST_BYTES, Guard
from vinewright.studio.importing import import_uploaded
from vinewright.studio.kept_pictures import NoPicture
from vinewright.studio.picture_answers import image, kept_picture, rectify_picture
from vinewright.studio.pictures import UnusablePicture, render_picture
from vinewright.studio.session import FileChanged, StudioSession, UnwritableFile
from vinewright.studio.starting import PAGE
from vinewright.studio.tubes import add_figures, content_view, named_tube, tube_in
from vinewright.studio.views import run_view
from vinewright.studio.worker import line_of_error
from vinewright.studio.workers import Busy

FIRST_MESSAGE = 5.0
"""Time that a socket has to send its token [s]."""
Answer = Callable[[StudioSession, Request, bytes], Any]
STATUS: dict[type[Exception], int] = {
    requests.BadRequest: 400,
    InvalidEnvironment: 422,
    InvalidTube: 422,
    InvalidDesign: 422,
    BadInput: 422,
    UnusablePicture: 415,
    UnusableFile: 422,
    NoRun: 404,
    NoDrawing: 404,
    NoPicture: 404,
    UnusableName: 422,
    FileChanged: 409,
    UnwritableFile: 409,
    ForeignRun: 409,
    UnwritableFolder: 409,
    Busy: 409,
}


def make_endpoint(answer: Answer) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Make an endpoint that reads the body, answers in another thread, and turns the project's errors into one line."""

    @wraps(answer)
    async def endpoint(request: Request) -> Response:
        try:
            body = await _body(request)
            found = await run_in_threadpool(answer, request.app.state.session, request, body)
        except ClientDisconnect:
            return Response(status_code=400)  # the page is gone
        except HTTPException:
            raise
        except Exception as error:
            return _answer_failure(error)
        return found if isinstance(found, Response) else JSONResponse(found)

    return endpoint


async def _body(request: Request) -> bytes:
    """Read the body of a request; refuse a body without a stated length as soon as it is too long."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > MOST_BYTES:
            raise HTTPException(413)
    return bytes(found)


# ---- the drawing ----


def state(session: StudioSession, _: Request, __: bytes) -> Any:
    """Return the data that a page needs when it is opened."""
    return {
        "known": session.known,
        "document": session.document(),
        "plan": session.hub.plan,
        "tube": session.tube(),
    }


def open_text(_: StudioSession, __: Request, body: bytes) -> Any:
    """Return the content of a file that the page read; of a tube file, its tube alone."""
    asked = requests.parse(requests.OpenRequest, body)
    try:
        content = parse_content(asked.text)
    except InvalidEnvironment:
        if (tube := tube_content_of(asked.text)) is not None:
            return {"content": None, "name": "", "tube": content_view(tube)}
        if found := describe_foreign(asked.text):
            raise InvalidEnvironment(found) from None
        raise
    name = content["name"] or Path(asked.name).stem[:100] or "environment"
    return {"content": content, "name": name, "tube": named_tube(content["tube"])}


def import_drawing(_: StudioSession, __: Request, body: bytes) -> Any:
    """Import a drawing or a map that the page read."""
    asked = requests.parse(requests.ImportRequest, body)
    return import_uploaded({file.name: file.data for file in asked.files}, asked.options)


def combine(_: StudioSession, __: Request, body: bytes) -> Any:
    """Return the union of obstacles, or the first one without the others."""
    asked = requests.parse(requests.CombineRequest, body)
    shapes = [shape.model_dump() for shape in asked.shapes]
    return {"polygons": combine_shapes(asked.operation, shapes, asked.ends)}


def check(session: StudioSession, _: Request, body: bytes) -> Any:
    """Check a drawing, and keep it for a page that is opened again; `not_kept` says why it is not on disk."""
    asked = requests.parse(requests.CheckRequest, body)
    given = {
        "text": asked.text,
        "content": asked.content,
        "origins": asked.origins,
        "tube": asked.tube,
        "unit": asked.unit,
        "errors": asked.beside.errors,
    }
    before, found = session.checked
    if given != before:  # else only what is beside the drawing has changed
        tube, errors = tube_in(asked.tube), asked.beside.errors
        found = check_drawing(asked.text, asked.content, asked.origins, tube, asked.unit, errors)
        session.checked = given, found
    not_kept = ""
    try:
        session.remember(asked.model_dump(), not found["written"] or found["text"] != (asked.saved or asked.text))
    except OSError as error:
        not_kept = f"the drawing is not kept on disk, save it: {error.strerror or error}"
    return {**found, "not_kept": not_kept}


def drawings(session: StudioSession, _: Request, __: bytes) -> Any:
    """Return the list of drawings on disk."""
    return session.drawings.list_drawings()


def drawing(session: StudioSession, request: Request, _: bytes) -> Any:
    """Return a drawing on disk, or one of its earlier versions."""
    found = session.drawings.open(request.path_params["id"], request.path_params.get("version"))
    return {**found, "tube": content_view(found["tube"]), "file": None}


def save(session: StudioSession, _: Request, body: bytes) -> Any:
    """Write the file that the studio was started with."""
    asked = requests.parse(requests.SaveRequest, body)
    if session.file is None:
        raise FileChanged("the studio was not started with a file: save a copy")
    parse_content(asked.text)
    session.file.save(asked.text, asked.saved)
    return {}


def tube(_: StudioSession, __: Request, body: bytes) -> Any:
    """Return a tube with its derived figures (takes about 0.5 s)."""
    return add_figures(content_view(requests.parse(requests.TubeRequest, body).content))


# ---- runs ----


def runs(session: StudioSession, _: Request, __: bytes) -> Any:
    """Return the list of runs."""
    return session.folders.list_runs()


def unfinished(session: StudioSession, _: Request, __: bytes) -> Any:
    """Return the commands that go on with plans that ended without a design."""
    root = session.folders.root
    return [f"vinewright plan --resume {shlex.quote(str(root / name))}" for name in session.folders.list_unfinished()]


def run(session: StudioSession, request: Request, _: bytes) -> Any:
    """Return the view of a run."""
    name = request.path_params["name"]
    return run_view(session.folders[name], name)


def run_thumbnail(session: StudioSession, request: Request, _: bytes) -> Any:
    """Return what a small picture of a run shows."""
    return small_picture(session.folders[request.path_params["name"]])


def rename_run(session: StudioSession, request: Request, body: bytes) -> Any:
    """Rename the folder of a run, and tell all pages."""
    name, asked = request.path_params["name"], requests.parse(requests.RenameRequest, body)
    now = session.folders.rename(name, asked.name)
    session.tell({"type": "runs", "gone": name, "now": now})
    return {"name": now}


def delete_run(session: StudioSession, request: Request, body: bytes) -> Any:
    """Remove the folder of a run, and tell all pages."""
    requests.parse(requests.DeleteRequest, body)
    name = request.path_params["name"]
    session.folders.remove(name)
    session.tell({"type": "runs", "gone": name, "now": None})
    return {}


def run_zip(session: StudioSession, request: Request, _: bytes) -> Response:
    """Return the folder of a run as a zip file."""
    return Response(zip_folder(session.folders[request.path_params["name"]]), media_type="application/zip")


def picture(session: StudioSession, request: Request, _: bytes) -> Response:
    """Return the picture of a design."""
    form, key = request.path_params["form"], request.path_params["design"]
    data = render_picture(session.folders[request.path_params["name"]], key, form)
    return Response(data, media_type="image/png" if form == "png" else "image/svg+xml")


# ---- computing ----


def plan(session: StudioSession, _: Request, body: bytes) -> Any:
    """Start a plan."""
    asked = requests.parse(requests.PlanRequest, body)
    requests.check_options(asked.options)
    tube_in(asked.tube)
    names = {"begin": asked.begin, "learnt": asked.learnt}
    folders = {key: None if name is None else str(session.folders[name]) for key, name in names.items()}
    return {"job": session.plan(asked.model_dump() | folders)}


def stop(session: StudioSession, _: Request, body: bytes) -> Any:
    """Stop a plan, which keeps its best design, trials, or what is under way about a built design."""
    match requests.parse(requests.StopRequest, body).what:
        case "plan":
            session.planning.stop("plan")
        case "look":
            session.looking.stop("trials")
        case kind:
            session.building.stop(kind)
    return {}


def look(session: StudioSession, _: Request, body: bytes) -> Any:
    """Grow a design."""
    asked = requests.parse(requests.LookRequest, body)
    return {"job": session.look("look", asked.run, {"design": asked.design, "propagator": asked.propagator})}


def trials(session: StudioSession, _: Request, body: bytes) -> Any:
    """Grow a design under errors; earlier trials end."""
    asked = requests.parse(requests.TrialsRequest, body)
    session.looking.stop("trials")
    given = {"design": asked.design, "trials": asked.trials, "seed": asked.seed, **asked.errors.model_dump()}
    return {"job": session.look("trials", asked.run, given)}


def pack(session: StudioSession, _: Request, body: bytes) -> Any:
    """Make the files for fabrication."""
    asked = requests.parse(requests.PackRequest, body)
    given = {"design": asked.design, "allow_limit": asked.allow_limit, "zip": str(session.new_pack_path())}
    return {"job": session.look("pack", asked.run, given)}


def pack_zip(session: StudioSession, request: Request, _: bytes) -> Response:
    """Return a pack as a zip file."""
    return Response(session.pack(request.path_params["key"]), media_type="application/zip")


# ---- events ----


async def events(socket: WebSocket) -> None:
    """Send the events to a page, once it has sent the token."""
    session, guard = socket.app.state.session, socket.app.state.guard
    await socket.accept()
    try:
        first = json.loads(await asyncio.wait_for(socket.receive_text(), socket.app.state.first_message))
        token = first.get("token") if isinstance(first, dict) else None
    except (TimeoutError, ValueError, KeyError, RecursionError, WebSocketDisconnect):
        token = None
    if not guard.knows(token):
        await socket.close(1008)
        return
    queue = session.hub.attach()
    reading = asyncio.create_task(_until_closed(socket, queue))
    try:
        while (event := await queue.get()) is not None:
            await socket.send_text(json.dumps(event, separators=(",", ":")))
        await socket.close(1001)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        session.hub.detach(queue)
        reading.cancel()


async def _until_closed(socket: WebSocket, queue: asyncio.Queue[Any]) -> None:
    """Wait until the page is gone, and ignore its messages."""
    message = await socket.receive()
    while message["type"] != "websocket.disconnect":
        message = await socket.receive()
    queue.put_nowait(None)


def make_app(session: StudioSession, token: str, hosts: list[str], first_message: float = FIRST_MESSAGE) -> Starlette:
    """Make the application.

    Args:
        token: Secret that every request must carry.
        hosts: Allowed values of `Host`, with the port.
        first_message: Time within which a page must send the token to get events [s].
    """
    posts = {
        "open": open_text,
        "import": import_drawing,
        "check": check,
        "combine": combine,
        "save": save,
        "tube": tube,
        "image": image,
        "rectify": rectify_picture,
        "plan": plan,
        "stop": stop,
        "runs/{name}/rename": rename_run,
        "runs/{name}/delete": delete_run,
    }
    posts |= {"look": look, "trials": trials, "pack": pack, **built_answers.POSTS}
    gets = {
        "state": state,
        "drawings": drawings,
        "drawings/{id}": drawing,
        "drawings/{id}/{version}": drawing,
        "pictures/{key}": kept_picture,
        "runs": runs,
        "unfinished": unfinished,
        "runs/{name}": run,
        "runs/{name}/folder.zip": run_zip,
        "runs/{name}/thumbnail": run_thumbnail,
        "runs/{name}/built": built_answers.built,
        "runs/{name}/{design}/picture.{form:str}": picture,
        "packs/{key}.zip": pack_zip,
    }
    routes: list[Any] = [
        Route(f"/api/{path}", make_endpoint(answer), methods=["POST"]) for path, answer in posts.items()
    ]
    routes += [Route(f"/api/{path}", make_endpoint(answer), methods=["GET"]) for path, answer in gets.items()]
    routes += [WebSocketRoute("/api/events", events), Mount("/", StaticFiles(directory=PAGE, html=True))]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _answer_refusal})
    guard = Guard(app, token, hosts)
    app.state.session, app.state.guard, app.state.first_message = session, guard, first_message
    return app


async def _answer_refusal(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = {
        404: "there is nothing at this address",
        405: "this request is not allowed here",
        413: "the request is too large",
    }
    return JSONResponse({"error": words.get(status, "the request cannot be answered")}, status)


def _answer_failure(error: Exception) -> Response:
    """Answer a request that failed; errors of the project have a message for users."""
    message = line_of_error(error)
    for kind, status in STATUS.items():
        if isinstance(error, kind):
            return JSONResponse({"error": message}, status)
    return JSONResponse({"error": f"{type(error).__name__}: {message}"[:300]}, 500)
