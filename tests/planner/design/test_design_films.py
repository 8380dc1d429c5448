"""Films of body and strips in design files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.tube_file import similar
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from surrogate.films import FILMS


@pytest.mark.parametrize("kind", ["spam", "pouch", "fpam", "cpam"])
def test_designs_keep_the_films_that_are_given(kind: str, tmp_path: Path) -> None:
    """By name, or by numbers; a design that was written before there were films has the assumed ones."""
    usual = similar(33.35e-3, kind=kind)
    given: Any = usual.actuator
    params = replace(
        usual, film="hdpe-50", actuator=replace(given, film=FILMS["tpu-100"].changed({"thickness": 85e-6}))
    )
    sections = (Section(0.0, 0.25, "none", 0.0, 0.0, 0.0),)
    design = Design("somewhere", "0" * 64, params, sections, np.array([0.25, 0.4, 1.1]), np.zeros((2, 2)))
    content = design_content(design)
    assert content["tube"]["film"] == "hdpe-50"
    numbers = {key: value for key, value in content["actuator"].items() if key.startswith("film")}
    assert {key: numbers[key] for key in ("film", "film_thickness_um")} == {
        "film": "tpu-100",
        "film_thickness_um": 85.0,
    }
    file = tmp_path / "design.json"
    file.write_text(json.dumps(content))
    assert load_design(file).params == params
    del content["tube"]["film"], content["actuator"]["film"], content["actuator"]["film_thickness_um"]
    file.write_text(json.dumps(content))
    assert load_design(file).params == usual
