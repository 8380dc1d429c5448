"""All contacts of a vine: those with walls, then those of the tube with its own body."""

from __future__ import annotations

from typing import Protocol

from dynamics.chain import Chain
from dynamics.contact_rows import Contacts
from dynamics.contacts import find_contacts
from dynamics.cross_section import CrossSection
from dynamics.nearby import Blocks
from dynamics.scene import Scene
from dynamics.self_contact import add_self_contacts
from dynamics.soft_contacts import hold_rigid
from surrogate.kernels.compiled import compiled


class ContactTube(Protocol):
    """Properties of a propagator's tube on which its contacts depend."""

    @property
    def section(self) -> CrossSection: ...
    @property
    def margin(self) -> float: ...
    @property
    def most_motion(self) -> float: ...
    @property
    def segments_apart(self) -> int: ...


class ContactWork(Protocol):
    """Work space of a propagator for a vine and its contacts."""

    @property
    def chain(self) -> Chain: ...
    @property
    def contacts(self) -> Contacts: ...
    @property
    def blocks(self) -> Blocks: ...


@compiled(forceinline=True)
def touch(scene: Scene, tube: ContactTube, segments: int, work: ContactWork) -> int:
    """Find all contacts of a vine; returns their number, or `dynamics.self_contact.CROSSED`.

    Two parts of a tube may each move by `most_motion` towards each other: they are considered from so much farther on than walls.
    """
    chain, contacts, margin = work.chain, work.contacts, tube.margin + tube.most_motion
    walls = find_contacts(scene, tube.section, tube.margin, chain, segments, contacts)
    if tube.segments_apart == 0:
        return walls
    count = add_self_contacts(
        chain, segments, tube.section.radius, margin, tube.segments_apart, contacts, walls, work.blocks
    )
    hold_rigid(tube.section, contacts, walls, count)
    return count
