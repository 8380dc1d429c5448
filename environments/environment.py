"""An environment: bounds, start pose, goal disc and obstacles; and its geometry as the content of a file."""

import hashlib
import json
import math
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from environments.conditions import Conditions, add_frame, check_conditions, find_piece
from environments.file_model import InvalidEnvironment
from environments.obstacles import Obstacles, is_box
from environments.uncertainty_in_files import UNSTATED, StatedUncertainty


class Source(NamedTuple):
    """The file that an environment was read from."""

    text: str
    """Its text; encoded as UTF-8 it is the file byte for byte, with the mark at its beginning, if any, and its line ends."""
    sha256: str
    """Identity of the arrays that were read: an environment whose arrays were changed afterwards is another one."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Environment:
    """An environment: bounds, start pose, goal disc and obstacles.

    >>> from environments import Obstacles
    >>> room = Environment(
    ...     name="room",
    ...     bounds=(0, 0, 2, 1),
    ...     start=(0.1, 0.3, 0),
    ...     goal=(1.8, 0.7, 0.1),
    ...     obstacles=Obstacles(circles=[(1.0, 0.5, 0.15)]),
    ... )
    >>> room.goal
    array([1.8, 0.7, 0.1])
    """

    name: str
    """Name, as in file names and tables."""
    description: str
    """Description as text; may be empty."""
    bounds: np.ndarray
    """min_x, min_y, max_x, max_y [m], shape (4,)."""
    start: np.ndarray
    """x, y [m] and heading [rad], anticlockwise from the x axis, shape (3,)."""
    goal: np.ndarray
    """x, y and radius of the goal disc [m], shape (3,)."""
    obstacles: Obstacles
    """Its obstacles."""
    tube: str | None = None
    """Default tube: the name of a shipped one, or the path of a file (`.toml`)."""
    mount: str = "free"
    """"free", or "wall": the tube comes out of the obstacle at which, or in which, the start lies."""
    edge: str = "open"
    """Kind of bounds: "open", where the tube's axis may not leave; the edge of a "table", over which no part of the
    tube may hang; or a solid "wall"."""
    stacked: bool = False
    """Whether parts of the tube may lie on one another, as in a bench with room above the tube; otherwise it may not cross itself."""
    friction: float | None = None
    """Coefficient of friction of the walls [-], for tubes without one of their own; None if unknown."""
    uncertainty: StatedUncertainty = UNSTATED
    """Errors with which it is built, as stated in its file; not part of `sha256`."""
    source: Source | None = field(init=False, default=None)
    """Its file; None for one made in code, also by `dataclasses.replace`, which may change anything."""
    _known_hash: tuple[bytes, str] = field(init=False, default=(b"", ""), repr=False)
    """Its `sha256`, and a quick hash of the arrays for which it was computed."""

    def __init__(
        self,
        name: str = "environment",
        description: str = "",
        bounds: ArrayLike | None = None,
        start: ArrayLike | None = None,
        goal: ArrayLike | None = None,
        obstacles: Obstacles | None = None,
        tube: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> None:
        """Bounds, start and goal are required, in metres and radians. `check_environment` checks whether they fit together.

        Args:
            conditions: `mount`, `edge`, `stacked`, `friction` and `uncertainty`.
        Raises:
            InvalidEnvironment: One of them is missing, or has another shape, `mount` or `edge` is not a known word, `stacked` not
                true or false, `friction` negative or not finite, or `uncertainty` names an obstacle that is not there.
            TypeError: An unknown argument.
        """
        # Fields of a frozen dataclass can only be set this way.
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "description", description)
        for key, value, parts in (
            ("bounds", bounds, ("min_x", "min_y", "max_x", "max_y")),
            ("start", start, ("x", "y", "heading")),
            ("goal", goal, ("x", "y", "radius")),
        ):
            array = np.asarray(() if value is None else value, float)
            if array.shape != (len(parts),):
                raise InvalidEnvironment(f"{key} = {value} must be {len(parts)} numbers: {', '.join(parts)}")
            object.__setattr__(self, key, array)
        object.__setattr__(self, "obstacles", Obstacles() if obstacles is None else obstacles)
        object.__setattr__(self, "tube", tube)
        check_conditions(conditions)
        object.__setattr__(self, "mount", conditions.get("mount", "free"))
        object.__setattr__(self, "edge", conditions.get("edge", "open"))
        object.__setattr__(self, "stacked", conditions.get("stacked", False))
        object.__setattr__(self, "friction", conditions.get("friction"))
        object.__setattr__(self, "uncertainty", given := conditions.get("uncertainty", UNSTATED))
        object.__setattr__(self, "source", None)
        object.__setattr__(self, "_known_hash", (b"", ""))
        for number, _ in given.obstacles:
            if not 1 <= number <= len(self.obstacles):
                raise InvalidEnvironment(
                    f"uncertainty names obstacle {number}, which is not there; this environment has {len(self.obstacles)}"
                )

    def __repr__(self) -> str:
        size = " x ".join(f"{side:g}" for side in self.bounds[2:] - self.bounds[:2])
        counts = ", ".join(f"{kind}: {count}" for kind, count in self.obstacles.counts.items() if count)
        return f"<Environment {self.name}: {size} m, {counts or 'no obstacles'}>"

    def keep_source(self, text: str) -> None:
        """Keep the text that this environment was just read from, to store it unchanged."""
        object.__setattr__(self, "source", Source(text, self.sha256))

    @property
    def solids(self) -> Obstacles:
        """All solids: the obstacles and, if the bounds are walls, these walls as the last polygons."""
        return add_frame(self.obstacles, self.bounds) if self.edge == "wall" else self.obstacles

    @property
    def mounted(self) -> np.ndarray:
        """Mask of the `solids` in which the base is mounted: the nearest solid, or the solid around it, with all that touch it.

        In the order of their `shapes`, shape (n,), bool; none if the mount is free.
        """
        solids = self.solids
        if self.mount == "free":
            return np.zeros(len(solids), bool)
        return find_piece(solids, self.start[:2])

    @property
    def sha256(self) -> str:
        """Hash of the geometry (without name, description and tube), independent of the file's layout and unit.

        Numbers are rounded to 12 significant digits in millimetres and degrees.
        """
        # To write all numbers of a large map as text takes a second, and every design names its environment.
        if (quick := self._quick_hash()) != self._known_hash[0]:
            text = json.dumps(content_of(self), sort_keys=True, separators=(",", ":"))
            object.__setattr__(self, "_known_hash", (quick, hashlib.sha256(text.encode()).hexdigest()))
        return self._known_hash[1]

    def _quick_hash(self) -> bytes:
        """Hash of everything that `sha256` depends on, with all digits; it differs wherever that may."""
        solid, found = (
            self.obstacles,
            hashlib.sha256(repr((self.mount, self.edge, self.stacked, self.friction)).encode()),
        )
        for array in (self.bounds, self.start, self.goal, *solid.polygons, solid.circles, solid.walls):
            found.update(repr(array.shape).encode() + np.ascontiguousarray(array).data)
        return found.digest()


def content_of(environment: Environment) -> dict[str, dict[str, Any]]:
    """Return the geometry that is hashed: millimetres and degrees, rounded, whole numbers as integers; walls with flat ends are
    polygons."""
    bounds, start, goal, obstacles = environment.bounds, environment.start, environment.goal, environment.obstacles
    polygons = [[to_millimetres(point) for point in polygon] for polygon in obstacles.polygons]
    # Whatever its kind, a leading polygon counts as a box if it is one: the hash does not depend on how it was written.
    boxes = [[*polygon[0], *polygon[2]] for polygon in takewhile(is_box, polygons)]
    # Defaults are left out: they keep the hash that files without these keys have.
    edge = {} if environment.edge == "open" else {"edge": environment.edge}
    stacked = {"stacked": True} if environment.stacked else {}
    mount = {} if environment.mount == "free" else {"mount": environment.mount}
    return {
        "bounds": {"min": to_millimetres(bounds[:2]), "max": to_millimetres(bounds[2:]), **edge, **stacked},
        "start": {"position": to_millimetres(start[:2]), "heading_deg": _tidy(math.degrees(start[2])), **mount},
        "goal": {"position": to_millimetres(goal[:2]), "radius": _tidy(1000 * goal[2])},
        "obstacles": {
            "boxes": boxes,
            "polygons": polygons[len(boxes) :],
            "circles": [to_millimetres(circle) for circle in obstacles.circles],
            "walls": [to_millimetres(wall) for wall in obstacles.walls],
            **({} if environment.friction is None else {"friction": _tidy(environment.friction)}),
        },
    }


def to_millimetres(lengths: np.ndarray) -> list[int | float]:
    """Convert lengths [m] to millimetres as in a file, shape (n,)."""
    return [_tidy(1000 * length) for length in lengths]


def _tidy(value: float) -> int | float:
    """Round a number as in a file."""
    # 12 digits hide the rounding of the unit conversion, so that 71.6 mm remains 71.6 mm.
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() else rounded
