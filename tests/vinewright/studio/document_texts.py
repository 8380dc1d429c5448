"""Environment files in every layout that the studio must keep."""

import tomllib
from importlib.resources import files
from typing import Any

from environments import known_environments
from vinewright.studio.document import KINDS

BENCH = """# A bench.
schema = 2
name = "bench"   # its name
unit = "mm"

[bounds]
min = [0, 0]
max = [2_000, 1000.0]  # inner faces

[start]
position = [100, 100]
heading_deg = 90.0

[goal]
position = [1800, 900]
radius = 1e2

[obstacles]
boxes = [  # [x_min, y_min, x_max, y_max]
  # the fridge
  [400, 0, 500.00, 600],  # <box 0>
  # the table: two parts
  [700, 300, 800, 400],   # <box 1>
  [+720, 400, 760, 450],  # <box 2>

  [1500, 0, 1520, 50],    # <box 3>
]
circles = [
  [1200, 500, 80.5],  # <circle 0>
  [1300, 500, 10]     # <circle 1>
]  # round things
walls = [[1500, 1000, 1500, 300, 12], [1600, 1000, 1600, 900, 0]]
polygons = [
  [
    [800, 100],  # a corner
    [900, 100],
    [850, 250],
    [850, 250],
  ],  # <polygon 0>
]
friction = 0.20

[uncertainty]
preset = "workshop"

# of the fridge
[uncertainty.obstacle."box 1"]
size_mm = 1.5

[uncertainty.obstacle."box 3"]
size_mm = 3.5  # guessed
# more of it

[uncertainty.obstacle."polygon 1"]  # the triangle
size_mm = 5.5

[uncertainty.obstacle."wall 2"]
size_mm = 9.5
"""
BRACES = """bounds = {min = [0, 0], max = [2, 1]}
schema = 2
unit = "m"
start.position = [0.1, 0.1]
start.heading_deg = 90
obstacles = { boxes = [[0.4, 0, 0.5, 0.6], [0.7, 0.3, 0.8, 0.4]], circles = [] }
goal = { position = [1.8, 0.9], radius = 0.1 }
uncertainty = { obstacle = { "box 1" = { size_mm = 1.5 }, "box 2".size_mm = 2.5 }, start_position_mm = 1.0 }
"""
COMMA_FIRST = """\ufeffunit = 'cm'
schema = 1

[obstacles]
walls = [ # x1, y1, x2, y2, thickness
    [150, 100, 150, 30, 1.2] # <wall 0>
  , [30, 50, 40, 50, 0], [31, 60, 41, 60, 0.5] # <wall 2>
  , [160, 100, 160, 90, 0] # <wall 3>
  ]

[goal]
radius = 10
position = [180, 90]
[start]
heading_deg = 0
position = [10.0, 10.0]
[bounds]
max = [200, 100]
min = [0, 0]"""
DOTTED = """schema = 2
unit = "cm"
uncertainty."obstacle".'circle 1'.size_mm = 1.5 # dotted
uncertainty.obstacle."circle 2" = {size_mm = 2.5}
uncertainty.obstacle."circle 3".size_mm = 3.5
bounds . min = [0, 0]
bounds . max = [200, 100]
obstacles.circles = [[120, 50, 8], [130, 50, 1], [140, 50, 1]]
obstacles.boxes = []
goal.position = [180, 90]
goal.radius = 10
  [ start ]
  position = [10, 10]
  heading_deg = 0
"""
NAMES = """
# for people
[obstacles.names]
"box 1" = "fridge"  # cold
'box 4' = "sill"
"wall 2" = "line \\"a\\""
"""
NAMED_BRACES = BRACES.replace("circles = [] }", 'circles = [], names = { "box 2" = "chair" } }')
NAMED_DOTTED = DOTTED.replace(
    "obstacles.boxes = []", "obstacles.boxes = []\nobstacles.names.\"circle 2\" = 'pipe'  # its own"
)
OWN = {
    "named": BENCH + NAMES, "named braces": NAMED_BRACES, "named dotted": NAMED_DOTTED,
    "bench": BENCH, "crlf": BENCH.replace("\n", "\r\n"), "braces": BRACES, "comma first": COMMA_FIRST,
    "dotted": DOTTED, "metres": BENCH.replace('"mm"', '"m"').replace("2_000", "200_0"),
}  # fmt: skip
SHIPPED = {name: (files("environments") / f"{name}.toml").read_text("utf-8") for name in known_environments()}
TEXTS = OWN | SHIPPED


def identity(content: Any) -> dict[str, list[int | None]]:
    return {kind: [*range(len(content["obstacles"][kind]))] for kind in KINDS}


def numbered(text: str) -> dict[str, Any]:
    """Find the errors of single obstacles in a file."""
    found: dict[str, Any] = tomllib.loads(text.removeprefix("\ufeff")).get("uncertainty", {}).get("obstacle", {})
    return found
