"""The digest of a design, by which trials of another one are noticed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments.uncertainty_in_files import StatedUncertainty
from planner.built.trial import design_digest
from planner.design.design import Design
from planner.design.design_file import design_content, load_design
from planner.design.estimate import Success
from planner.design.schedule import Schedule
from planner.output.folder import write_json

DATA = Path(__file__).parents[2] / "data"


def test_a_digest_is_that_of_the_file(design: Design, tmp_path: Path) -> None:
    """A design in memory has it, and as it is read again; so does one whose numbers were rounded in its file."""
    odd = replace(design, params=replace(design.params, radius=np.pi / 100), stop=0.9 / 0.97)
    for one in (design, odd):
        write_json(tmp_path / "design.json", design_content(one))
        assert design_digest(load_design(tmp_path)) == design_digest(one)
    assert design_digest(odd) != design_digest(design)


@pytest.mark.parametrize(
    "change",
    [
        lambda one: replace(one, sha256="0" * 64),
        lambda one: replace(one, params=replace(one.params, growth_pressure=11e3)),
        lambda one: replace(one, stop=0.95),
        lambda one: replace(one, sections=(*one.sections[:3], replace(one.sections[3], on=False))),
        lambda one: replace(one, sections=(*one.sections[:3], replace(one.sections[3], pressure=21e3))),
        lambda one: replace(one, sections=(*one.sections[:3], replace(one.sections[3], side="left"))),
        lambda one: one.scheduled(Schedule(np.array([0.0, 0.5]), np.array([[25e3, 0.0], [25e3, 20e3]]))),
    ],
)
def test_all_that_is_built_counts(design: Design, change: Callable[[Design], Design]) -> None:
    """Environment, tube, sections, set points and schedule."""
    assert design_digest(change(design)) != design_digest(design)


def test_when_pressures_change_counts(design: Design) -> None:
    """Schedules with the same highest pressures are different designs."""
    rows = np.array([[25e3, 0.0], [25e3, 20e3]])
    early, late = (design.scheduled(Schedule(np.array([0.0, length]), rows)) for length in (0.5, 0.6))
    assert early.sections == late.sections
    assert design_digest(early) != design_digest(late)


def test_what_is_only_predicted_does_not_count(design: Design) -> None:
    """Trials of the plan, its shape, and the errors stated for the tube: they may be learnt from trials."""
    same = replace(
        design,
        success=Success("workshop", 3, 4),
        tip=np.ones(3),
        params=VineParams(uncertainty=StatedUncertainty.of({"pressure_kpa": 0.5})),
    )
    assert design_digest(same) == design_digest(design)


def test_a_digest_does_not_change_with_versions(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest in files is that of a stored design; keys that tubes get later do not count while they say what held before."""
    assert design_digest(load_design(DATA / "run-v1")) == design_digest(load_design(DATA / "run-v1" / "design.json"))
    assert design_digest(load_design(DATA / "run-v1")) == "9748c7e4c25ba26d"
    before, content = design_digest(design), design_content(design)
    del content["tube"]["tail_tension_n"], content["actuator"]["seam_mm"]
    monkeypatch.setattr("planner.built.trial.design_content", lambda _: content)
    assert design_digest(design) == before
    content["tube"]["tail_tension_n"] = 1.0
    assert design_digest(design) != before
