"""The printed vessel and clamp: watertight, of the stated dimensions, and large and thick enough."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from dynamics.tube import VineParams
from planner.fabrication.assembly import clamp
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.clamp import bolt_length, clamp_mesh
from planner.fabrication.assembly.vessel import Vessel, content, vessel_mesh, vessel_of

MakeBuild = Callable[..., Build]


@pytest.fixture(scope="module")
def vessel(example: Build) -> Vessel:
    made = vessel_of(example)
    assert made
    return made


@pytest.fixture(scope="module")
def mesh(vessel: Vessel) -> trimesh.Trimesh:
    return vessel_mesh(vessel)


def test_the_prints_are_watertight(vessel: Vessel, mesh: trimesh.Trimesh) -> None:
    """Both are one closed surface with a positive volume; the air inlet and four screw holes make the vessel's handles."""
    for one in (mesh, clamp_mesh(vessel)):
        assert one.is_watertight
        assert one.is_winding_consistent
        assert one.volume > 0
        assert one.body_count == 1
    assert mesh.euler_number == 2 - 2 * (1 + 4)
    assert clamp_mesh(vessel).euler_number == 2 - 2 * 2


def test_the_vessel_has_its_dimensions(vessel: Vessel, mesh: trimesh.Trimesh) -> None:
    """Height and flange are those stated; a ray across wall, floor and neck meets the stated thicknesses."""
    assert mesh.extents == pytest.approx([1e3 * vessel.width, 1e3 * vessel.width, 1e3 * vessel.height], abs=0.1)
    angle = np.radians(20.0)  # away from boss and holes
    for radius, thickness, up in (
        (vessel.chamber, vessel.wall, vessel.floor + vessel.depth / 2),
        (vessel.bore, vessel.neck - vessel.bore, vessel.height - 0.02),
    ):
        slice_ = mesh.section([0, 0, 1], [0, 0, 1e3 * up])
        radii = np.hypot(*slice_.vertices[:, :2].T) * 1e-3
        at = np.abs(np.arctan2(slice_.vertices[:, 1], slice_.vertices[:, 0])) > angle
        assert radii[at].min() == pytest.approx(radius, rel=1e-3)
        assert radii[at].max() == pytest.approx(radius + thickness, rel=1e-3)


def test_the_neck_fits_into_the_tube(vessel: Vessel) -> None:
    """The lip is 0.5 mm smaller in radius than the tube, and the neck behind it another 1 mm."""
    assert vessel.lip == pytest.approx(33.35e-3 - 0.5e-3)
    assert vessel.neck == pytest.approx(33.35e-3 - 1.5e-3)
    inner = np.hypot(*clamp_mesh(vessel).vertices[:, :2].T).min()
    assert inner == pytest.approx(1e3 * vessel.neck + 0.8, abs=0.05)


def test_the_content_is_that_of_the_parts(make_build: MakeBuild) -> None:
    """Without actuators it is the film of tube and tip seal: two layers of 50 um, pi R wide."""
    build = make_build(("none", 2.0))
    assert content(build) == pytest.approx(2 * np.pi * 33.35e-3 * 2.02 * 50e-6)


def test_the_chamber_holds_the_folded_tube(example: Build, vessel: Vessel) -> None:
    """A quarter of chamber and cone is at least the content, with no more than needed if that decides the depth."""
    cone = np.pi / 3 * (vessel.chamber**3 - vessel.bore**3)
    volume = np.pi * vessel.chamber**2 * vessel.depth + cone
    assert volume / 4 >= content(example) - 1e-9
    least_depth = 11e-3 + 11e-3
    assert volume / 4 < content(example) + np.pi * vessel.chamber**2 * 1e-4 or vessel.depth == pytest.approx(
        least_depth
    )


def test_more_pressure_needs_more_wall(make_build: MakeBuild) -> None:
    """At 100 kPa the stress at twice the pressure is 2.28 MPa: P r / t in the wall, 3/4 P (r / t)^2 in the floor."""
    build = make_build(("none", 1.0))
    strong = Build(replace(build.design, params=replace(VineParams(), growth_pressure=100e3)))
    vessel = vessel_of(strong)
    assert vessel
    assert vessel.wall == pytest.approx(2 * 100e3 * vessel.chamber / 2.28e6, abs=1e-4)
    assert 0.75 * 2 * 100e3 * (vessel.chamber / vessel.floor) ** 2 == pytest.approx(2.28e6, rel=0.02)


def test_printers_limit_the_vessel(make_build: MakeBuild) -> None:
    """Parts that fit have at most 210 mm; 12 m of tube with actuators need a wider chamber; a tube of 300 mm has no vessel that fits."""
    long = make_build(("left", 100, 0.04), ("right", 100, 0.04), ("none", 4.0))
    short = vessel_of(make_build(("none", 1.0)))
    wide = vessel_of(long)
    assert short
    assert wide
    assert wide.chamber > short.chamber
    assert wide.fits == (max(wide.height, wide.width) <= 0.21)
    assert short.fits
    large = Build(replace(long.design, params=replace(VineParams(), radius=0.15)))
    vessel = vessel_of(large)
    assert vessel
    assert not vessel.fits


def test_a_narrow_tube_has_no_vessel(make_build: MakeBuild) -> None:
    """The bore of the neck would be less than 10 mm wide."""
    build = make_build(("none", 1.0))
    for radius, printed in ((8.8e-3, False), (9.0e-3, True)):
        assert bool(vessel_of(Build(replace(build.design, params=replace(VineParams(), radius=radius))))) == printed


def test_the_mass_is_that_of_the_mesh(vessel: Vessel, mesh: trimesh.Trimesh) -> None:
    """1.24 g/cm^3 times the volume of the print, within the boss and the holes."""
    assert vessel.mass == pytest.approx(1240 * mesh.volume * 1e-9, rel=0.04)


def test_the_bolts_reach_through_both_lugs() -> None:
    """Two lugs of 7 mm, a gap of 2 mm and 8 mm for washer and nut are 24 mm: bolts of 25 mm."""
    assert bolt_length() == pytest.approx(25e-3)
    assert clamp.WIDTH < 60e-3
