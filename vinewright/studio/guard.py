"""Access control of the studio: only its own page may send requests, with the token."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-vinewright-token"
MOST_BYTES = 25_000_000
"""Maximum size of a request; the largest are pictures."""


def policy(hosts: Iterable[str]) -> str:
    """Return the content security policy of the page: only its own files, no inline scripts or styles, no frames."""
    sockets = " ".join(f"ws://{host}" for host in hosts)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        f"connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class Guard:
    """Checks every request before the application sees it.

    The `Host` must be on a list, which defeats DNS rebinding; the `Origin`, which browsers send with requests of pages, must be that
    host; everything below `/api/` needs the token in a header, which no other page can set. The socket gets it in its first message.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        """Guard an application.

        Args:
            hosts: Allowed values of `Host`, with the port.
        """
        self.app, self.token, self.hosts = app, token, frozenset(host.lower() for host in hosts)
        self.headers = {
            "content-security-policy": policy(sorted(self.hosts)),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "cache-control": "no-store",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self.app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await JSONResponse({"error": refusal[1]}, refusal[0])(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return status and reason of a refusal; None if the request is allowed."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if host not in self.hosts:
            return 421, "this host is not the studio's"
        if origin is not None and origin != f"http://{host}":
            return 403, "the request comes from another page"
        # A link to the page may stand anywhere: its files hold no secret.
        followed = headers.get("sec-fetch-mode") == "navigate" and not scope["path"].startswith("/api/")
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not followed:
            return 403, "the request comes from another page"
        if scope["type"] == "websocket":
            return None if origin is not None else (403, "a socket needs an origin")
        if scope["path"].startswith("/api/") and not self.knows(headers.get(TOKEN_HEADER, "")):
            return 401, "the token is missing or wrong: open the address that the terminal shows"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return 413, f"the request is larger than the allowed {MOST_BYTES / 1e6:g} MB"
        return None

    def knows(self, token: object) -> bool:
        """Return whether a token is the token of this studio."""
        return isinstance(token, str) and hmac.compare_digest(token.encode(errors="replace"), self.token.encode())
