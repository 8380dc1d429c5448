"""The beginning of a studio: the page is served at once, while the program behind it is imported in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from vinewright.studio.events import Message
from vinewright.studio.guard import Guard

if TYPE_CHECKING:
    from vinewright.studio.session import StudioSession

PAGE = Path(__file__).parent / "page"


class Starting:
    """Answers with the files of the page until the program is there; requests to the program wait for it."""

    def __init__(self, make: Callable[[], StudioSession], token: str, hosts: list[str]) -> None:
        """Make the application of the beginning.

        Args:
            make: Makes the session; called in a thread.
            token: Secret that every request must carry.
            hosts: Allowed values of `Host`, with the port.
        """
        self.make, self.token, self.hosts = make, token, hosts
        self.session: StudioSession | None = None
        """The session, once its processes have been started."""
        self.program: ASGIApp | None = None
        self.ended = asyncio.Event()
        """Whether the program is there, or could not be loaded."""
        self.files = StaticFiles(directory=PAGE, html=True)
        self.guard = Guard(self._answer, token, hosts)

    async def load(self) -> None:
        """Import the program, make the session and start its processes."""
        loop = asyncio.get_running_loop()
        try:
            session, program = await asyncio.to_thread(self._import)

            def tell(event: Message) -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(session.hub.tell, event)

            session.start(tell)
            self.session, self.program = session, program
        finally:
            self.ended.set()

    def _import(self) -> tuple[StudioSession, ASGIApp]:
        session = self.make()
        from vinewright.studio.app import make_app

        _ = session.known  # the first page asks for it
        return session, make_app(session, self.token, self.hosts)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith("/api/"):
            await self.ended.wait()
        if self.program:
            await self.program(scope, receive, send)
        else:
            await self.files(scope, receive, send)
