"""A search that begins with a known design: where its tip goes as it grows, vines of the search may go on."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dynamics.jumps import largest_jump
from dynamics.propagator import Propagator
from dynamics.tube import VineParams
from dynamics.vine import Integers, Rollout
from environments.environment import Environment
from planner.design.catalogue import LEAST_CELLS, Catalogue
from planner.design.design import Design, Section
from planner.design.replay import make_simulation, replay
from planner.search.particles import GrownParticles
from planner.search.sampling import Growths
from planner.search.solutions import ReplayResult, Solutions
from planner.search.sst import DEFAULT_SWITCHES, Search, Switches
from planner.search.tree import Candidates

VARIANTS = 15
"""Number of variants of the design that are grown in each iteration until there is a solution."""
SHIFT = 30e-3
"""Standard deviation of the ends of their sections, for the prototype [m]."""
BEND = 0.06
"""Standard deviation of the logarithm of their curvatures [-]."""
ANY_CONTROL = np.int32(1)
"""Control that stands for those of a whole vine, which are in `BegunSearch._carried`: not 0, because the root must grow straight too."""


class BegunSearch(Search):
    """SST* that also grows a known design from its base: at first itself, then variants of it until there is a solution.

    Their states become nodes as those of other vines do. Where an obstacle has moved, some variant may arrive although the design does not.
    """

    def __init__(
        self,
        environment: Environment,
        propagator: Propagator,
        params: VineParams,
        rng: np.random.Generator,
        batch: int,
        switches: Switches = DEFAULT_SWITCHES,
    ) -> None:
        """Create the tree, see `Search`; the switches name the design."""
        assert switches.known
        self.known = switches.known.design
        self.whole: list[NDArray[np.int32]] = []
        """Controls of the vines that are grown from the root in this iteration, the last ones of the batch, each of shape (segments,)."""
        self._first = 0
        """Row of the first of them."""
        super().__init__(environment, propagator, params, rng, batch, switches)
        self.known_controls = controls_of(self.known, self.catalogue)
        """Controls of the vine of whole segments that is nearest to the design, shape (segments,)."""

    def _sample(self, nodes: Integers) -> Growths:
        """Sample how nodes grow; also from the root as the design, or as variants of it."""
        growths = super()._sample(nodes)
        self.whole, self._first = [], len(growths.nodes)
        if self.iteration == 1:
            self.whole = [self.known_controls]
        elif self.bound == np.inf:
            self.whole = [controls_of(self._vary(), self.catalogue) for _ in range(VARIANTS)]
        self.whole = [one[: self.max_segments] for one in self.whole]
        count, segments = len(self.whole), np.array([len(one) for one in self.whole], np.int64)
        return Growths(
            np.append(growths.nodes, np.zeros(count, np.int64)),
            np.append(growths.controls, np.full(count, ANY_CONTROL)),
            np.append(growths.bent, segments),
            np.append(growths.segments, segments),
        )

    def _carried(self, growths: Growths) -> NDArray[np.int32]:
        """Return the control of every segment."""
        carried = super()._carried(growths)
        for row, controls in enumerate(self.whole, start=self._first):
            carried[row, : len(controls)] = controls
        return carried

    def _candidates(
        self, rollout: Rollout, nodes: Integers, controls: NDArray[np.int32], carried: NDArray[np.int32]
    ) -> Candidates:
        """Select records that may become nodes; of whole vines those that end a valid section."""
        found = super()._candidates(rollout, nodes, controls, carried)
        if not self.whole:
            return found
        valid = found.vine < self._first
        for row, of_vine in enumerate(self.whole, start=self._first):
            valid |= (found.vine == row) & self._valid_lengths(of_vine)[found.segments - 1]
        return replace(found, actuators=self.prices.of_vines(found.controls, found.segments))[valid]

    def _insert(self, candidates: Candidates, grown: GrownParticles | None = None) -> tuple[Integers, Candidates]:
        """Insert candidates; those of a whole vine as children of one another."""
        slots, kept = super()._insert(candidates, grown)
        own = np.flatnonzero(kept.vine >= self._first) if self.whole else np.zeros(0, np.int64)
        order = own[np.lexsort((kept.segments[own], kept.vine[own]))]
        for before, after in pairwise(order.tolist()):
            if kept.vine[before] == kept.vine[after]:
                self.tree.move(int(slots[after]), int(slots[before]))
        return slots, kept

    def _vary(self) -> Design:
        """Draw a variant of the design: other ends of its sections, and other curvatures of its actuators."""
        sections, size = self.known.sections, self.size
        shifts, bends = self.rng.normal(0.0, SHIFT * size, len(sections)), self.rng.normal(0.0, BEND, len(sections))
        ends = np.maximum.accumulate(np.maximum([one.end for one in sections] + shifts, self.params.segment_length))
        varied = [
            replace(one, start=start, end=end, curvature=one.curvature * bend, l_0=0.0)
            for one, start, end, bend in zip(sections, [0.0, *ends[:-1]], ends, np.exp(bends), strict=True)
        ]
        return replace(self.known, sections=tuple(varied))

    def _valid_lengths(self, controls: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether a vine may end after each number of segments, from 1 to the most: no section is too short then."""
        valid, length, sound = np.zeros(self.max_segments, bool), 0, True
        before: int | None = None
        for k, control in enumerate(controls.tolist()):
            if control != before:
                sound = sound and (before is None or self._is_section(before, length))
                before, length = control, 0
            length += 1
            valid[k] = sound and self._is_section(control, length)
        return valid

    def _is_section(self, control: int, segments: int) -> bool:
        """Whether a number of segments is enough for a section with a control."""
        cells = LEAST_CELLS * self.catalogue.l_0[abs(control) - 1] if control else 0.0
        return bool(segments * self.params.segment_length >= cells)


class BegunSolutions(Solutions):
    """Solutions of a search that begins with a known design, which is the first of them if it reaches the goal when it is grown again.

    Its sections may end within segments, other than those of vines of the search.
    """

    search: BegunSearch

    def examine(self, candidates: Candidates) -> list[ReplayResult]:
        """Replay the promising candidates; in the first iteration the design before them."""
        known = self._replay_known() if self.search.iteration == 1 else None
        return [*([known] if known else []), *super().examine(candidates)]

    def _replay_known(self) -> ReplayResult | None:
        """Replay the design; None if it does not end in the goal, or only by a snap that its damping decides."""
        search, design = self.search, self.search.known
        rollout = replay(design, self.replayer)
        grown = make_simulation(design, search.environment, rollout)
        controls = search.known_controls
        if not grown.ends_in_goal:
            return None
        if self._first_ambiguous(rollout, design.actuation(design.segments), controls, 0) < np.inf:
            return None
        jump = largest_jump(rollout, 0, search.params)
        found = replace(self.solution(controls, grown.tip, grown.centerline, jump), design=grown.design)
        return ReplayResult(controls, -1, rollout.tips[0], found, np.inf)


def controls_of(design: Design, catalogue: Catalogue) -> NDArray[np.int32]:
    """Return the controls of the vine of whole segments that is nearest to a design (see `actuation`), shape (segments,)."""
    middles = (np.arange(design.segments) + 0.5) * design.params.segment_length
    ends = [section.end for section in design.sections]
    of_section = np.array([_control_of(section, catalogue) for section in design.sections], np.int32)
    return of_section[np.minimum(np.searchsorted(ends, middles), len(ends) - 1)]


def _control_of(section: Section, catalogue: Catalogue) -> int:
    """Return the control of a section: of its own actuator, or else of that with the nearest bend."""
    if not (sign := int(section.sense)):
        return 0
    if section.preformed:
        off = np.abs(catalogue.curvature[catalogue.actuators :] - section.curvature)
        return sign * (catalogue.actuators + int(off.argmin()) + 1)
    own = np.isclose(catalogue.l_0, section.l_0) & np.isclose(catalogue.pressure, section.pressure)
    alike = np.flatnonzero(own & (catalogue.kind == section.kind))
    if len(alike):
        return sign * (int(alike[0]) + 1)
    within = np.clip(section.curvature, *catalogue.ranges[section.kind])
    return sign * (int(catalogue.synthesise(within, section.kind)[0]) + 1)
