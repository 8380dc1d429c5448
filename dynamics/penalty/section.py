"""The cross-section of the tubes of a batch, in tensors: how walls dent and squeeze them, by the laws of `dynamics.cross_section`.

The compliance of a step's contacts is a constant, positive semidefinite matrix C = G G^T. In place of its inverse, the step has
the dents z as further unknowns, with the energy |z|^2 / 2, and each contact has its stiff penalty k on the gap that they leave:

    min over z of |z|^2 / 2 + k / 2 relu(-(gap + G z))^2  =  max over f >= 0 of -gap f - f (C + 1 / k) f / 2.

The right side is the energy of a tube whose walls push with f, and do not pull. For one wall and a dent d it is 2/3 pi P d^2 per
length, for two walls P times the area of the stadium that is lost, at the tip pi P R d^2, all with 1 / k in series. It is convex,
and its derivative in the gaps is continuous: the solvers need no other terms for it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from dynamics.cross_section import FOLLOWS, CrossSection
from dynamics.soft_contacts import LEAST_LEFT, NARROW

SPARE = 0.1
"""Compliance that is added to that of the dents, as a share of that of a rigid contact [-]: C alone may be singular."""
SHORTEST = 0.01
"""An edge presses on at least this length of tube, over its radius [-]."""


class TensorPress(NamedTuple):
    """Pressing of contacts on the tubes, see `dynamics.contact_rows.Press`; shape (batch, contacts)."""

    length: Tensor
    tip: Tensor
    at: Tensor
    corner: Tensor
    """Index of the sharp corner that presses, else -1; long."""
    stops: Tensor
    """Whether the dent has a limit there."""


class TensorTouch(NamedTuple):
    """Gaps [m] and normals [-] of contacts, shape (batch, contacts); both parts of the normal are 0 where there is none."""

    gap: Tensor
    nx: Tensor
    ny: Tensor


def give(section: CrossSection, touch: TensorTouch, press: TensorPress) -> Tensor:
    """G: what the dents add to the gaps, each for a root of its energy [m / sqrt(J)], shape (batch, contacts, dents).

    Contacts have in common the length on which both press, and the cap; the opposite side recedes by a third. Of directions at an
    angle, `dynamics.soft_contacts.shared_compliance` takes the cosine, here it is its square in part: so C is never indefinite.
    """
    deepest = _deepest(section, touch, press)
    nx, ny, length, tip, at = (
        part.gather(1, deepest) for part in (touch.nx, touch.ny, press.length, press.tip, press.at)
    )
    cosine = nx[:, :, None] * nx[:, None] + ny[:, :, None] * ny[:, None]
    common = 0.5 * (length[:, :, None] + length[:, None]) - _apart(at)
    common = torch.minimum(common, torch.minimum(length[:, :, None], length[:, None])).clamp(min=0.0)
    along = 0.5 * (1 + FOLLOWS) * cosine**2 + 0.5 * (1 - FOLLOWS) * cosine
    capped = torch.minimum(tip[:, :, None], tip[:, None]) * (0.5 * cosine**2 + 0.5 * cosine)
    pressed = (length + tip).clamp(min=SHORTEST * section.radius)
    stiffness = section.pressure * 4 / 3 * math.pi
    compliance = (common * along + capped) / (stiffness * pressed[:, :, None] * pressed[:, None])
    spare = SPARE * section.compliance * torch.eye(at.shape[1], dtype=at.dtype, device=at.device)
    factor = torch.linalg.cholesky_ex(compliance + spare).L
    touches = (touch.nx != 0) | (touch.ny != 0)
    return torch.where(touches[..., None] & torch.isfinite(factor), factor, 0.0)


def fade(section: CrossSection, touch: TensorTouch, press: TensorPress, passed: float) -> TensorPress:
    """Lengths of tube that contacts squeeze: less where a corner has slid past the end of a segment, see `dynamics.soft_contacts.give_way`.

    Args:
        passed: By how much deeper it is at another segment, for nothing to be left [m].
    """
    deepest = touch.gap.gather(1, _deepest(section, touch, press))
    left = (1.0 - (touch.gap - deepest) / passed).clamp(min=LEAST_LEFT)
    return press._replace(length=left * press.length, tip=left * press.tip)


def turn_aside(
    section: CrossSection,
    touch: TensorTouch,
    press: TensorPress,
    growth: Tensor,
    heading: tuple[Tensor, Tensor],
    margin: float,
) -> TensorTouch:
    """Contacts of which those at a squeezed tip no longer hold its growth, see `dynamics.soft_contacts.give_way`.

    Args:
        growth: Column of the contacts for growth, negative where they hold it [-], shape (batch, contacts).
        heading: Of each contact's segment [-], same shape.
        margin: Contacts with a larger gap are not known [m].
    """
    gap, nx, ny = touch
    lacking = torch.minimum(-(gap[:, :, None] + gap[:, None]), margin - gap[:, None])
    narrower = (lacking / (NARROW * section.radius)).clamp(0.0, 1.0)
    nearness = (1.0 - _apart(press.at) / (2.0 * section.radius)).clamp(min=0.0)
    size = ((press.length + press.tip) / section.cap).clamp(max=1.0)
    share = (_against(nx, ny) * narrower * nearness * size[:, None]).amax(2)
    along, (ux, uy) = growth.clamp(max=0.0), heading
    turns = share * along < 0
    tx, ty = nx - share * along * ux, ny - share * along * uy
    length = torch.where(turns, tx**2 + ty**2, 1.0).sqrt().clamp(min=1e-12)
    return TensorTouch(gap, torch.where(turns, tx / length, nx), torch.where(turns, ty / length, ny))


def squeezed_share(section: CrossSection, touch: TensorTouch, press: TensorPress) -> Tensor:
    """Share of the cross-section that each tip lacks [-], shape (batch,), see `dynamics.soft_contacts.squeezed_share`."""
    dent = torch.where(press.tip > 0, -touch.gap, 0.0).clamp(min=0.0)
    one, other = dent[:, :, None], dent[:, None]
    lacking = torch.minimum(one + other, (1.0 + 1.0 / FOLLOWS) * torch.minimum(one, other))
    on_cap = torch.minimum(press.tip[:, :, None], press.tip[:, None]) / section.cap
    height = _against(touch.nx, touch.ny) * on_cap * lacking
    return (0.5 * height.flatten(1).amax(1) / section.radius) ** 2


def _deepest(section: CrossSection, touch: TensorTouch, press: TensorPress) -> Tensor:
    """Contact whose dent each contact shares: the deepest contact of the same corner near it, itself for edges; shape (batch, contacts)."""
    corner = press.corner
    same = (corner[:, :, None] == corner[:, None]) & (corner >= 0)[:, None] & (_apart(press.at) < 3.0 * section.radius)
    same = same | torch.eye(corner.shape[1], dtype=torch.bool, device=corner.device)
    return torch.where(same, -touch.gap[:, None], -torch.inf).argmax(2)


def _apart(at: Tensor) -> Tensor:
    return (at[:, :, None] - at[:, None]).abs()


def _against(nx: Tensor, ny: Tensor) -> Tensor:
    """Opposition of each two contacts, 1 if they push straight against each other [-]."""
    return (-(nx[:, :, None] * nx[:, None] + ny[:, :, None] * ny[:, None])).clamp(min=0.0)
