"""A search that begins with a known design: where its tip goes as it grows, vines of the search may go on."""

from __future__ import annotations

from dataclasses import replace

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

ANY_CONTROL = np.int32(1)
"""Control that stands for those of a whole vine, which are in `BegunSearch._carried`: not 0, because the root must grow straight too."""


class BegunSearch(Search):
    """SST* whose first iteration also grows a known design from its base; its states become nodes as those of other vines do."""

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
        super().__init__(environment, propagator, params, rng, batch, switches)
        assert switches.known
        self.known = switches.known.design
        self.known_controls = controls_of(self.known, self.catalogue)
        """Controls of the vine of whole segments that is nearest to the design, shape (segments,)."""

    def _sample(self, nodes: Integers) -> Growths:
        """Sample how nodes grow; at first also as the design."""
        growths = super()._sample(nodes)
        if self.iteration > 1:
            return growths
        segments = min(len(self.known_controls), self.max_segments)
        return Growths(
            np.append(growths.nodes, 0),
            np.append(growths.controls, ANY_CONTROL),
            np.append(growths.bent, segments),
            np.append(growths.segments, segments),
        )

    def _carried(self, growths: Growths) -> NDArray[np.int32]:
        """Return the control of every segment."""
        carried = super()._carried(growths)
        if self.iteration == 1:
            segments = growths.segments[-1]
            carried[-1, :segments] = self.known_controls[:segments]
        return carried

    def _candidates(
        self, rollout: Rollout, nodes: Integers, controls: NDArray[np.int32], carried: NDArray[np.int32]
    ) -> Candidates:
        """Select records that may become nodes; of the design those that end a valid section."""
        found = super()._candidates(rollout, nodes, controls, carried)
        if self.iteration > 1:
            return found
        valid = self._valid_lengths()[found.segments - 1] | (found.vine < len(nodes) - 1)
        return replace(found, actuators=self.prices.of_vines(found.controls, found.segments))[valid]

    def _insert(self, candidates: Candidates, grown: GrownParticles | None = None) -> tuple[Integers, Candidates]:
        """Insert candidates; in the first iteration each as a child of the one before on its vine."""
        if self.iteration != 1:
            return super()._insert(candidates, grown)
        parents, every, rows = dict[int, int](), list[int](), list[int]()
        for row in np.lexsort((candidates.segments, candidates.vine)).tolist():
            one, vine = candidates[np.array([row])], int(candidates.vine[row])
            slots, _ = super()._insert(replace(one, parents=np.array([parents.get(vine, 0)])), grown)
            if len(slots):
                parents[vine] = int(slots[0])
                every.append(parents[vine])
                rows.append(row)
        return np.array(every, np.int64), candidates[np.array(rows, np.int64)]

    def _valid_lengths(self) -> NDArray[np.bool_]:
        """Whether the vine of the design may end after each number of segments, from 1 to the most: no section is too short then."""
        valid, length, sound = np.zeros(self.max_segments, bool), 0, True
        before: int | None = None
        for k, control in enumerate(self.known_controls[: self.max_segments].tolist()):
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
    own = np.arange(len(catalogue.curvature)) >= catalogue.actuators
    if not section.preformed:
        own = ~own & (catalogue.kind == section.kind)
        alike = own & np.isclose(catalogue.l_0, section.l_0) & np.isclose(catalogue.pressure, section.pressure)
        own = alike if alike.any() else own
    off = np.where(own, np.abs(catalogue.curvature - section.curvature), np.inf)
    return sign * (int(off.argmin()) + 1)
