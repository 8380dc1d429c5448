"""Memory for the records of a batch of vines."""

import sys
from pathlib import Path

import numpy as np
import pytest

from dynamics.records import SPARSE, new_records

STATUS = Path("/proc/self/statm")


def resident() -> int:
    """Memory of this process in pages of 4 kB or what they are [bytes]."""
    import resource

    return int(STATUS.read_text().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_records_that_are_not_written_take_no_memory() -> None:
    """Records of 257 MB, of 100 vines of which one grows far, take less than a tenth of it when each has written a few short ones."""
    lengths = np.full(100, 0.2)
    lengths[0] = 4.0
    before = resident()
    records = new_records(lengths, 0.025, 2000)
    assert records.angles.nbytes > 200e6
    records.angles[:, :8, :300] = records.contact_force[:, :8, :300] = 1.0
    assert resident() - before < 0.1 * (records.angles.nbytes + records.contact_force.nbytes)


@pytest.mark.parametrize("segments", [20, 4000])
def test_records_are_zero_and_can_be_written(segments: int) -> None:
    """Small and large records alike are zeros of one type, contiguous, and independent of each other."""
    records = new_records(np.full(30, 1.0), 0.05, segments)
    assert (records.angles.nbytes >= SPARSE) == (segments == 4000)
    for array in (records.angles, records.contact_force):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert not array.any()
    records.angles[3, 2, 1] = 5.0
    assert not records.contact_force.any()
