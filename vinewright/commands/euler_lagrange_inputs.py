"""Options of `vinewright euler-lagrange` for the inputs of a robot and for its start."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from vinewright.console.errors import BadInput

if TYPE_CHECKING:
    from dynamics.euler_lagrange.input_table import InputTable
    from surrogate.kernels.compiled import Floats

InputsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv",
        help="Inputs over time: columns time_s, core_n (force) or core_kpa (pressure), and spam_1_n, spam_2_n, spam_3_n (tensions) or "
        "spam_1_kpa, spam_2_kpa, spam_3_kpa (pressures); linear between rows, two rows with the same time are a jump. Default: "
        "constant inputs.",
    ),
]
CoreOption = Annotated[
    float | None,
    typer.Option(metavar="N", help="Constant force in the core, in newtons. Default: 0.", show_default=False),
]
CorePressureOption = Annotated[
    float | None,
    typer.Option(
        metavar="KPA",
        help="Constant pressure in the core, in kPa, instead of a force: it pushes with this times the tube's cross-section.",
        show_default=False,
    ),
]
TensionsOption = Annotated[
    str | None, typer.Option(metavar="N,N,N", help="Constant tensions of the three sPAMs, in newtons. Default: 0.")
]
PressuresOption = Annotated[
    str | None,
    typer.Option(metavar="KPA,KPA,KPA", help="Constant pressures of the three sPAMs, in kPa, instead of tensions."),
]


class InputOptions(NamedTuple):
    """Values of the options of inputs, as they were given."""

    inputs: Path | None
    core: float | None
    core_pressure: float | None
    tensions: str | None
    pressures: str | None

    def table(self) -> InputTable:
        """Return the inputs.

        Raises:
            BadInput: Options exclude each other, or a value is out of range.
            InvalidTimeTable: The file cannot be used.
        """
        from dynamics.euler_lagrange.input_table import InputTable
        from dynamics.euler_lagrange.time_table import read_inputs

        pairs = [
            *(("inputs", other) for other in self._fields[1:]),
            ("core", "core_pressure"),
            ("tensions", "pressures"),
        ]
        for names in pairs:
            if all(getattr(self, name) is not None for name in names):
                one, other = (f"--{name.replace('_', '-')}" for name in names)
                raise BadInput(f"{one} and {other} exclude each other; give one of them")
        if self.inputs is not None:
            return read_inputs(self.inputs)
        pushed = self.core_pressure is not None
        core = _checked("--core-pressure" if pushed else "--core", self.core_pressure or self.core or 0.0, pushed)
        pressurised = self.pressures is not None
        option, text = ("--pressures", self.pressures) if pressurised else ("--tensions", self.tensions)
        pulls = (0.0, 0.0, 0.0) if text is None else parse_three(option, text, "kPa" if pressurised else "N")
        checked = [_checked(option, one, pressurised) for one in pulls]
        return InputTable.constant(core, checked, pressurised, pushed)

    def shown(self) -> dict[str, str | float | None]:
        """Return the options for a command line; of an absolute path only the name."""
        return {**self._asdict(), "inputs": self.inputs and shown_path(self.inputs)}


def _checked(option: str, value: float, pressure: bool) -> float:
    """Check a force [N] or a pressure [kPa], and return it in SI units.

    Raises:
        BadInput: It is out of range.
    """
    from dynamics.euler_lagrange.time_table import MOST_FORCE, MOST_PRESSURE

    most, unit = (MOST_PRESSURE, "kPa") if pressure else (MOST_FORCE, "N")
    if not 0 <= value <= most:
        raise BadInput(f"{option} {value:g} must be from 0 to {most:g} {unit}")
    return 1e3 * value if pressure else value


def parse_three(option: str, text: str, unit: str) -> tuple[float, float, float]:
    """Parse three finite numbers that are separated by commas.

    Raises:
        BadInput: They are not.
    """
    try:
        first, second, third = (float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"{option} {text} must be three numbers separated by commas, in {unit}") from None
    if not all(map(math.isfinite, (first, second, third))):
        raise BadInput(f"{option} {text} must be three finite numbers, in {unit}")
    return first, second, third


def parse_start(text: str) -> Floats:
    """Parse an initial s [m], theta and phi [rad], shape (3,).

    Raises:
        BadInput: It is none.
    """
    from dynamics.euler_lagrange.model import check_start
    from dynamics.euler_lagrange.time_table import POLAR, check_range

    given = parse_three("--start", text, "metres and radians")
    try:
        start = check_start(given)
        for name, value in zip(POLAR, given, strict=True):
            check_range(name, value)
        return start
    except ValueError as error:
        raise BadInput(f"--start {text}: {error}") from None


def shown_path(path: str | Path) -> str:
    """Return a path as it is written into results: as given, or only its name if it is absolute."""
    return Path(path).name if Path(path).is_absolute() else str(path)
