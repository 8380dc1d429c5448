"""Stock sizes of lay-flat tube: the nearest ones to a design's tubes, and the design with these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynamics.moment import joint_moments
from dynamics.tube import VineParams
from planner.design.design import Design, InvalidDesign, types_of
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 25.4e-3}
"""Units of length [m]."""
NARROWEST, WIDEST = 10e-3, 3.0
"""Range of lay-flat widths [m]."""


@dataclass(frozen=True, slots=True)
class Stock:
    """The lay-flat widths [m] that a design's tubes have in the plan, and those chosen from the stock.

    The lay-flat width of a tube is half its circumference, pi times its radius when inflated: film is sold by it.
    """

    body: tuple[float, float]
    """Planned and chosen width of the body."""
    actuators: dict[str, tuple[float, float]]
    """Lay-flat widths [m] in the plan and from the stock, of the actuators of each type that is built and made from tube of one width."""
    growth_force: tuple[float, float]
    """Growth force [N] as planned and with the chosen tube."""
    kept: Sequence[str] = ()
    """Types of actuators that stay as planned."""

    def content(self) -> dict[str, Any]:
        """Return the widths for a JSON file."""
        pairs = {"body": self.body} | {self._name(kind, "_"): pair for kind, pair in self.actuators.items()}
        return {
            "lay_flat_width_mm": {name: _pair(1e3, pair) for name, pair in pairs.items()},
            "growth_force_n": _pair(1.0, self.growth_force),
        }

    @property
    def text(self) -> str:
        """Changes by the stock, on one line."""
        parts = [f"body {_widths(self.body)}, {_change(2e3 / np.pi, self.body, 'mm')} across when inflated"]
        parts += [f"{self._name(kind)} {_widths(pair)}" for kind, pair in self.actuators.items()]
        parts += [f"{self._name(kind)} as planned, not of tube of one width" for kind in self.kept]
        return f"nearest stock: {'; '.join(parts)}; growth force {_change(1.0, self.growth_force, 'N')}"

    def _name(self, kind: str, gap: str = " ") -> str:
        """Return the word for actuators of a type: the type if there are several."""
        return f"{kind}{gap}actuators" if len(self.actuators) + len(self.kept) > 1 else "actuators"


def parse_widths(text: str) -> list[float]:
    """Parse lay-flat widths [m], ascending, from text such as "50,75,100mm" or "2in, 10cm"; a unit holds for the numbers
    before it too.

    Raises:
        ValueError: It is malformed, or a width is out of range.
    """
    widths: list[float] = []
    unit: float | None = None
    for part in reversed(text.split(",")):
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*", part)
        if not found or (found[2] and found[2] not in UNITS):
            raise ValueError(
                f"{part.strip()!r} is not a width; give lay-flat widths such as 50,75,100mm ({', '.join(UNITS)})"
            )
        unit = UNITS[found[2]] if found[2] else unit
        if unit is None:
            raise ValueError(f"{text!r} has no unit; give lay-flat widths such as 50,75,100mm ({', '.join(UNITS)})")
        widths.append(float(found[1]) * unit)
        if not NARROWEST - 1e-12 <= widths[-1] <= WIDEST:
            raise ValueError(f"{part.strip()!r} must be from {1e3 * NARROWEST:g} mm to {WIDEST:g} m wide")
    return sorted(set(widths))


def with_stock(design: Design, widths: Sequence[float]) -> tuple[Design, Stock]:
    """Return the design with the tubes of its body and actuators replaced by the nearest lay-flat widths [m]; its sections
    stay.

    Raises:
        InvalidDesign: No width fits the actuators.
    """
    params = design.params
    planned = float(np.pi * params.radius)
    chosen = _nearest_width(planned, widths)
    made = _resize(params, chosen / planned)
    built, strips, kept = types_of(design), {}, []
    for one in params.actuators:
        if one.kind in built and isinstance(one, Spam | PouchMotor):
            strips[one.kind] = one.flat_width, _nearest_width(one.flat_width, widths)
            made = _with_strips(made, one, strips[one.kind][1])
        elif one.kind in built:
            kept.append(one.kind)
    forces = params.growth_force, made.growth_force
    return replace(design, params=made, success=None), Stock((planned, chosen), strips, forces, kept)


def _nearest_width(wanted: float, widths: Sequence[float]) -> float:
    return min(widths, key=lambda width: abs(width - wanted))


def _resize(params: VineParams, size: float) -> VineParams:
    """Return a tube of the same film and pressure and another radius; segments and actuators stay.

    Forces scale with P R^2, bending with P R^4 per rate, stiffness of the film with R^3, mass with R, as in `similar`.
    """
    stiffness = params.bending_stiffness
    return replace(
        params,
        radius=params.radius * size,
        hinge_length=params.hinge_length * size,
        growth_viscosity=params.growth_viscosity * size**2,
        bending_viscosity=params.bending_viscosity * size**4,
        bending_stiffness=None if stiffness is None else stiffness * size**3,
        inertia=replace(params.inertia, mass_per_length=params.inertia.mass_per_length * size),
    )


def _with_strips(params: VineParams, of: Spam | PouchMotor, width: float) -> VineParams:
    """Return the tube with one of its actuators of another lay-flat width [m]."""
    try:
        resized = replace(of, tube_radius=width / np.pi) if isinstance(of, Spam) else replace(of, width=width)
        first, *others = (resized if one.kind == of.kind else one for one in params.actuators)
        made = replace(params, actuator=first, others=tuple(others))
        joint_moments(made)
    except ValueError as error:
        raise InvalidDesign(f"--stock: no actuators of {1e3 * width:g} mm lay-flat tube: {error}; give a width nearer to "
                            f"{1e3 * of.flat_width:.0f} mm") from None  # fmt: skip
    return made


def _pair(factor: float, pair: tuple[float, float]) -> dict[str, float]:
    return {"planned": round(factor * pair[0], 3), "chosen": round(factor * pair[1], 3)}


def _widths(pair: tuple[float, float]) -> str:
    return f"{1e3 * pair[1]:.4g} mm lay-flat (planned {1e3 * pair[0]:.4g} mm)"


def _change(factor: float, pair: tuple[float, float], unit: str) -> str:
    return f"{factor * pair[1]:.3g} {unit} (planned {factor * pair[0]:.3g} {unit})"
