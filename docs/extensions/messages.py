"""Extension: the directive `messages`, which lists the messages of a topic with an anchor, an exit code and what to do.

The messages are read from the source of the program (`collected`), so that none is missing and each has the words of the program.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from collected import Message, collected
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from templates import pieces

logger = logging.getLogger(__name__)
HERE = Path(__file__).parent
PREFIX = "message-"
"""How every anchor begins."""
SAYS = re.compile(
    r"must|what to do|\bmove the|\bupdate the|"
    r"\bgive\b|\buse\b|allowed|needs?\b|\btry\b|at most|at least|one of|\bknown:|\bsave |leave|\bmake |\badd |install|\bcheck |choose|"
    r"simplify|remove|correct|restore|ungroup|end other|resume|\bagain\b|larger|smaller|expected|\bdelete|\bdraw one|convert|explode|"
    r"name another|\bsplit it|stop it|wait a|next:|lifts|lists|available|belongs?|\bis for\b|are for|only|constrict|"
    r"begin|put it|missing option|cannot be switched|are started with|layers for|plans without",
    re.IGNORECASE,
)
"""Words with which a message says what to do, or what is allowed."""
ENDS = {
    "": "a warning; the command goes on",
    "2": "exit code 2",
    "3": "exit code 3",
    "4": "exit code 4",
    "130": "exit code 130",
}


@cache
def by_topic() -> dict[str, list[Message]]:
    """All messages by topic, in the order of their words."""
    topics = tomllib.loads((HERE / "topics.toml").read_text(encoding="utf-8"))
    found: dict[str, list[Message]] = {topic: [] for topic in topics}
    for message in collected():
        found[topic_of(message.places[0].module, topics)].append(message)
    return {topic: sorted(some, key=lambda one: one.text.lstrip("*[").lower()) for topic, some in found.items()}


def topic_of(module: str, topics: dict[str, list[str]]) -> str:
    """The topic whose path is the longest one that a module is, or is in.

    Raises:
        KeyError: There is none.
    """
    fits = [
        (len(path), topic)
        for topic, paths in topics.items()
        for path in paths
        if module == path or module.startswith(f"{path}/")
    ]
    if not fits:
        raise KeyError(f"{module} belongs to no topic of docs/extensions/topics.toml")
    return max(fits)[1]


@cache
def _advice() -> dict[re.Pattern[str], str]:
    content = tomllib.loads((HERE / "advice.toml").read_text(encoding="utf-8"))
    return {re.compile(found): text for found, text in content.items()}


def advice_of(message: Message) -> str:
    """What to do about a message that does not say it; "" for one that does."""
    if SAYS.search(message.text):
        return ""
    return next((text for found, text in _advice().items() if found.search(message.text)), "")


class Messages(SphinxDirective):
    """The messages of a topic."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A definition list: each message with its anchor, and below it how the command ends and what to do."""
        every = by_topic()
        self.env.note_dependency(str(HERE / "advice.toml"))
        shown = nodes.definition_list(classes=["messages"])
        for message in every[self.arguments[0]]:
            shown += self._item(message)
        return [shown]

    def _item(self, message: Message) -> nodes.definition_list_item:
        said = advice_of(message)
        if not said and not SAYS.search(message.text):
            logger.warning(
                "the message %r does not say what to do, and advice.toml neither",
                message.text,
                location=self.get_location(),
            )
        term = nodes.term(ids=[PREFIX + message.anchor])
        # Code, because prose would turn two hyphens into a dash.
        words = nodes.literal(classes=["message"])
        words += _nodes(message)
        term += words
        term += nodes.reference("", "¶", refuri=f"#{PREFIX}{message.anchor}", classes=["headerlink"])
        below = nodes.paragraph()
        if message.code != "2":
            below += nodes.Text(f"{ENDS[message.code]}. ".capitalize())
        if said:
            below += self.parse_inline(said)[0]
        return nodes.definition_list_item("", term, nodes.definition("", *([below] if len(below) else [])))


def _nodes(message: Message) -> list[nodes.Node]:
    """The words of a message; what is filled in is in italics."""
    kinds: dict[str, Any] = {"words": nodes.Text, "name": lambda text: nodes.emphasis("", text)}
    return [kinds[kind](text) for kind, text in pieces(message.template)]


def count(_app: Sphinx) -> None:
    """Say how many messages there are."""
    logger.info("messages: %s", ", ".join(f"{topic} {len(some)}" for topic, some in by_topic().items()))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("messages", Messages)
    app.connect("builder-inited", count)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
