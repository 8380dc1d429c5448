"""The server of the studio: its port, its start and its end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import secrets
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from surrogate.kernels.stop_signals import HANG_UP, HangUp, raise_once
from vinewright.studio.events import BUSY
from vinewright.studio.starting import Starting

if TYPE_CHECKING:
    from vinewright.studio.session import StudioSession

LOOPBACK = "127.0.0.1"
EVERYWHERE = "0.0.0.0", "::"
"""Addresses that stand for all addresses of this machine."""
PORTS = 20
"""Number of ports that are tried."""
CLOSING = 1
"""Time for open connections to end [s]."""


class NoPort(OSError):
    """No port is free; the one-line message names the ports that were tried."""


@dataclass(frozen=True, slots=True)
class Listener:
    """The socket, address and token of a studio."""

    socket: socket.socket
    host: str
    port: int
    token: str

    @property
    def hosts(self) -> list[str]:
        """Values of the header `Host` that a browser may send."""
        names = {self.host, LOOPBACK, "localhost"} if is_loopback(self.host) else {self.host}
        if self.host in EVERYWHERE:
            names |= {LOOPBACK, "localhost", socket.gethostname(), socket.getfqdn(), *_addresses()}
        bracketed = [f"[{name}]" if ":" in name else name for name in names]
        # Browsers leave out port 80.
        return sorted([*(f"{name}:{self.port}" for name in bracketed), *(bracketed if self.port == 80 else [])])

    @property
    def address(self) -> str:
        """The address of the page. The token is in its fragment, which browsers send nowhere."""
        host = socket.gethostname() if self.host in EVERYWHERE else self.host
        name = f"[{host}]" if ":" in host else host
        return f"http://{name}:{self.port}/#{self.token}"


def _addresses() -> list[str]:
    """Return the addresses of this machine."""
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)]
    except OSError:
        return []


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def take_port(host: str, port: int, ports: int = PORTS) -> Listener:
    """Take the first free port from `port` on.

    Raises:
        NoPort: None of these ports is free, or the address is not this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise NoPort(f"--host {host} is no address of this machine: {error.strerror}") from None
    last = min(port + ports - 1, 65535)
    for number in range(port, last + 1):
        # asyncio sends small packets at once only if the protocol is given: otherwise each answer takes 40 ms longer.
        candidate = socket.socket(family, proto=socket.IPPROTO_TCP)
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((host, number))
            candidate.listen(64)
        except OSError as error:
            candidate.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                continue
            raise NoPort(f"--host {host} cannot be used: {error.strerror}") from None
        candidate.setblocking(False)
        return Listener(candidate, host, number, secrets.token_urlsafe(24))
    raise NoPort(f"the ports {port} to {last} are taken: give another --port")


def serve(make: Callable[[], StudioSession], listener: Listener, opened: Callable[[uvicorn.Server], None]) -> None:
    """Serve until Ctrl-C, SIGTERM or SIGHUP, then end the worker processes.

    Args:
        make: Makes the session, in a thread: what it imports takes longer than the page.
        opened: Called with the server when the page can be opened.
    """
    starting = Starting(make, listener.token, listener.hosts)
    try:
        with suppress(KeyboardInterrupt):  # Ctrl-C ends the server
            asyncio.run(_serve(starting, listener, opened))
        if starting.session and starting.session.hub.plan["phase"] in BUSY:
            print("ending: the plan under way keeps its best design; Ctrl-C again ends at once", flush=True)
    finally:
        if starting.session:
            starting.session.close()


async def _serve(starting: Starting, listener: Listener, opened: Callable[[uvicorn.Server], None]) -> None:
    config = uvicorn.Config(
        starting.guard, log_level="error", access_log=False, ws="websockets-sansio", timeout_graceful_shutdown=CLOSING,
        server_header=False, ws_max_size=65536, lifespan="off",
    )  # fmt: skip
    server = _Server(config, starting, opened)
    server.end_at_hang_up()
    await server.serve([listener.socket])
    if server.loading:
        await server.loading


class _Server(uvicorn.Server):
    """A server that calls a function when it has started, then loads the program, and closes the connections of pages when it ends."""

    def __init__(self, config: uvicorn.Config, starting: Starting, opened: Callable[[uvicorn.Server], None]) -> None:
        super().__init__(config)
        self.starting, self.opened = starting, opened
        self.loading: asyncio.Task[None] | None = None

    def end_at_hang_up(self) -> None:
        """Let SIGHUP, which comes when a terminal closes, end the server as SIGTERM does; further ones are ignored, also while it ends.

        An exception would be lost where it is raised while a library drops them; then the server would run for ever.
        """

        def end(number: int, _: FrameType | None) -> None:
            HangUp.came = True
            signal.signal(number, signal.SIG_IGN)
            self.should_exit = True

        if HANG_UP is not None and signal.getsignal(HANG_UP) is raise_once:  # otherwise `nohup` ignores it
            signal.signal(HANG_UP, end)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, call the function, and begin to load the program."""
        await super().startup(sockets)
        self.opened(self)
        self.loading = asyncio.create_task(self._load())

    async def _load(self) -> None:
        """Load the program; without it the server ends."""
        try:
            await self.starting.load()
        except Exception:
            self.should_exit = True
            raise

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the connections of pages, then the server."""
        if self.starting.session:
            self.starting.session.hub.close()
        await super().shutdown(sockets)
