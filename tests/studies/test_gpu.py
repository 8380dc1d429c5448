"""Measurements of a CUDA device without one: the compiled kernel, warps in lockstep, and counted accesses."""

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from dynamics.cuda import _leaves
from dynamics.quasistatic.device import KERNELS, grow_lanes
from dynamics.quasistatic.step import new_work
from planner.output.provenance import machine
from studies.gpu import study
from studies.gpu.precision import GROUPS, HOLDS, Precision, measure_precision, share_of, to_single
from studies.gpu.report import report
from studies.gpu.study import CAPABILITIES, NAMES, EarlierMeasurements, Lockstep, TrialSpeed, cases, share_of_lanes
from studies.gpu.traffic import Counted, Tally, Traffic, lockstep_share, measure_traffic, paths_of
from studies.gpu.usage import Usage, argument_bytes, compile_ptx, make_arguments
from studies.rollouts.study import RolloutSpeed

USAGE = Usage("grow_lanes", "9.0", 40.0, 30.0, 255, 1128, 2700, 8480, 8584)
TRAFFIC = Traffic(
    "maze", 40, 16000, 20e3, 8e3, 16e3, 231_000, 0.4, {"work.step.bend": 0.25, "work.stepping": 0.5, "work.forces": 0.2}
)
SPEED = RolloutSpeed("maze", "exact contact", "AMD EPYC, 2 threads", "cpu, 2 threads", 100, 1.0, 20_000, 0.1, 1.0)


def test_lanes_wait_for_the_longest() -> None:
    """Warps of equal vines lose nothing; one long vine keeps 31 lanes waiting; a part of a warp is empty."""
    assert share_of_lanes(np.full(64, 7)) == 1.0
    assert share_of_lanes(np.array([10] + [1] * 31)) == 41 / 320
    assert share_of_lanes(np.full(16, 5)) == 0.5
    mixed = np.array([1, 9] * 32)
    assert share_of_lanes(np.sort(mixed)) == 1.0
    assert share_of_lanes(mixed) == pytest.approx(5 / 9)


def test_lockstep_counts_each_step() -> None:
    """Lanes that work the same in total, but in different steps, wait for each other."""
    assert lockstep_share([[4, 4]] * 32) == 1.0
    assert lockstep_share([[8, 0]] * 16 + [[0, 8]] * 16) == 0.5
    assert lockstep_share([[6]] * 31 + [[6, 6]]) == pytest.approx(33 / 64)


def test_accesses_are_counted() -> None:
    """Each number that is read or written, also through rows and slices, with what was touched."""
    tally, touched = Tally(), np.zeros((3, 4), bool)
    array = Counted(np.arange(12.0).reshape(3, 4), touched, tally)
    assert array[1, 2] == 6.0
    assert array[2][3] == 11.0
    array[0, 0] = array[1, 2]
    array[1] = 0.0
    row = array[2]
    row[:2] = 5.0
    assert (tally.read, tally.written) == (24, 8 * (1 + 4 + 2))
    assert touched.sum() == 1 + 4 + 3
    assert (len(array), array.shape, array.size) == (3, (3, 4), 12)
    named = Counted(np.zeros(3), np.zeros(3, bool), tally, "a.b")
    named[1] = named[0]
    assert (tally.by_array["a.b"], tally.by_array.total()) == (16, 16 + 24 + 56)


@pytest.mark.slow
def test_traffic_of_the_kernel() -> None:
    """Vines touch less than is reserved, and read more than they touch."""
    found = measure_traffic("maze", 0.2)
    assert found.segments == 8
    assert found.vine_steps >= 64 * 24  # in the open, steps are as long as half a segment at most
    assert 1e3 < found.touched_bytes < found.reserved_bytes
    assert found.read_bytes > found.written_bytes > 0
    assert 0.3 < found.share_of_lanes <= 1.0
    assert sum(found.accessed.values()) == pytest.approx(1.0, abs=0.01)
    assert found.accessed["work.chain.x"] > found.accessed["work.needed"]


def test_arrays_of_a_group_become_single() -> None:
    """Those at its paths and below them, and no integers; all others stay the same arrays."""
    work = new_work(5)
    single = to_single(work, GROUPS["rows of contacts"] + GROUPS["model of the step"])
    changed = [path for path, array in zip(paths_of(work), _leaves(single), strict=True) if array.dtype == np.float32]
    assert sorted(changed) == sorted([*GROUPS["rows of contacts"], "step.inverse", "step.free", "step.bend"])
    assert single.contacts.segment is work.contacts.segment
    assert single.chain.x is work.chain.x
    assert share_of("model of the step", TRAFFIC.accessed) == 0.25


@pytest.mark.parametrize("group", GROUPS)
def test_groups_name_arrays(group: str) -> None:
    """Each path is one of the work space, or the beginning of one."""
    paths = paths_of(new_work(2))
    for path in GROUPS[group]:
        assert any(f"{one}.".startswith(f"{path}.") for one in paths)


@pytest.mark.slow
@pytest.mark.parametrize(("arrays", "holds"), [("last step", True), ("Cholesky factor", False)])
def test_single_precision_holds_for_some_arrays(arrays: str, holds: bool) -> None:
    """Values kept of the last step may be rounded; with a rounded factor the solver ends nowhere."""
    found = measure_precision(arrays, "maze", 0.5, vines=20)
    assert found.holds == holds
    assert (0.0 < found.farthest_m < HOLDS) or not holds
    assert found.alike == (1.0 if holds else 0.0)


def test_report_without_a_device_says_first_what_is_unknown() -> None:
    """Then come the tables; with a device there is no estimate."""
    known = [
        SPEED,
        TrialSpeed("a", "cpu, 2 threads", 100, 0.1, 0.2),
        USAGE,
        Lockstep("maze", 64, 250.0, {"a": 0.8, "b": 0.9}),
        TRAFFIC,
    ]
    text = report(known).text
    assert text.startswith("**No CUDA device was at hand: nothing here was run on one.**")
    assert "| grow_lanes | 9.0 | 255 | 8 of 64 | 1128 | 2700 | 8480 | 8584 | 40 + 30 |" in text
    assert "| maze | 250 | 0.80 | 0.90 | 0.40 | 20.0 | 8.0 | 16.0 | 231 |" in text
    # 132 multiprocessors with 256 vines each; 4.8 TB/s and 28 kB per step; 3500 accesses of 30 or 700 cycles at 1.98 GHz
    vines = 132 * 256
    rates = [0.4 * 4.8e12 / 28e3, *(0.4 * vines * 1.98e9 / 3500 / cycles for cycles in (30, 700))]
    assert f"| {vines * 16e3 / 1e6:.0f} | {' | '.join(f'{rate / 1e6:.0f}' for rate in rates)} |" in text
    measured = report([*known, replace(SPEED, device="NVIDIA H200")]).text
    assert "No CUDA device" not in measured
    assert "Estimate" not in measured
    assert "| maze | exact contact | NVIDIA H200 | 100 | 0.1 | 200,000 |" in measured


def test_an_earlier_report_keeps_what_has_no_like_now() -> None:
    """On a device, what was known without one; without, what was measured on one. Each table names its machine, also the third time."""
    on_device = replace(SPEED, device="NVIDIA H200", machine="Xeon")
    here = report([SPEED, USAGE, Lockstep("maze", 64, 250.0, {"a": 0.8, "b": 0.9}), TRAFFIC]).content
    assert here["known_on"] == machine()
    earlier = EarlierMeasurements.of(here | {"machine": "EPYC", "known_on": "EPYC"})
    there = report([on_device], earlier._replace(depends_on={"module": "old"}))
    assert there.content["depends_on"] == {"module": "old"}, "as old as its oldest part"
    assert "depends_on" not in report([on_device], earlier._replace(found=[])).content
    assert [row["device"] for row in there.content["speeds"]] == ["NVIDIA H200", "cpu, 2 threads"]
    assert "\nWhat follows was measured without a device, on EPYC.\n\n## The kernels\n" in there.text
    again = report(
        [on_device, replace(SPEED, seconds=0.2)], EarlierMeasurements.of(there.content | {"machine": "Xeon"})
    )
    assert [row["seconds"] for row in again.content["speeds"]] == [0.1, 0.2]
    assert again.content["known_on"] == "EPYC"
    back = report([SPEED, USAGE], EarlierMeasurements.of(again.content | {"machine": "Xeon"})).content
    assert [row["device"] for row in back["speeds"]] == ["cpu, 2 threads", "NVIDIA H200"]
    assert (back["known_on"], back["lockstep"], len(back["usage"])) == (machine(), [], 1)


def test_the_committed_report_can_be_kept() -> None:
    """All measurements in its JSON file are read."""
    content = json.loads((Path(__file__).parents[2] / "results/gpu/data.json").read_text())
    found = EarlierMeasurements.of(content)
    assert len(found.found) == sum(len(content[name]) for name in NAMES.values())
    assert found.known_on == content["known_on"]


def test_report_says_where_single_precision_holds() -> None:
    """In the worst environment; with the share of accesses of these arrays in all."""
    holding = [
        Precision("model of the step", one, 300, 1.0, 1.0, far) for one, far in (("maze", 1.3e-7), ("long", 2e-8))
    ]
    failing = [
        Precision("positions", "maze", 300, 1.0, 1.0, 6e-8),
        Precision("positions", "long", 300, 0.99, 0.98, 0.25),
    ]
    other = replace(TRAFFIC, environment="long", accessed={"work.step.free": 0.1, "work.chain.x": 0.2})
    text = report([*holding, *failing, TRAFFIC, other]).text
    assert "| model of the step: `step` | yes | 1.000 | 1.000 | 0.13 | 0.10 to 0.25 |" in text
    assert "| positions: `chain` | no | 0.990 | 0.980 | 2.5e+05 | 0.00 to 0.20 |" in text


def test_a_part_of_the_study_is_reported() -> None:
    """The report has all that was measured before Ctrl-C."""
    for one in (SPEED, USAGE, TRAFFIC):
        assert report([one]).content


def test_registers_limit_the_warps() -> None:
    """65536 registers, allocated eight at a time to each of 32 lanes; at most 64 warps."""
    assert [replace(USAGE, registers=number).warps for number in (255, 129, 128, 32, 16)] == [8, 15, 16, 64, 64]


def test_cases_with_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what needs this machine, beginning with the device: its time may be short."""
    monkeypatch.setattr(study, "why_not", lambda: None)
    found = cases()
    assert {case.kind for case in found} == {"speed", "algorithm 1", "trials"}
    devices = [case.device for case in found]
    assert devices == sorted(devices, reverse=True)
    assert {case.batch for case in found if case.device == "cuda"} >= set(study.ON_CUDA)


def test_cases_without_a_device() -> None:
    """Everything on the CPU is measured, and the kernel compiled for all capabilities."""
    kinds = [case.kind for case in cases()]
    assert set(kinds) == {"speed", "algorithm 1", "trials", "usage", "lockstep", "traffic", "precision"}
    compiled = [(case.kernel, case.capability) for case in cases() if case.kind == "usage"]
    assert compiled == [(kernel.__name__, one) for kernel in KERNELS for one in CAPABILITIES]


NEEDS_COMPILER = pytest.mark.skipif(
    find_spec("numba_cuda") is None, reason="numba-cuda is not installed: the extra cuda"
)


@NEEDS_COMPILER
@pytest.mark.slow
def test_the_kernel_compiles_for_the_oldest_devices() -> None:
    """Its arguments are as many as counted, and fit into what a driver of CUDA 12.1 takes. `tests/dynamics/test_ptx.py` has the others."""
    arguments = make_arguments()
    ptx = compile_ptx(grow_lanes, arguments, CAPABILITIES[0])
    assert ".target sm_80" in ptx
    entry = ptx[ptx.index(".visible .entry") :]
    taken = entry[: entry.index(")\n")].count(".param")
    assert 8 * taken == argument_bytes(arguments) < 32_764
