"""`vinewright studio`: a page in the browser to draw, plan, look and make."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.console.completion import environment_names
from vinewright.console.errors import BadInput, readable_errors

if TYPE_CHECKING:
    from vinewright.studio.session import StudioSession

PORT = 8737


def studio(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="[ENV|RUN]",
            help="A shipped environment, a TOML file, or the folder of a plan; without it, an empty drawing.",
            show_default=False,
            autocompletion=environment_names,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Number of the port; the next free one if it is taken.")
    ] = PORT,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen at; others than this machine's own are a risk.")
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Show the address, but open no browser.")] = False,
) -> int:
    """Open a page in the browser: draw an environment, watch the search, look at the result, download the files. Ctrl-C ends it."""
    with readable_errors():
        from vinewright.studio.server import NoPort, is_loopback, serve, take_port

        make = check_argument(path)
        try:
            listener = take_port(host, port)
        except NoPort as error:
            raise BadInput(str(error)) from None
    if listener.port != port:
        print(f"port {port} is taken: using {listener.port}")
    if not is_loopback(host):
        print(
            f"warning: everyone who can reach {host} and learns the address below can plan and read your runs; "
            "nothing is encrypted",
            file=sys.stderr,
        )

    with TemporaryDirectory(prefix="vinewright-studio-") as folder, readable_errors():

        def opened(_: object) -> None:
            print(
                f"studio: {listener.address}\nCtrl-C ends it; a plan under way then keeps its best design", flush=True
            )
            if not no_browser:
                # In its own thread, since some browsers return only when they are closed.
                threading.Thread(target=_open_browser, args=(listener.address, Path(folder)), daemon=True).start()

        serve(make, listener, opened)
    return 0


def check_argument(path: str | None) -> Callable[[], StudioSession]:
    """Check the argument of the command; return what makes the session of the studio, which takes longer to import than the page.

    Raises:
        InvalidEnvironment: The file is no environment.
        InvalidDesign: The folder is not the folder of a plan.
    """
    shipped = is_run = False
    if path is not None:
        from environments import known_environments, load_environment
        from planner.design.design_file import load_design

        shipped, is_run = path in known_environments(), Path(path).is_dir()
        if is_run and not shipped:
            load_design(Path(path))
        elif not shipped:
            load_environment(path, 0.0)

    def make() -> StudioSession:
        from vinewright.studio.session import OpenedFile, StudioSession

        root = Path("runs")
        if path is None or shipped:
            return StudioSession(root, shipped=path)
        return StudioSession(root, run=Path(path).resolve()) if is_run else StudioSession(root, OpenedFile(Path(path)))

    return make


def _open_browser(address: str, folder: Path) -> None:
    """Open the page; without a browser, point to the printed address.

    The browser gets a file that leads to the address, since every user of this machine can read the command lines of programs.

    Args:
        folder: A folder that no other user can read.
    """
    file = folder / "studio.html"
    file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8")
    try:
        is_open = webbrowser.open(file.as_uri())
    except webbrowser.Error:
        is_open = False
    if not is_open:
        print("no browser was found: open the address above in one", flush=True)
