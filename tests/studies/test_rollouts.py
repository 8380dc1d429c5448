"""Measurements of propagators side by side."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.typing import ArrayLike

from dynamics.penalty.propagator import Penalty
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, VineState
from environments import Environment
from planner.output.provenance import machine
from studies.rollouts.report import report
from studies.rollouts.study import (
    SENSITIVE,
    UNEXPLAINED,
    UNSOLVED,
    make_random_actuation,
    measure_agreement,
    measure_rollouts,
    speeds_elsewhere,
    tip_distance,
)

MAKE = partial(Penalty, device="cpu", step=25e-3 / 2)


def test_a_propagator_agrees_with_itself() -> None:
    """The quasi-static propagator beside itself: no tip apart, every vine ends alike, none deeper than 1 mm."""
    agreement = measure_agreement(
        "divider", VineParams(), QuasiStatic, QuasiStatic, "quasistatic", vines=20, length=1.0
    )
    assert agreement.same_end == 1.0
    assert agreement.largest_mm == len(agreement.parted) == 0
    assert 0 < agreement.deepest_mm <= 1.0


def test_distance_is_taken_at_the_last_common_record(shipped: dict[str, Environment], params: VineParams) -> None:
    """A vine that was cut short is compared where it ends, with what the other had there."""
    model, carried = QuasiStatic(shipped["divider"], params), make_random_actuation(VineParams(), 10, 0.5, seed=0)
    whole, cut = (model.grow(model.start(10, 20), carried, length, 0.025) for length in (0.5, 0.3))
    assert (cut.records < whole.records).any()
    np.testing.assert_allclose(tip_distance(whole, cut), 0.0, atol=1e-9)
    assert (
        tip_distance(whole, model.grow(model.start(10, 20), make_random_actuation(params, 10, 0.5, 1), 0.5, 0.025)) > 0
    ).any()


def test_report_has_a_row_for_every_measurement() -> None:
    """Speeds and agreements stand in the tables, with the ratio to the quasi-static propagator computed from both."""
    speeds = [
        measure_rollouts("divider", VineParams(), make, model, batch=4, length=0.1)
        for model, make in (("quasistatic", QuasiStatic), ("penalty, newton", MAKE))
    ]
    agreement = measure_agreement("divider", VineParams(), MAKE, MAKE, "penalty, newton", vines=4, length=0.1)
    made = report(speeds, [agreement])
    table, content = made.text, made.content
    assert [len(content[part]) for part in ("speeds", "agreements")] == [2, 1]
    row = next(
        line
        for line in table.splitlines()
        if line.startswith(f"| divider | penalty, newton | {machine()} | {speeds[1].device} | 4 |")
    )
    assert float(row.split("|")[-2]) == pytest.approx(speeds[0].seconds / speeds[1].seconds, rel=1e-2)


def test_speeds_of_other_machines_are_kept() -> None:
    """A report can be given the times of other machines from an earlier one, each beside its own quasi-static time."""
    here = measure_rollouts("divider", VineParams(), QuasiStatic, "quasistatic", batch=4, length=0.2)
    there = [replace(here, machine="elsewhere"), replace(here, model="penalty", machine="elsewhere", seconds=1.0)]
    before = speeds_elsewhere(
        json.loads(json.dumps(report([here, *there], []).content | {"depends_on": {"module": "old"}}))
    )
    assert before.elsewhere == there
    made = report([here], [], before)
    table, content = made.text, made.content
    assert speeds_elsewhere(json.loads(json.dumps(content))).elsewhere == there
    assert content["depends_on"] == {"module": "old"}, "as old as its oldest part"
    assert "depends_on" not in report([here], [], before._replace(elsewhere=[])).content
    row = next(line for line in table.splitlines() if "| penalty | elsewhere |" in line)
    assert float(row.split("|")[-2]) == pytest.approx(here.seconds, rel=1e-2)


def test_vines_that_part_are_reported_why() -> None:
    """Beside a propagator that bends too much vines part; a closer one that does not explains those not sensitive."""

    class Bent(QuasiStatic):
        def grow(self, state: VineState, carried: Actuation, length: ArrayLike, record_every: float) -> Rollout:
            return super().grow(state, replace(carried, pressure=1.5 * carried.pressure), length, record_every)

    explained = measure_agreement("maze", VineParams(), Bent, QuasiStatic, "bent", vines=30, length=1.0)
    unexplained = measure_agreement("maze", VineParams(), Bent, Bent, "bent", vines=30, length=1.0)
    assert explained.parted.keys() == unexplained.parted.keys()
    assert len(explained.parted) > explained.count(SENSITIVE)
    assert explained.count(UNSOLVED) == unexplained.count(UNEXPLAINED) > 0
    assert explained.count(UNEXPLAINED) == unexplained.count(UNSOLVED) == 0
