"""The study of the chain of paper 002 beside the default one."""

import math

import pytest

from studies.card.report import report
from studies.card.study import CHAINS, DEFAULT, ENVIRONMENTS, PAPER, CardCase, CardRecord, make_cases, run_case
from studies.planning.study import PAPER as PUBLISHED


def record(chain: str, environment: str, history: list[tuple[float, int, float]]) -> CardRecord:
    """Outcome of a search of 10 s and 5 iterations."""
    return CardRecord(CardCase(chain, environment, 0, 10.0, 30), "cpu", 5, 10.0, 2000, 3, history, 300.0)


def test_the_whole_chains_come_first() -> None:
    """Both in every environment, and then each chain with a part replaced: what is interrupted has the most important ones."""
    cases = make_cases(ENVIRONMENTS, 60.0, 100)
    assert len(cases) == len(set(cases)) == len(CHAINS) * len(ENVIRONMENTS)
    first = cases[: 2 * len(ENVIRONMENTS)]
    assert {(one.chain, one.environment) for one in first} == {
        (name, env) for name in (PAPER, DEFAULT) for env in ENVIRONMENTS
    }


def test_a_part_is_one_option() -> None:
    """Each further chain differs from that of the paper in one part, or leaves it out."""
    for name in list(CHAINS)[2:]:
        differing = {key for key in {*CHAINS[PAPER], *CHAINS[name]} if CHAINS[PAPER].get(key) != CHAINS[name].get(key)}
        assert len(differing) == 1 or name == "exact contact"


def test_numbers_are_those_of_the_records() -> None:
    """Rates, times and costs follow from iterations, steps and history; a search without a solution has dashes."""
    found, nothing = record(PAPER, "plus", [(2.0, 2, 2.5), (6.0, 1, 2.25)]), record(DEFAULT, "plus", [])
    assert (found.first, found.cost, found.iteration, found.rate) == (2.0, 1.0225, 2.0, 200.0)
    assert (nothing.first, nothing.cost) == (math.inf, math.inf)
    made = report([found, nothing])
    published = PUBLISHED["plus"][True]
    assert (
        f"| plus | {published[2]:.2f} | 2.00 | 2.00 | {published[0]:.2f} | 2.00 | - | {published[1]:.2f} | 1.02 | - |"
        in made.text
    )
    assert "| plus | 5 | 2.00 | 3 | 2.00 | 1.02 | 200 | 300 |" in made.text
    assert "| plus | 5 | 2.00 | 3 | - | - | 200 | 300 |" in made.text
    assert (
        "`vinewright plan ENV --heuristic --propagator penalty --solver gradient --surrogate network`, batch 30, on cpu:"
        in made.text
    )
    assert "`vinewright plan ENV`, batch 30, on cpu:" in made.text
    assert len(made.content["records"]) == 2


def test_the_default_chain_is_measured() -> None:
    """A real search of two seconds finds a solution in `divider`, with the default batch."""
    made = run_case(CardCase(DEFAULT, "divider", 0, 2.0, 10))
    assert made.case.batch == 100
    assert made.iterations > 0
    assert made.vine_steps > 0
    assert made.memory > 50
    assert made.first <= made.seconds


@pytest.mark.slow
def test_the_chain_of_the_paper_is_measured() -> None:
    """A real search with the tree, the penalty method by gradient steps and the network makes iterations."""
    made = run_case(CardCase(PAPER, "tube", 0, 20.0, 4))
    assert made.case.batch == 4
    assert made.iterations > 0
