"""Films: the numbers of the common ones are those of their sources, in SI units, and pressures follow from them."""

import pytest

from surrogate.films import COATED_FABRIC, FILMS, MATERIALS, OWN, SOURCES, STRIP_FILM, Film

POUND, INCH, KILOPOND = 4.4482216152605, 25.4e-3, 9.80665
"""Pound-force [N], inch [m], kilogram-force [N]."""


def test_names_end_in_the_thickness() -> None:
    """In micrometres, after the material; each is a key of the table."""
    assert {film.name.rpartition("-")[0] for film in FILMS.values()} == MATERIALS.keys()
    for name, film in FILMS.items():
        assert film.name == name
        assert float(name.rpartition("-")[2]) == pytest.approx(1e6 * film.thickness)
        assert not film.assumed


def test_numbers_are_those_of_their_sources() -> None:
    """Conversions of what the sources say: pounds per inch, kilogram-force per square centimetre, and stresses over strains."""
    ldpe, hdpe, tpu = (FILMS[name] for name in ("ldpe-50", "hdpe-50", "tpu-100"))
    assert (ldpe.thickness, ldpe.yield_stress, ldpe.strength) == (50e-6, 9.2e6, 20e6)
    assert 18.5e6 < ldpe.strength < 20.9e6
    assert hdpe.yield_stress == pytest.approx(126 * POUND / INCH / (0.06 * INCH), rel=3e-3)
    assert hdpe.strength == pytest.approx(250 * KILOPOND / 1e-4, rel=1e-3)
    assert tpu.modulus == pytest.approx((5e6 + 7e6) / 2 / 0.5)
    for name in ("ripstop-tpu-130", "ripstop-tpu-180"):
        fabric = FILMS[name]
        assert fabric.strength * fabric.thickness == pytest.approx(50 * POUND / INCH)
        assert fabric.modulus * fabric.thickness == pytest.approx(50 * POUND / INCH / 0.25)


def test_every_number_says_where_it_is_from() -> None:
    """By a source, and each source is used; yield and strength are in order."""
    for made in MATERIALS.values():
        for quantity in (made.modulus, made.yield_stress, made.strength):
            assert quantity.sources or "assumed" in quantity.note
        assert made.sealing.temperature[0] < made.sealing.temperature[1]
        assert made.sealing.time[0] < made.sealing.time[1]
        assert set(made.sources) <= SOURCES.keys()
    assert {source for made in MATERIALS.values() for source in made.sources} == SOURCES.keys()


def test_the_default_is_an_assumption() -> None:
    """LDPE of 50 um, which differs from that film where it is given."""
    assert STRIP_FILM.assumed
    assert COATED_FABRIC.assumed
    assert STRIP_FILM != FILMS["ldpe-50"] == STRIP_FILM.changed({})
    assert STRIP_FILM.most_pressure(0.02) == FILMS["ldpe-50"].most_pressure(0.02) == pytest.approx(40e3)


def test_numbers_replace_those_of_a_film() -> None:
    """The rest is that of the material; the cloth under a coating carries the same load whatever the thickness."""
    thick = STRIP_FILM.changed({"thickness": 75e-6})
    assert thick == Film("ldpe-50", 75e-6, 0.2e9, 9.2e6, 20e6)
    assert thick.material == "LDPE"
    fabric = FILMS["ripstop-tpu-130"]
    coated = fabric.changed({"thickness": 260e-6})
    assert coated.strength == pytest.approx(fabric.strength / 2)
    assert coated.most_pressure(0.02) == pytest.approx(fabric.most_pressure(0.02))
    assert FILMS["tpu-100"].changed({"thickness": 200e-6}).most_pressure(0.02) == pytest.approx(
        2 * FILMS["tpu-100"].most_pressure(0.02)
    )
    strong = fabric.changed({"thickness": 260e-6, "strength": 90e6})
    assert (strong.strength, strong.modulus) == (90e6, pytest.approx(fabric.modulus / 2))
    assert Film(OWN, 75e-6, 1e9, 1e7, 2e7).changed({"thickness": 50e-6}) == Film(OWN, 50e-6, 1e9, 1e7, 2e7)
    assert Film(OWN, 75e-6, 1e9, 1e7, 2e7).material == "own film"


def test_a_film_checks_itself() -> None:
    """No number of 0, and it breaks no sooner than it yields."""
    with pytest.raises(ValueError, match=r"^film\.thickness = 0 must be greater than 0 and finite$"):
        STRIP_FILM.changed({"thickness": 0.0})
    with pytest.raises(ValueError, match=r"^film\.yield_stress = 3e\+07 must be at most film\.strength = 2e\+07$"):
        STRIP_FILM.changed({"yield_stress": 30e6})
