"""Extension: the table of common films and the sources of its numbers, written at each build from `surrogate.films`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pages import write
from sphinx.application import Sphinx

from surrogate.films import FILMS, MATERIALS, SOURCES, Material, Quantity, material_of

PAGE = Path(__file__).parents[2] / "docs" / "generated" / "films.md"
HEAD = "| name | material | thickness | modulus | yields at | breaks at | sealing bar | time |\n|---|---|---|---|---|---|---|---|"


def write_page(_app: Sphinx) -> None:
    """Write the table below `docs/generated`."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    write(PAGE, page())


def page() -> str:
    """Table of all films, and a list of where the numbers of each material are from."""
    lines = [HEAD, *(_row(name) for name in FILMS), "", "Where the numbers are from:", ""]
    for material in MATERIALS.values():
        lines.append(f"- {material.title[0].upper()}{material.title[1:]}: {'; '.join(_origins(material))}.")
    lines += ["", "Sources:", ""]
    lines += [f"{number}. {source}" for number, source in enumerate(SOURCES.values(), start=1)]
    return "\n".join(lines) + "\n"


def _row(name: str) -> str:
    film, made = FILMS[name], material_of(name)
    assert made is not None
    stresses = (f"{1e-6 * stress:.3g} MPa" for stress in (film.modulus, film.yield_stress, film.strength))
    temperature, time = made.sealing.temperature, made.sealing.time
    ranges = f"{temperature[0]:g} to {temperature[1]:g} °C", f"{time[0]:g} to {time[1]:g} s"
    return f"| {' | '.join((f'`{name}`', made.title, f'{1e6 * film.thickness:g} µm', *stresses, *ranges))} |"


def _origins(material: Material) -> Iterator[str]:
    quantities = {
        "modulus": material.modulus,
        "yield stress": material.yield_stress,
        "strength": material.strength,
        "sealing": Quantity(0.0, material.sealing.sources),
    }
    for name, quantity in quantities.items():
        sources = ", ".join(str(list(SOURCES).index(key) + 1) for key in quantity.sources)
        origin = f"source{'s' * (len(quantity.sources) > 1)} {sources}" if sources else ""
        yield f"{name} {', '.join(filter(None, (origin, quantity.note)))}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_page)
    app.connect("config-inited", lambda _app, config: config.exclude_patterns.append("generated/films.md"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
