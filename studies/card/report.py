"""The report of the study `card`."""

from __future__ import annotations

from collections.abc import Sequence

from planner.output.markdown import markdown_table
from studies.card.study import CHAINS, DEFAULT, PAPER, CardRecord
from studies.planning.study import PAPER as PUBLISHED
from studies.planning_runs import number_text
from vinewright.console.study import Report

COLUMNS = "environment", "iterations", "iteration, s", "replays", "first, s", "cost", "vine-steps/s", "memory, MB"


def report(records: Sequence[CardRecord]) -> Report:
    """Make the report: the whole chains first, then each replaced part."""
    limit = records[0].case.time_budget
    batches = sorted({one.case.batch for one in records if CHAINS[one.case.chain].get("propagator") == "penalty"})
    chains = [name for name in CHAINS if any(one.case.chain == name for one in records)]
    lines = [
        f"One search of {limit:g} s each, excluding compilation, in a process of its own. `{PAPER}` is the chain of paper 002 as it is",
        "written: a reverse tree of biarcs, SST*, the penalty method with 50 gradient steps for each growth step, and the network of the",
        f"sPAM. With the penalty method batches have {' and '.join(map(str, batches))} vines. `{DEFAULT}` is `vinewright plan ENV`: exact",
        "contact, table of forces, no tree, in batches of 100. *Cost* is that of the best solution at the end: actuators + length / 100 m.",
        "*Memory* is the largest of the process. An iteration takes the replays with it, in which each candidate is grown again at an",
        "eighth of the step; the paper has none. A search ends after the iteration in which its time is over. A dash: none was found.",
        "",
        *_paper_lines(records),
    ]
    for name in chains:
        own = [one for one in records if one.case.chain == name]
        options = " ".join(
            f"--{option}" if value is True else f"--{option} {value}" for option, value in CHAINS[name].items()
        )
        lines += ["", f"## {name[0].upper()}{name[1:]}", ""]
        lines += [
            f"`vinewright plan ENV {options}`".replace(" `", "`") + f", batch {own[0].case.batch}, on {own[0].device}:",
            "",
        ]
        lines += markdown_table(COLUMNS, map(_row, own))
    return Report("The chain of paper 002 and the default one", lines, {"records": [one.content() for one in records]})


def _row(record: CardRecord) -> list[str]:
    return [
        record.case.environment,
        str(record.iterations),
        number_text(record.iteration),
        str(record.replayed),
        number_text(record.first),
        number_text(record.cost),
        f"{record.rate:.0f}",
        f"{record.memory:.0f}",
    ]


def _paper_lines(records: Sequence[CardRecord]) -> list[str]:
    """Compare both whole chains with the numbers of the paper, where it has them."""
    found = {(one.case.chain, one.case.environment): one for one in records}
    rows = []
    for environment, published in PUBLISHED.items():
        if {(PAPER, environment), (DEFAULT, environment)} <= found.keys():
            one, other = found[PAPER, environment], found[DEFAULT, environment]
            first, cost, iteration = published[True]
            rows.append(
                [
                    environment,
                    *(number_text(value) for value in (iteration, one.iteration, other.iteration)),
                    *(number_text(value) for value in (first, one.first, other.first)),
                    *(number_text(value) for value in (cost, one.cost, other.cost)),
                ]
            )
    columns = [
        f"{what}: {whose}" for what in ("iteration, s", "first, s", "cost") for whose in ("published", PAPER, DEFAULT)
    ]
    said = "Published are the means of paper 002, Table 2, with its tree, on its GPU; it does not say how large its batches are:"
    return [said, "", *markdown_table(["environment", *columns], rows)] if rows else []
