"""Friction of the body of quasi-static vines: each contact sticks up to the static coefficient, and slides under the kinetic one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.chain import forward_kinematics
from dynamics.contact_rows import NO_KEY
from dynamics.growth import Span
from dynamics.moment import new_actuated_vine
from dynamics.quasistatic.factor import CREEP
from dynamics.quasistatic.friction import RUBBING, TIP_KEY
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.step import new_work, set_up, solve
from dynamics.touching import touch
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status
from environments import Environment
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
KINETIC, STATIC = 0.2, 0.5
NORMAL = 5.0
"""Normal force on the contact of `arch` in the last step [N]."""
SIDE = 13
"""Segments from the base to the turn of `arch`, and from there to its end."""


class Arch:
    """A tube that rises to one side, turns by 120 degrees and passes over its base again, where it touches a round post above.

    Only its base bends, with a stiffness of 1 N m / rad. That moves the contact along the post, by (height + radius) times the bend,
    and not towards it: the normal force is what the last step left.
    """

    def __init__(self, environment: MakeEnvironment, params: VineParams, turn: int = 1, **friction: float) -> None:
        """A turn of 1 is one to the left, -1 one to the right."""
        self.turn, length = turn, params.segment_length
        self.height = SIDE * length * np.sin(np.pi / 3)
        wall = self.height + params.radius
        room = environment(start=(0.0, 0.0, np.pi / 2 - turn * np.pi / 6), circles=[(0.0, wall + 0.05, 0.05)])
        self.model = QuasiStatic(room, replace(params, **friction))
        self.work: Any = new_work(2 * SIDE)
        angles = np.zeros(2 * SIDE)
        angles[SIDE] = turn * 2 * np.pi / 3
        self.vine = new_actuated_vine(self.model.joint, angles, np.zeros(2 * SIDE), np.full(2 * SIDE, 0.04))
        forward_kinematics(self.work.chain, angles, self.vine.pivots, self.model.pose, 2 * SIDE, length, length)
        self.count = touch(self.model.scene, self.model.tube, 2 * SIDE, self.work)
        contacts = self.work.contacts
        (touching,) = np.flatnonzero(np.abs(contacts.gap[: self.count]) < 1e-12)
        contacts.gap[: self.count][np.arange(self.count) != touching] = 1.0  # far away
        self.contact = contacts.key[touching]
        # Of another contact, which is no more, the last step has left a greater force.
        self.work.keys[:3], self.work.carried[:2] = [10**9, self.contact, NO_KEY], [10 * NORMAL, NORMAL]

    def bend(self, moment: float) -> float:
        """Bend of the base in a step under a moment [N m]."""
        span = Span(2 * SIDE, self.model.params.segment_length, self.count, 0.0)
        set_up(self.model.tube, self.model.joint, 1.0, self.vine, self.work, span)
        step = self.work.step
        step.free[:], step.inverse[:] = 0.0, 0.0
        step.free[0], step.inverse[0] = moment, 1.0
        solve(self.model.tube, self.work, span, 0.0, 2, True)
        return float(step.bend[0])

    @property
    def arm(self) -> float:
        """Distance of the film that touches from the base [m]."""
        return float(self.height + self.model.params.radius)


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("slid", [False, True])
def test_the_body_slides_from_the_coefficient_times_the_normal_force_on(
    environment: MakeEnvironment, params: VineParams, way: float, turn: int, slid: bool
) -> None:
    """A moment below mu N (height + radius) bends nothing; of a greater one that much is lost, to either side.

    mu is the static coefficient for a contact that stuck in the last step, and the kinetic one for one that slid.
    """
    for share in (0.5, 0.98, 1.02, 2.0):
        arch = Arch(environment, params, turn, friction=KINETIC, static_friction=STATIC)
        if slid:
            arch.work.slid[:2], arch.work.way[0] = [RUBBING + arch.contact, NO_KEY], way
        held = (KINETIC if slid else STATIC) * NORMAL * arch.arm
        moment = way * share * held
        bend = arch.bend(moment)
        if share < 1:
            assert bend == pytest.approx(CREEP * moment / arch.arm**2, rel=1e-6)
            assert arch.work.slid[0] == NO_KEY
        else:
            assert bend == pytest.approx(moment - way * held, rel=1e-6)
            assert arch.work.slid[0] == RUBBING + arch.contact
            assert arch.work.way[0] == np.sign(arch.work.dual.force[arch.count]) != 0
            assert arch.work.slid[1] == NO_KEY


def test_a_contact_slips_at_the_static_and_goes_on_with_the_kinetic_coefficient(
    environment: MakeEnvironment, params: VineParams
) -> None:
    """The moment rises until the contact slips; then less than what it withstood keeps it sliding, until it is held again."""
    arch = Arch(environment, params, friction=KINETIC, static_friction=STATIC)
    bends = []
    for share in (0.9, 1.1, 0.9, 0.3, 0.9, 1.1):  # of what the static coefficient withstands; the kinetic one, 0.4
        arch.work.keys[:3], arch.work.carried[:2] = [10**9, arch.contact, NO_KEY], [10 * NORMAL, NORMAL]
        bends.append(arch.bend(share * STATIC * NORMAL * arch.arm) / (STATIC * NORMAL * arch.arm))
    np.testing.assert_allclose(bends, [0.0, 0.1, 0.5, 0.0, 0.0, 0.1], atol=1e-6)


def test_without_friction_or_force_nothing_holds_the_body(environment: MakeEnvironment, params: VineParams) -> None:
    """Nor does a friction of the tip alone, as in the published physics."""
    assert Arch(environment, params).bend(0.1) == 0.1
    assert Arch(environment, replace(params, physics="published"), friction=0.5).bend(0.1) == 0.1
    slack = Arch(environment, params, friction=0.5)
    slack.work.keys[0] = NO_KEY
    assert slack.bend(0.1) == 0.1


def test_a_huge_coefficient_pins_a_contact(environment: MakeEnvironment, params: VineParams) -> None:
    """The film that touches stays where it is, with any moment."""
    arch = Arch(environment, params, friction=1e6)
    assert abs(arch.bend(100.0)) * arch.arm < 1e-5


def grown(
    environment: Environment, params: VineParams, step: float | None = None, body: bool = True, every: float = 25e-3
) -> Rollout:
    """Twelve vines with random sections, grown among obstacles, recorded at multiples of a length [m]."""
    model, rng = QuasiStatic(environment, params, step), np.random.default_rng(5)
    model.tube, batch = model.tube._replace(friction=model.tube.friction._replace(body=body)), 6
    pressure = np.repeat(rng.choice([-1, 1], (batch, 6)) * rng.uniform(5e3, 15e3, (batch, 6)), 10, axis=1)
    # The other half of the batch is the mirror image of the first.
    pressure = np.concatenate([pressure, -pressure])
    return model.grow(model.start(2 * batch, 60), Actuation(pressure, np.full(pressure.shape, 0.04)), 1.4, every)


def channel(environment: MakeEnvironment) -> Environment:
    """Obstacles above and below the x axis, mirror images of one another."""
    above = [[0.25, 0.12, 0.45, 0.3], [0.6, 0.08, 0.7, 0.4], [0.9, 0.15, 1.3, 0.3]]
    return environment(start=(0.0, 0.0, 0.0), boxes=above + [[x0, -y1, x1, -y0] for x0, y0, x1, y1 in above])


def test_left_is_like_right(environment: MakeEnvironment, params: VineParams) -> None:
    """Mirrored steering mirrors the growth, with friction and where contacts stick and slip."""
    rollout = grown(channel(environment), replace(params, friction=KINETIC, static_friction=STATIC))
    one, other = rollout.angles[:6], rollout.angles[6:]
    assert (rollout.contact_force.sum(axis=2) > 1.0).any(axis=1).all()
    np.testing.assert_array_equal(rollout.status[:6], rollout.status[6:])
    np.testing.assert_allclose(one, -other, atol=1e-9)


def test_body_friction_matters_and_converges(environment: MakeEnvironment, params: VineParams) -> None:
    """Vines end elsewhere than with friction of the tip only; half the step ends nearly where a whole one does."""
    room = channel(environment)
    rough, tip = grown(room, replace(params, friction=0.2)), grown(room, replace(params, friction=0.2), body=False)
    fine = grown(room, replace(params, friction=0.2), params.segment_length / 12)
    assert not set(rough.status) & {Status.UNSETTLED, Status.UNRESOLVED}
    assert (np.abs(rough.angles - tip.angles).max(axis=(1, 2)) > 1e-3).sum() >= 6
    both = np.minimum(rough.records, fine.records) - 1
    tips = [one.tips[np.arange(12), both, :2] for one in (rough, fine)]
    apart = np.hypot(*(tips[0] - tips[1]).T)
    assert np.median(apart) < 5e-3


@pytest.mark.parametrize("coefficient", [0.2, 0.5])
def test_records_do_not_let_go_of_walls(environment: MakeEnvironment, thin: VineParams, coefficient: float) -> None:
    """A tube that sticks to a wall goes on sticking where it is recorded: most vines are where they are with an eighth of the records."""
    room, rough = channel(environment), replace(thin, friction=coefficient)
    often, seldom = grown(room, rough), grown(room, rough, every=0.2)
    vine, record = np.nonzero(np.arange(7) < np.minimum(often.records // 8, seldom.records)[:, None])
    apart = np.hypot(*(often.tips[vine, 8 * record + 7] - seldom.tips[vine, record])[:, :2].T)
    assert len(apart) > 50
    assert np.quantile(apart, 0.75) < 0.1e-3


@pytest.mark.parametrize("coefficient", [0.1, 0.5])
def test_solved_steps_meet_coulombs_law(environment: MakeEnvironment, thin: VineParams, coefficient: float) -> None:
    """From states of a rollout: a row of friction has no motion inside its bounds, and one against its force at them.

    So friction only takes energy. The joints' moments are those of all forces, by a dense Jacobian.
    """
    rough = replace(thin, friction=coefficient)
    model, rollout = QuasiStatic(channel(environment), rough), grown(channel(environment), rough)
    inside = at_bound = 0
    for vine in range(6):
        for record in range(20, rollout.records[vine] - 1, 3):
            free, step, force, jacobian, motion, bound = stepped(model, rollout, vine, record)
            np.testing.assert_allclose(step, free + jacobian.T @ force, atol=1e-12)
            rubbed = bound >= 0
            slip, held, most = motion[rubbed] + CREEP * force[rubbed], force[rubbed], bound[rubbed]
            assert (np.abs(held) <= most).all()
            sticks = np.abs(held) < most
            np.testing.assert_allclose(slip[sticks], 0.0, atol=1e-8)
            assert (slip * held)[~sticks].max(initial=0.0) <= 1e-8
            inside, at_bound = inside + sticks.sum(), at_bound + (~sticks & (most > 0)).sum()
    assert inside > 10
    assert at_bound > 10


def stepped(
    model: QuasiStatic, rollout: Rollout, vine: int, record: int
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
    """One step at constant length from a recorded state, with the normal forces of a step without friction as the last ones.

    Returns:
        Bends without contact times the joints' stiffness [N m], the same in the step, force [N], Jacobian and motion [m] of each row,
        and the bound of its force [N]: infinite for a tip that is held, negative for a row that is not of friction.
    """
    tube, segments = model.tube, int(rollout.segments[vine, record])
    work, last = new_work(60), float(rollout.last_length[vine, record])
    angles = rollout.angles[vine, record].copy()
    state = new_actuated_vine(model.joint, angles, np.zeros(60), np.full(60, 0.04))
    angles[:segments] *= 1.01  # not at rest
    full = model.params.segment_length
    forward_kinematics(work.chain, angles, state.pivots, model.pose, segments, last, full)
    count = touch(model.scene, tube, segments, work)
    span, known = Span(segments, last, count, 0.0), 0
    for friction in (tube.friction._replace(static=0.0, kinetic=0.0), tube.friction):
        rubbing = tube._replace(friction=friction)
        set_up(rubbing, model.joint, 1.0, state, work, span)
        normal = {int(key): force for key, force in zip(work.keys, work.carried, strict=True) if key != NO_KEY}
        _, known = solve(rubbing, work, span, 0.0, known, True)
    rows, contacts, chain = work.held[0], work.contacts, work.chain
    columns = np.arange(segments)
    jacobian = contacts.alpha[:rows, None] + contacts.beta[:rows, None] * chain.pivot_x[:segments]
    jacobian += contacts.gamma[:rows, None] * chain.pivot_y[:segments]
    jacobian *= (columns >= contacts.first[:rows, None]) & (columns <= contacts.segment[:rows, None])
    bound = np.full(rows, -1.0)
    for k in range(count, rows):
        bound[k] = work.dual.upper[k]
        if contacts.key[k] != TIP_KEY:
            assert bound[k] == tube.friction.static * normal[int(contacts.key[k]) - RUBBING]
        assert work.dual.lower[k] == -bound[k]
    bends, inverse = work.step.bend[:segments], work.step.inverse[:segments]
    return (
        work.step.free[:segments] / inverse, bends / inverse, work.dual.force[:rows].copy(), jacobian, jacobian @ bends, bound,
    )  # fmt: skip
