"""Metres for the coordinates of a GeoJSON file, which are lengths or degrees."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from environments.importing.marks import quote_name
from environments.importing.traced import UnusableFile
from environments.importing.units import METRES, metres_in
from environments.lengths import format_length

_CODE = re.compile(r"(?:^|:)EPSG:(?:[\d.]*:)?(\d+)\Z", re.IGNORECASE)
_METRIC = (range(32601, 32661), range(32701, 32761), range(25828, 25839), range(26901, 26924))
"""Codes of UTM zones: of WGS 84 north and south, ETRS89 and NAD83. Their coordinates are metres, true to 0.1 %."""
_GEOGRAPHIC = range(4001, 5000)
"""Codes of systems with degrees are in this range."""
_WGS_84 = 4326
_EQUATOR = 6_378_137.0
"""Half of the long axis of the ellipsoid of WGS 84 [m]."""
_FLATTENING = 1 / 298.257223563
_ECCENTRICITY_2 = _FLATTENING * (2 - _FLATTENING)
_FURTHEST = 5000.0
"""Largest distance from the middle for which degrees become metres [m]."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Map from the coordinates of a file to metres."""

    origin: np.ndarray
    """Coordinates of the origin, shape (2,)."""
    metres: np.ndarray
    """Metres in a unit of x and of y, shape (2,)."""
    length: float
    """Metres in the unit of radii and thicknesses."""
    notes: tuple[str, ...]

    def apply(self, points: np.ndarray) -> np.ndarray:
        """Return points [m], shape (n, 2)."""
        return (points - self.origin) * self.metres


def frame_of(crs: Any, unit: str | None, points: np.ndarray) -> Frame:
    """Return the frame of a file.

    By RFC 7946 coordinates are longitude and latitude on the ellipsoid of WGS 84, unless the file names another system, as
    older ones do, or the user a unit.

    Args:
        crs: The member `crs` of the file; None if it has none.
        unit: Unit of the coordinates that the user names.
        points: All points that are used, at least one, shape (n, 2).

    Raises:
        UnusableFile: The coordinates are in a system that is not known, contradict the unit, or are degrees too far apart.
    """
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = str(properties.get("name", "")) if isinstance(properties, dict) else ""
    match = _CODE.search(name)
    code = int(match[1][:9]) if match else 0
    geographic = name.upper().endswith("CRS84") or code == _WGS_84
    if geographic and unit is not None:
        raise UnusableFile(f"has degrees ({quote_name(name)}); leave --unit out")
    if code in _GEOGRAPHIC and not geographic:
        raise UnusableFile(f"has degrees ({quote_name(name)}); save it in the UTM zone of the place")
    if any(code in zone for zone in _METRIC):
        if unit not in (None, "m"):
            raise UnusableFile(f"is in metres ({quote_name(name)}), --unit says {unit}; leave --unit out")
        return _lengths(1.0)
    if unit is not None:
        return _lengths(metres_in(unit))
    if geographic or not name:
        if (np.abs(points) <= [180.0, 90.0]).all():
            return _degrees(points, bool(name))
        if geographic:
            raise UnusableFile(
                f"has coordinates that are no degrees, against its {quote_name(name)}; correct this name"
            )
    reason = (
        f"has the reference system {quote_name(name)}"
        if name
        else "names no reference system, and its coordinates are no degrees"
    )
    raise UnusableFile(
        f"{reason}; if they are lengths, give --unit, one of {', '.join(METRES)}, or save it in a UTM zone"
    )


def _lengths(metres: float) -> Frame:
    return Frame(np.zeros(2), np.full(2, metres), metres, (f"the unit of the coordinates is {1000 * metres:g} mm",))


def _degrees(points: np.ndarray, named: bool) -> Frame:
    """Return the frame of longitudes and latitudes: metres east and north of the middle.

    A degree has the length of its arc at the middle, by the radii of curvature of the ellipsoid there: N of the prime
    vertical and M of the meridian (J. P. Snyder, Map Projections: A Working Manual, USGS Professional Paper 1395, 1987,
    equations 4-18 and 4-20).

    Args:
        points: Longitude and latitude [degrees], shape (n, 2).
        named: Whether the file names their reference system.

    Raises:
        UnusableFile: They are too far apart.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    origin = np.round((low + high) / 2, 7)
    sine, cosine = math.sin(math.radians(origin[1])), math.cos(math.radians(origin[1]))
    bend = 1 - _ECCENTRICITY_2 * sine**2
    across = _EQUATOR / math.sqrt(bend)
    along = _EQUATOR * (1 - _ECCENTRICITY_2) / bend**1.5
    frame = Frame(origin, np.radians([across * cosine, along]), 1.0, ())
    reach = float(np.hypot(*frame.apply(points).T).max())
    if reach > _FURTHEST:
        lengths = "" if named else f"; if they are lengths, give --unit, one of {', '.join(METRES)}"
        raise UnusableFile(
            f"has coordinates that as degrees reach {reach / 1000:.0f} km from their middle; keep what is within "
            f"{_FURTHEST / 1000:.0f} km, or save it in the UTM zone of the place{lengths}"
        )
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    error = float(np.hypot(*(frame.apply(corners) - _tangent_plane(corners, origin)).T).max())
    note = (
        f"the coordinates are degrees (WGS 84): latitude {origin[1]:.7f}, longitude {origin[0]:.7f} is the origin, "
        f"and positions are wrong by at most {format_length(1e3 * error, 'mm')} mm"
    )
    return Frame(origin, frame.metres, 1.0, (note,))


def _tangent_plane(points: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Return the positions of points on the ellipsoid in the plane that touches it at the origin, east and north [m].

    Args:
        points: Longitude and latitude [degrees], shape (n, 2).
        origin: Those of the origin, shape (2,).
    """
    longitude, latitude = np.radians(np.vstack([origin, points])).T
    across = _EQUATOR / np.sqrt(1 - _ECCENTRICITY_2 * np.sin(latitude) ** 2)
    x, y = across * np.cos(latitude) * np.cos(longitude), across * np.cos(latitude) * np.sin(longitude)
    space = np.column_stack([x, y, across * (1 - _ECCENTRICITY_2) * np.sin(latitude)])
    sin_x, cos_x, sin_y, cos_y = (f(a) for a in (longitude[0], latitude[0]) for f in (math.sin, math.cos))
    east, north = [-sin_x, cos_x, 0.0], [-sin_y * cos_x, -sin_y * sin_x, cos_y]
    return (space[1:] - space[0]) @ np.array([east, north]).T
