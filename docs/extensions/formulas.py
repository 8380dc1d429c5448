"""Extension: formulas become MathML when the documentation is built, so that pages need no script and no network."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def _mathml(node: Any, display: str) -> str:
    """The formula of a node; a warning if it is not LaTeX."""
    try:
        return convert(node.astext(), display=display)
    except Exception as error:  # the converter has no base class for what it raises
        logger.warning("formula %r: %r", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def inline(self: Any, node: nodes.Element) -> None:
    """Write a formula within a line."""
    self.body.append(_mathml(node, "inline"))
    raise nodes.SkipNode


def block(self: Any, node: nodes.Element) -> None:
    """Write a formula on lines of its own, with its number if it has one."""
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    self.body.append(f'<div class="math">{number}{_mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
