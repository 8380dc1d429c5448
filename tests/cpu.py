"""Plugin of pytest: the CPU time of each test, its fixtures and the processes it waited for, which no other load changes.

Loaded with `python -m pytest -p tests.cpu`; the tests and files that took most are printed at the end.
"""

import resource
import time
from collections import Counter
from collections.abc import Generator

import pytest

SHOWN = 25
NAME = "cpu_s"


class Seconds:
    """CPU time of all tests [s], by test; each process of tests sends its own along with its reports."""

    def __init__(self) -> None:
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The report of the teardown comes last, and has the times of all three parts."""
        if report.when == "teardown":
            self.tests[report.nodeid] = sum(value for name, value in report.user_properties if name == NAME)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the tests and the files that took most, and the sum."""
        files: Counter[str] = Counter()
        for test, seconds in self.tests.items():
            files[test.partition("::")[0]] += seconds
        terminalreporter.section(f"{sum(self.tests.values()):.0f} s of CPU time in {len(self.tests)} tests")
        for found in (files, self.tests):
            for name, seconds in found.most_common(SHOWN):
                terminalreporter.line(f"{seconds:7.2f} s  {name}")
            terminalreporter.line("")


def used() -> float:
    """CPU time of this process and of its children that have ended [s]."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Seconds())


def measured(item: pytest.Item) -> Generator[None, object, object]:
    """Run a part of a test, and note its CPU time where the report will have it."""
    before = used()
    try:
        return (yield)
    finally:
        item.user_properties.append((NAME, used() - before))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from measured(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from measured(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from measured(item))
