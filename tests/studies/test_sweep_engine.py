"""The report of the cluster's measurements: figures by hand, targets, and tables that differ."""

import json
from dataclasses import replace

import pytest

from studies.sweep_engine.report import missed, report
from studies.sweep_engine.study import Measured

SERIAL = Measured("serial", 1, 10, 50.0, 49.5, "a" * 64)
TWO = Measured("cluster", 2, 10, 26.0, 49.4, "a" * 64)
ONE = Measured("cluster", 1, 10, 50.4, 50.0, "a" * 64)
SLEEP = Measured("sleep", 4, 10_000, 40.0, 100.0, memory_mb=[300.0, 320.0])
FILES = Measured("files", 1, 500, 0.5)


def test_figures_are_those_of_their_definitions() -> None:
    """Overhead per shard, computing share and rate."""
    assert ONE.overhead_s == pytest.approx(0.04)
    assert TWO.computing_share == pytest.approx(0.95)
    assert TWO.overhead_s == pytest.approx(0.26)
    assert SLEEP.rate == 250


def test_a_report_has_every_measurement() -> None:
    """Also of an interrupted study; the lowest limit is that of the slower of client and disk."""
    text = report([SERIAL, ONE, TWO, SLEEP, FILES]).text
    assert "| 2 workers | 26.0 | 4.94 | 260 | 0.950 | 1.92 | aaaaaaaaaaaa |" in text
    assert "they compute in 0.950 of their time" in text
    assert "Overhead with one worker: 40 ms per shard (target: under 50 ms)." in text
    assert "The lowest limit is that of client and scheduler, at about 1250 cores with shards of 5 s." in text
    for some in ([], [SERIAL], [SERIAL, ONE], [SLEEP]):
        json.dumps(report(some).content, allow_nan=False)


def test_tables_that_differ_are_a_miss() -> None:
    """The report says so, and the command ends with what was not met."""
    other = replace(TWO, digest="b" * 64)
    assert missed([SERIAL, TWO]) == ""
    assert missed([SERIAL, other]) == "the tables of serial and parallel runs differ"
    assert "THE TABLES DIFFER" in report([SERIAL, other]).text
