"""Layer, colour and visibility of the entities of a DXF drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_BY_BLOCK, _BY_LAYER = 0, 256
"""Colour numbers of an entity that takes its colour from the INSERT around it, or from its layer."""
_SHARED = 0x01000000
"""Flag of a transparency that is taken from the INSERT around."""


@dataclass(frozen=True, slots=True)
class Look:
    """Layer and colour with which an entity is drawn."""

    layer: str = "0"
    color: str = "7"
    """Number of the AutoCAD colour index, or #rrggbb."""
    clear: bool = False
    """Whether it is transparent to 100 %."""


def look_of(entity: Any, layers: Any, outer: Look) -> Look:
    """Return the layer and colour of an entity.

    An entity on layer 0 is on the layer of the INSERT around it. Colour and transparency are its own, or those of its
    layer or of this INSERT, as it says.

    Args:
        entity: Any entity of a layout or of a block.
        layers: The table of layers.
        outer: Look of the INSERT around.
    """
    get = attributes(entity)
    layer = get("layer", "0")
    layer = outer.layer if layer == "0" else layer
    row = layers.get(layer) if layer in layers else None
    number, exact = get("color", _BY_LAYER), get("true_color", None)
    if exact is None and number == _BY_LAYER and row is not None:
        number, exact = row.color, row.dxf.get("true_color", None)
    if exact is not None:
        color = f"#{exact & 0xFFFFFF:06x}"
    elif number == _BY_BLOCK:
        color = outer.color
    else:
        color = str(7 if number == _BY_LAYER else number)
    return Look(layer, color, _is_clear(get("transparency", None), row, outer))


def _is_clear(transparency: int | None, row: Any, outer: Look) -> bool:
    """Return whether an entity is transparent to 100 %, by its own value, that of its layer or that of the INSERT around."""
    if transparency is None:
        return row is not None and bool(row.transparency == 1)
    return outer.clear if transparency & _SHARED else transparency & 0xFF == 0


def hides(layer: str, layers: Any, block: bool) -> bool:
    """Return whether a layer is off or frozen; one that is off hides no block, but what of it is on that layer.

    Args:
        layer: Its name.
        layers: The table of layers.
        block: Whether an INSERT is on it.
    """
    if layer not in layers:
        return False
    row = layers.get(layer)
    return bool(row.is_frozen() or (row.is_off() and not block))


def attributes(entity: Any) -> Callable[[str, Any], Any]:
    """Return the function that gives an attribute of an entity, or a default; also for types that ezdxf does not know."""
    from ezdxf.entities.dxfentity import DXFTagStorage

    stored = isinstance(entity, DXFTagStorage)
    return entity.graphic_properties().get if stored else entity.dxf.get
