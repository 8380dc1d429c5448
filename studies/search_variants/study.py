"""The five studies of variants of the search: their variants, their cases, and their runs by environment and variant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from planner.search.planners import SST_STAR
from planner.search.sst import DEFAULT_SWITCHES, Switches
from studies.planning_runs import RunCase, RunRecord
from studies.random_environments import PREFIX, SOAK_DENSITIES, SOAK_PREFIX, soak_kind

Groups = dict[str, dict[str, list[RunRecord]]]
"""Runs by environment, or by group of environments, and by name of the variant."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Settings of a search."""

    switches: Switches = DEFAULT_SWITCHES
    batch: int = 100
    planner: str = SST_STAR

    @classmethod
    def of(cls, case: RunCase) -> Variant:
        """Return the variant that a case runs."""
        return cls(case.switches, case.batch, case.planner)


def environment_name(record: RunRecord) -> str:
    """Name of the environment of a run, without folder and suffix."""
    return Path(record.case.environment).stem


@dataclass(frozen=True)
class VariantStudy:
    """A study that plans with several variants of the search, with the same seeds in the same environments."""

    name: str
    """Name of the command, and of the folder of results."""
    title: str
    """Heading of the report."""
    variants: Mapping[str, Variant]
    """Variants by the name that the report has for them."""
    environments: tuple[str, ...] = ()
    """Names of the environments to plan in by default; empty for all that are known."""
    seeds_first: bool = False
    """Whether seeds are outermost, so that an interrupted study has every environment equally often."""
    until_first: bool = False
    """Whether a run ends at its first solution."""
    in_time: bool = False
    """Whether solutions after the time budget, in the iteration in which it ended, are left out."""
    group_of: Callable[[RunRecord], str] = environment_name
    """Returns the name under which the report has the environment of a run."""

    def runs(self, environments: Sequence[str], count: int) -> list[tuple[str, int]]:
        """Pair every environment with the seeds 0 ... count - 1."""
        if self.seeds_first:
            return [(name, seed) for seed, name in product(range(count), environments)]
        return list(product(environments, range(count)))

    def cases(self, runs: Iterable[tuple[str, int]], seconds: float) -> list[RunCase]:
        """Make the cases of all variants for pairs of environment and seed, the variants innermost."""
        return [
            RunCase(name, seed, seconds, one.batch, one.switches, one.planner, self.until_first)
            for name, seed in runs
            for one in self.variants.values()
        ]

    def group(self, records: Sequence[RunRecord]) -> Groups:
        """Sort runs by group, variant and seed. Variants without runs are left out of a group."""
        names = {variant: name for name, variant in self.variants.items()}
        groups: Groups = {}
        for record in records:
            if (name := names.get(Variant.of(record.case))) is not None:
                own = groups.setdefault(self.group_of(record), {name: [] for name in self.variants})
                own[name].append(record.in_time() if self.in_time else record)
        return {
            group: {name: sorted(runs, key=lambda run: run.case.seed) for name, runs in own.items() if runs}
            for group, own in groups.items()
        }

    def complete_groups(self, records: Sequence[RunRecord]) -> Groups:
        """Sort runs by group, variant and seed, and leave out groups without runs of every variant."""
        return {group: own for group, own in self.group(records).items() if len(own) == len(self.variants)}

    def runs_of(self, records: Sequence[RunRecord], variant: str) -> dict[tuple[str, int], RunRecord]:
        """Return the runs of a variant by environment and seed, in the order of the records."""
        return {
            (environment_name(record), record.case.seed): record
            for record in records
            if Variant.of(record.case) == self.variants[variant]
        }


RANDOM = "random"
"""Name of all random environments together."""
NONE, FREE, CONTACT = "none", "contact-free", "contact-aware"
"""Kinds of reverse tree."""


def name_or_random(record: RunRecord) -> str:
    """Name of the environment of a run; `RANDOM` for all random ones."""
    name = environment_name(record)
    return RANDOM if name.startswith(PREFIX) else name


TABLE2 = VariantStudy(
    "table2",
    "Planning with the reverse trees and without",
    {
        NONE: Variant(Switches()),
        FREE: Variant(Switches(heuristic=True, contact=False)),
        CONTACT: Variant(Switches(heuristic=True)),
    },
    group_of=name_or_random,
)
"""Effect of the reverse tree: planning without one, and with two kinds (paper 002, Table 2)."""


def random_runs(seeds: Sequence[int]) -> list[tuple[str, int]]:
    """Pair the random environment of each seed with the seed."""
    return [(f"{PREFIX}{seed}", seed) for seed in seeds]


ABLATIONS = VariantStudy(
    "ablations",
    "Effect of parts of the search",
    {
        "default": Variant(),
        "only the last state of each vine": Variant(Switches(maximal_recording=False)),
        "new nodes may overlap": Variant(Switches(subset=False)),
        "best-near radius 0": Variant(Switches(best_near=0.0)),
        "best-near radius 1": Variant(Switches(best_near=1.0)),
        "best-near radius 2": Variant(Switches(best_near=2.0)),
        "best-near radius 8": Variant(Switches(best_near=8.0)),
        "no nodes drawn by distance to the goal": Variant(Switches(levels=False)),
        "no growth aimed at the goal": Variant(Switches(aimed=False)),
        "growth with a pinned tip": Variant(Switches(pinned=True)),
        "batch 100 from the beginning": Variant(Switches(first_batch=100)),
        "batch 10": Variant(batch=10),
        "batch 30": Variant(batch=30),
        "batch 300": Variant(batch=300),
        "batch 1000": Variant(batch=1000),
    },
    environments=("maze", "needle", "long"),
)
"""Effect of parts of the search: one part is disabled or changed at a time. The best-near radius is relative to the witness radius."""

OMPL_PLANNERS = VariantStudy("ompl-planners", "OMPL's planners", {}, seeds_first=True, in_time=True)
"""SST* and OMPL's planners with the same propagator, replay and time; `with_planners` adds the planners."""


def with_planners(planners: Iterable[str]) -> VariantStudy:
    """Make the study of these planners."""
    return replace(OMPL_PLANNERS, variants={name: Variant(planner=name) for name in planners})


STEERED = 2
"""Maximum number of actuators that are steered."""
CONSTANT, SOME_STEERED = "constant", f"up to {STEERED} steered"
STEERING = VariantStudy(
    "steering",
    "Steering while the tube grows",
    {CONSTANT: Variant(), SOME_STEERED: Variant(Switches(steer=STEERED))},
    environments=("long", "building"),
)
"""Searches for constant pressures, and searches that may steer; constant designs need several actuators in these environments."""

DENSITIES = 0.4, 0.5, 0.6
"""Shares of the area that obstacles of dense clutter cover [-]."""
FIRST_SEED = 168
"""Environments of lower seeds were used to choose how nodes are drawn."""


def density_text(record: RunRecord) -> str:
    """Share of the area that obstacles cover in the environment of a run of `CLUTTER`."""
    return f"{soak_kind(record.case.seed)[0]:.0%}"


EARLIER = Switches(levels=False, aimed=False, lost=False, pinned=True)
"""Search without the changes that came after the first ones of its defaults."""
BEFORE, SMALLER_BATCH, NOW = "radius 2, batch 100", "radius 4, first batch 30", "now"
CLUTTER = VariantStudy(
    "clutter",
    "Dense clutter",
    {
        BEFORE: Variant(replace(EARLIER, best_near=2.0, first_batch=100)),
        SMALLER_BATCH: Variant(EARLIER),
        NOW: Variant(),
    },
    until_first=True,
    group_of=density_text,
)
"""First solutions in dense random clutter, with far more time than most runs take: by the search as it was, with the first change of
its defaults, and as it is."""


def clutter_runs(count: int) -> list[tuple[str, int]]:
    """Pair `count` environments of each density of `DENSITIES` with the seed of the environment."""
    seeds = range(FIRST_SEED, FIRST_SEED + count * len(SOAK_DENSITIES))
    return [(f"{SOAK_PREFIX}{seed}", seed) for seed in seeds if soak_kind(seed)[0] in DENSITIES]


def group_by_density(records: Sequence[RunRecord]) -> Groups:
    """Sort runs of `CLUTTER` by density and variant: of the environments in which every variant ran, in the same order for each."""
    complete = set.intersection(*(set(CLUTTER.runs_of(records, name)) for name in CLUTTER.variants))
    kept = [record for record in records if (environment_name(record), record.case.seed) in complete]
    return CLUTTER.group(sorted(kept, key=lambda record: soak_kind(record.case.seed)[0]))
