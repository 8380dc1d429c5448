"""Steps that begin with what the last one has found: its active contacts and its factor change the work, not the solution."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.chain import forward_kinematics
from dynamics.growth import Span
from dynamics.moment import Vine, new_actuated_vine
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.step import QuasiStaticWork, bend_by, bound_growth, new_work, set_up, solve
from dynamics.touching import touch
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from environments import Environment
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
SEGMENTS, VINES = 60, 12
State = tuple[QuasiStaticWork, Vine, Span]


@pytest.fixture(scope="module")
def model(environment: MakeEnvironment, params: VineParams) -> QuasiStatic:
    """A box that is too short for the vines, so that they press on walls and on themselves."""
    boxes = [[-0.4, 0.5, 1.0, 0.6], [-0.4, -0.6, 1.0, -0.5], [0.7, -0.5, 0.8, 0.5], [0.3, 0.2, 0.35, 0.3]]
    return QuasiStatic(environment(boxes=boxes, start=(-0.3, 0.0, 0.0)), params, friction=0.0)


@pytest.fixture(scope="module")
def states(model: QuasiStatic) -> list[State]:
    """Recorded states in which vines press on something, set up for a step without growth."""
    rng, full, found = np.random.default_rng(3), model.params.segment_length, []
    pressure = np.repeat(rng.uniform(-30e3, 30e3, (VINES, SEGMENTS // 12)), 12, axis=1)
    carried = Actuation(pressure, np.full_like(pressure, 0.04))
    grown = model.grow(model.start(VINES, SEGMENTS), carried, SEGMENTS * full, 0.1)
    for vine, records in enumerate(grown.records):
        for k in range(records):
            if grown.contact_force[vine, k].max() == 0.0:
                continue
            segments, last = int(grown.segments[vine, k]), float(grown.last_length[vine, k])
            work, bends = new_work(SEGMENTS), grown.angles[vine, k].copy()
            state = new_actuated_vine(model.joint, bends, pressure[vine], carried.l_0[vine])
            forward_kinematics(work.chain, bends, state.pivots, model.pose, segments, last, full)
            count = touch(model.scene, model.tube, segments, work)
            found.append((work, state, Span(segments, last, count, model.tube.growth_step)))
    assert len(found) > 30
    return found


def damping(model: QuasiStatic) -> float:
    return model.tube.bending_viscosity / model.tube.relaxation.time


def bends_of(work: QuasiStaticWork, span: Span) -> Floats:
    bend_by(work, span, 0.0, 0.0)
    return work.step.bend[: span.segments].copy()


def test_growth_after_a_step_without_it_is_that_of_a_step_by_itself(model: QuasiStatic, states: list[State]) -> None:
    """Only the mobility and the bounds of the growth differ: the factor of all other rows is still that of the last solve."""
    tube, reused = model.tube, 0
    for work, vine, span in states:
        for time in (0.3 * tube.growth_step, 3.0 * tube.growth_step):
            set_up(tube, model.joint, damping(model), vine, work, span)
            bound_growth(work, -1e-3, 0.0)
            _, known = solve(tube, work, span, tube.relaxation.time, 0, True)
            _, known = solve(tube, work, span, tube.relaxation.time, known, True)
            held = work.contacts.growth[work.dual.active[:known]] != 0.0
            reused += bool(known > 2 and not held[:2].any() and held.any())
            bound_growth(work, 0.0, span.most_growth)
            again, warm = solve(tube, work, span, time, known, False)
            bends = bends_of(work, span)
            alone, cold = solve(tube, work, span, time, 0, True)
            assert again == pytest.approx(alone, abs=1e-12)
            assert warm == cold
            np.testing.assert_allclose(bends, bends_of(work, span), atol=1e-10)
    assert reused > 20


def test_contacts_that_are_guessed_do_not_change_the_solution(model: QuasiStatic, states: list[State]) -> None:
    """Nothing remembered, all that was active remembered, or the wrong rows: the forces are those of the one minimum."""
    tube = model.tube
    for work, vine, span in states:
        set_up(tube, model.joint, damping(model), vine, work, span)
        _, known = solve(tube, work, span, tube.growth_step, 0, True)
        bends, forces = bends_of(work, span), work.dual.force[: span.contacts].copy()
        _, warm = solve(tube, work, span, tube.growth_step, known, True)
        assert warm == known
        np.testing.assert_allclose(bends_of(work, span), bends, atol=1e-10)
        np.testing.assert_allclose(work.dual.force[: span.contacts], forces, atol=1e-6)
        work.keys[:3] = work.contacts.key[span.contacts - 1], -99, work.contacts.key[0]
        solve(tube, work, span, tube.growth_step, 3, True)
        np.testing.assert_allclose(bends_of(work, span), bends, atol=1e-10)
