"""Relaxation of a batch at constant length, in tensors, by the laws of `dynamics.quasistatic.relaxation` and `stiffen`.

The step's forces are those of the present shape. Where they change much with it, one step overshoots: a vine too deep in a wall
would turn back and forth, and one that loses its stability would grow on before it has snapped. So a vine bends without growing
until it is at rest, each at its own pace, while others of its batch grow.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import torch
from torch import Tensor

from dynamics.links import LEAST_LINK, STRAIGHT
from dynamics.penalty.chain import TensorChain
from dynamics.penalty.rows import TensorContacts
from dynamics.quasistatic.friction import LEAST_ALONG
from dynamics.quasistatic.relaxation import LEAST_RETREAT, LENGTHEN, MOST_SHARE, RETREAT, SHORT
from dynamics.quasistatic.rollout import AGAIN
from dynamics.quasistatic.step import RestCriterion


@dataclass(slots=True)
class Relaxation:
    """Progress of each vine's relaxation, and what the last step leaves for it; see `RelaxationProgress` of the exact model."""

    iterations: Tensor
    """Steps at constant length since the vine grew, shape (batch,), long."""
    time: Tensor
    """Time of the next one [m of free growth]."""
    share: Tensor
    """Share of the last one that was taken [-]."""
    before: Tensor
    """Its bends [rad], shape (batch, segments)."""
    stiffening: Tensor
    """Geometric stiffness of each joint, see `stiffen` [N m / rad], same shape."""
    rested: Tensor
    """Whether the vine was found at rest as it is, shape (batch,)."""
    since: Tensor
    """Length grown when it last was at rest, or began to grow [m]."""
    bent: Tensor
    """Motion of the joints by the bends of the last step with growth [m]; inf before the first one."""
    push_x: Tensor
    """Force of the contacts on each segment in the last step [N], shape (batch, segments)."""
    push_y: Tensor
    against: Tensor
    """Force that pushes the tip back [N], shape (batch,)."""

    @classmethod
    def begin(cls, angles: Tensor, time: float) -> Relaxation:
        """Make the state of vines that have not moved yet, of steps with this time [m of free growth]."""
        batch, joints = angles.new_zeros(len(angles)), torch.zeros_like(angles)
        return cls(
            iterations=batch.long(),
            time=batch + time,
            share=batch + 1.0,
            before=joints,
            stiffening=joints,
            rested=batch > 0,
            since=batch,
            bent=batch + torch.inf,
            push_x=joints,
            push_y=joints,
            against=batch,
        )

    def of_rows(self, rows: Tensor) -> Relaxation:
        """Select the progress of some vines."""
        return Relaxation(*(getattr(self, field.name)[rows] for field in fields(self)))


class RelaxedStep(NamedTuple):
    """A solved step of a batch, shape (batch,) unless noted."""

    bend: Tensor
    """Shape (batch, segments) [rad]."""
    growth: Tensor
    """At most 0 at constant length, where contacts push the tip back [m]."""
    motion: Tensor
    """Largest displacement of a joint [m]."""
    most: Tensor
    """Share of the step that may be taken without missing a contact [-]."""


def note_forces(relaxation: Relaxation, chain: TensorChain, contacts: TensorContacts, force: Tensor) -> None:
    """Keep the forces of a solved step [N], shape (batch, contacts)."""
    none = torch.zeros_like(relaxation.push_x)
    relaxation.push_x = none.scatter_add(1, contacts.segment, force * contacts.nx)
    relaxation.push_y = none.scatter_add(1, contacts.segment, force * contacts.ny)
    back = (contacts.segment == chain.last) & (contacts.growth < -LEAST_ALONG)
    relaxation.against = torch.where(back, force, 0.0).sum(1)


def stiffen(relaxation: Relaxation, chain: TensorChain, angles: Tensor, pivots: Tensor) -> Tensor:
    """Geometric stiffness of each joint by the forces of the last step [N m / rad], by `dynamics.quasistatic.step.stiffen`.

    Args:
        angles, pivots: See `dynamics.penalty.contacts.links`, shape (batch, segments of the chain).
    """
    count = angles.shape[1]
    x, y = relaxation.push_x[:, :count], relaxation.push_y[:, :count]
    work = _sum_beyond(x * chain.x[:, 1:] + y * chain.y[:, 1:])
    fx, fy = _sum_beyond(x), _sum_beyond(y)
    turning = (work - fx * chain.pivot_x - fy * chain.pivot_y).clamp(min=0.0)
    along = fx * chain.cosine + fy * chain.sine
    return turning + (-along * _link_curvature(chain.film, angles, pivots)).clamp(min=0.0)


def _sum_beyond(values: Tensor) -> Tensor:
    """Sum of each row from each column to its end."""
    return values.flip(1).cumsum(1).flip(1)


def _link_curvature(films: Tensor, angles: Tensor, pivots: Tensor) -> Tensor:
    """Second derivative of a link's length over its bend [m/rad^2], see `dynamics.links.link`."""
    wall, least = pivots.abs(), LEAST_LINK * films
    shortening = wall * angles.abs()
    straight = STRAIGHT * films
    part = shortening / straight.clamp(min=1e-12)
    near = -(wall**2) / straight.clamp(min=1e-12) * (4.0 - 6.0 * part)
    folded = 2.0 * wall**2 / least.clamp(min=1e-9) * torch.exp(
        2.0 * (films - shortening - least).clamp(max=0.0) / least.clamp(min=1e-12)
    )  # fmt: skip
    beyond = torch.where(films - shortening < least, folded, 0.0)
    return torch.where(films > 0, torch.where(part < 1.0, near, beyond), 0.0)


def find_rest(
    rest: RestCriterion, relaxation: Relaxation, step: RelaxedStep, limit: Tensor, grown: Tensor, full_step: float
) -> Tensor:
    """Whether each vine is at rest, and need not take the step, shape (batch,); never where its motion is not a number.

    Args:
        limit: Motion of a step as long as `RestCriterion.time` [m].
        grown: Growth since the vine was last at rest [m].
        full_step: Growth of a full step [m].
    """
    least = (limit * (relaxation.time / (SHORT * rest.time)).clamp(max=1.0)).clamp(min=rest.trembling)
    return (step.motion <= least) & (-step.growth <= RETREAT * grown + LEAST_RETREAT * full_step)


def share_of_relaxation(rest: RestCriterion, relaxation: Relaxation, step: RelaxedStep) -> tuple[Tensor, Tensor]:
    """Share of a step at constant length that is taken, by a secant along the last one, and whether it turns back; shape (batch,)."""
    before = relaxation.before[:, : step.bend.shape[1]]
    turned, length = (step.bend.detach() * before).sum(1), before.square().sum(1)
    ahead = (relaxation.share * length / (length - turned).clamp(min=1e-30)).clamp(min=1.0)
    ahead = torch.where(length <= turned, MOST_SHARE, ahead)
    ahead = torch.where(length == 0, 1.0, ahead)
    published = rest.growing == torch.inf
    at_most = torch.where((relaxation.time >= rest.time) & (not published), MOST_SHARE, 1.0)
    return torch.minimum(torch.minimum(ahead, at_most), step.most), turned < 0


def proceed(
    rest: RestCriterion, relaxation: Relaxation, step: RelaxedStep, share: Tensor, turned: Tensor, which: Tensor
) -> None:
    """Go on with the relaxation of the vines that took a share of a step at constant length.

    Args:
        which: Those vines, shape (batch,).
    """
    factor = torch.full_like(share, LENGTHEN) if rest.growing == torch.inf else torch.where(turned, 0.5, LENGTHEN)
    relaxation.iterations = relaxation.iterations + which.long()
    relaxation.time = torch.where(which, (factor * relaxation.time).clamp(max=rest.time), relaxation.time)
    relaxation.share = torch.where(which, share, relaxation.share)
    bend = torch.nn.functional.pad(step.bend.detach(), (0, relaxation.before.shape[1] - step.bend.shape[1]))
    relaxation.before = torch.where(which[:, None], bend, relaxation.before)


def end(rest: RestCriterion, relaxation: Relaxation, grown: Tensor, which: Tensor) -> None:
    """End the relaxation of some vines, which have grown so far [m].

    Args:
        which: Those vines, shape (batch,).
    """
    again = which & (relaxation.iterations > 0)
    relaxation.time = torch.where(again, (AGAIN * relaxation.time).clamp(max=rest.time), relaxation.time)
    relaxation.iterations = torch.where(which, 0, relaxation.iterations)
    relaxation.share = torch.where(which, 1.0, relaxation.share)
    relaxation.before = torch.where(which[:, None], 0.0, relaxation.before)
    relaxation.since = torch.where(which, grown, relaxation.since)
