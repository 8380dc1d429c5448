"""Values that the shell offers for an argument or option, without slow imports."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def environment_names(incomplete: str) -> list[str]:
    """Return the shipped environments, TOML files and folders that begin with the letters typed so far."""
    return _complete(incomplete, "environments")


def tube_names(incomplete: str) -> list[str]:
    """Return the shipped tubes, TOML files and folders that begin with the letters typed so far."""
    return _complete(incomplete, "dynamics", "tubes")


def robot_names(incomplete: str) -> list[str]:
    """Return the shipped robots of `euler-lagrange`, TOML files and folders that begin with the letters typed so far."""
    return _complete(incomplete, "dynamics", "euler_lagrange", "robots")


def propagator_names(incomplete: str) -> list[str]:
    """Return the propagators that begin with the letters typed so far."""
    from dynamics.registry import propagators

    return [name for name in propagators() if name.startswith(incomplete)]


def _complete(incomplete: str, package: str, *below: str) -> list[str]:
    """Return names of TOML files in a folder of a package, then paths, that begin with the letters typed so far."""
    spec = find_spec(package)  # unlike an import of the package, this takes no time
    shipped = Path(((spec and spec.submodule_search_locations) or [""])[0], *below)
    names = sorted(path.stem for path in shipped.glob("*.toml") if path.stem.startswith(incomplete))
    return names + _paths(incomplete)


def _paths(incomplete: str) -> list[str]:
    """Return the TOML files and folders that begin with a path; a folder ends with a slash."""
    folder, _, first = incomplete.rpartition("/")
    parent = f"{folder}/" if "/" in incomplete else ""
    try:
        entries = sorted(Path(parent or ".").iterdir())
    except OSError:
        return []
    kept = [path for path in entries if path.name.startswith(first) and (first or not path.name.startswith("."))]
    return [
        f"{parent}{path.name}{'/' if path.is_dir() else ''}" for path in kept if path.suffix == ".toml" or path.is_dir()
    ]
