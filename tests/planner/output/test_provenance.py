"""Provenance of results."""

from importlib.metadata import PackageNotFoundError, version

import pytest

from planner.output import provenance


def test_a_program_that_is_not_installed_keeps_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages on the path without an installation have no version: the record leaves them out."""

    def uninstalled(package: str) -> str:
        if package == "vinewright":
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(provenance, "version", uninstalled)
    provenance.find_version.cache_clear()
    try:
        known = provenance.versions()
        line = provenance.Provenance.here("vinewright x", 2.0).line()
    finally:
        provenance.find_version.cache_clear()
    assert "vinewright" not in known
    assert known["numpy"] == version("numpy")
    assert line.startswith("Made by `vinewright x`")
