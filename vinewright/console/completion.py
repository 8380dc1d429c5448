"""What the shell offers for the value of an argument or option, without importing anything slow."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def environment_names(incomplete: str) -> list[str]:
    """The shipped environments, and the TOML files and folders that continue a path; the first letters are given."""
    return _beginning(incomplete, "environments")


def tube_names(incomplete: str) -> list[str]:
    """The shipped tubes, and the TOML files and folders that continue a path; the first letters are given."""
    return _beginning(incomplete, "dynamics", "tubes")


def propagator_names(incomplete: str) -> list[str]:
    """The propagators; the first letters are given."""
    from dynamics.registry import propagators

    return [name for name in propagators() if name.startswith(incomplete)]


def _beginning(incomplete: str, package: str, *below: str) -> list[str]:
    """Names of the TOML files in a folder of a package, then files and folders, that begin with some letters."""
    spec = find_spec(package)  # unlike an import of the package, this takes no time
    shipped = Path(((spec and spec.submodule_search_locations) or [""])[0], *below)
    names = sorted(path.stem for path in shipped.glob("*.toml") if path.stem.startswith(incomplete))
    return names + _paths(incomplete)


def _paths(incomplete: str) -> list[str]:
    """The TOML files and folders that begin with a path; a folder ends with a slash."""
    folder, _, first = incomplete.rpartition("/")
    parent = f"{folder}/" if "/" in incomplete else ""
    try:
        entries = sorted(Path(parent or ".").iterdir())
    except OSError:
        return []
    kept = [path for path in entries if path.name.startswith(first) and (first or not path.name.startswith("."))]
    return [f"{parent}{path.name}{'/' * path.is_dir()}" for path in kept if path.suffix == ".toml" or path.is_dir()]
