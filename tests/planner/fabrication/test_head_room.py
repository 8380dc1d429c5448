"""Head room of the pressure lines: a set point at its limit is refused unless asked for."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from dynamics.tube import VineParams
from planner.design.design import Section
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.pressures import NoHeadRoom, check_head_room, pressure_content, regulator_range
from surrogate.actuators import Limits
from surrogate.spam import Spam

MakeBuild = Callable[..., Build]


def at(build: Build, kpa: float) -> Build:
    """The build with all actuators at one pressure."""

    def changed(section: Section) -> Section:
        return section if section.side == "none" else replace(section, pressure=1e3 * kpa)

    return Build(replace(build.design, sections=tuple(map(changed, build.design.sections))))


def test_a_set_point_at_its_limit_is_refused(example: Build) -> None:
    """The message names line, set point and limit, and what to do; 32.5 kPa, below the regulators' 35 kPa, is accepted."""
    with pytest.raises(NoHeadRoom) as caught:
        check_head_room(example)
    message = str(caught.value)
    assert message.startswith(
        "L1 is set to 35 kPa, at its limit of 35 kPa, which leaves no head room: if your regulators supply more, give --supply"
    )
    assert message.endswith("or give --allow-limit")
    assert "\n" not in message
    check_head_room(at(example, 32.5))
    with pytest.raises(NoHeadRoom, match=r"36 kPa, above its limit of 35 kPa"):
        check_head_room(at(example, 36.0))


def test_the_film_limits_too(make_build: MakeBuild) -> None:
    """With regulators up to 60 kPa the limit of a tube of 17.18 mm is 16 MPa * 50 um / 17.18 mm = 46.57 kPa; body: 23.99 kPa."""
    kind = Spam(limits=Limits(most_pressure=60e3))
    build = at(make_build(("left", 5, 0.04), ("none", 0.2), params=VineParams(actuator=kind)), 50.0)
    with pytest.raises(NoHeadRoom, match=r"L1 is set to 50 kPa, above its limit of 46\.57 kPa.*bursts film of 50 um"):
        check_head_room(build)
    wide = make_build(("none", 1.0), params=replace(VineParams(), growth_pressure=24e3))
    with pytest.raises(NoHeadRoom, match=r"body is set to 24 kPa, above its limit of 23\.99 kPa"):
        check_head_room(wide)


def test_the_pressure_file_states_head_room(example: Build) -> None:
    """Limit minus set point, and the range that a regulator needs."""
    lines = pressure_content(at(example, 30.0), [None] * 2)["lines"]
    assert [line["head_room_kpa"] for line in lines] == [pytest.approx(23.99 - 10.342, abs=0.01), 5.0, 5.0]
    assert [line["regulator_kpa"] for line in lines] == [15.0, 40.0, 40.0]


def test_regulator_ranges_are_whole_steps() -> None:
    """1.25 times the set point, rounded up to 5 kPa; 20 kPa needs exactly 25."""
    assert [regulator_range(1e3 * kpa) / 1e3 for kpa in (4, 4.1, 20, 35)] == [5, 10, 25, 45]
