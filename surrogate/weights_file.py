"""Files of trained weights: readable JSON with the provenance of the numbers."""

from __future__ import annotations

import hashlib
import json
import sys
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from surrogate.kernels.compiled import Floats
from surrogate.spam import Spam

Form = Literal["log-force", "paper"]
"""Inputs and outputs of a network, see `surrogate.network`."""
SHIPPED = Path(__file__).parent / "weights"
NAMES: dict[Form, str] = {"log-force": "spam.json", "paper": "spam-paper.json"}
"""File name of each form, in `SHIPPED` and in the output folder of a training."""
HIDDEN = 32
_MOST_BYTES = 5_000_000
_SHAPES = {"hidden.weight": (HIDDEN, 2), "hidden.bias": (HIDDEN,), "output.weight": (2, HIDDEN), "output.bias": (2,)}

_GEOMETRY = "constriction_radius", "tube_radius", "film_elasticity"
"""Fields of a sPAM on which its force depends."""


class InvalidWeights(ValueError):
    """Invalid weights; the one-line message gives the file, the error and the expected content."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class ModelErrors:
    """Errors of an actuator model relative to the analytic model."""

    normalised_mse: float | None
    """Mean square error of m and phi, each normalised by its standard deviation, as in paper 002; None without m and phi."""
    median: float
    """Median of the relative error of the force [-]."""
    p90: float
    """90th percentile of the relative error of the force [-]."""
    p99: float
    """99th percentile of the relative error of the force [-]."""
    largest: float
    largest_near_zero: float
    """Largest relative error of the force at strains from 0 to 0.02: where bending starts."""
    largest_working: float
    """Largest relative error of the force at strains from 0 to 90 % of full contraction."""


class HashedContent(ABC):
    """Content of a file of weights, with a hash."""

    __slots__ = ()

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """Content of the file without its hash."""

    def sha256(self) -> str:
        """Hash of the content, including provenance and errors."""
        return hashlib.sha256(json.dumps(self.content()).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Weights(HashedContent):
    """A trained network and its provenance."""

    form: Form
    geometry: Spam
    shortest: float
    """Minimum cell length of the training range [m]."""
    longest: float
    """Maximum cell length of the training range [m]."""
    seed: int
    data_sha256: str
    """Hash of the samples for training, validation and test (`Samples.sha256`)."""
    errors: ModelErrors
    """Errors on the test samples, which training does not use."""
    layers: dict[str, Floats]
    """The arrays of `hidden` (32, 2) and `output` (2, 32), weight and bias of each."""

    def content(self) -> dict[str, Any]:
        """Content of the file without its hash."""
        return {
            "schema": 1,
            "form": self.form,
            "geometry": {key: getattr(self.geometry, key) for key in _GEOMETRY},
            "shortest_cell": self.shortest,
            "longest_cell": self.longest,
            "seed": self.seed,
            "data_sha256": self.data_sha256,
            "errors": asdict(self.errors),
            "layers": {name: self.layers[name].tolist() for name in _SHAPES},
        }


def write_weights(path: Path, weights: HashedContent) -> None:
    """Write a file of weights; floats are exact."""
    content = {**weights.content(), "sha256": weights.sha256()}
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read_weights(path: Path) -> Weights:
    """Read a file of weights and check it.

    Raises:
        InvalidWeights: The file is invalid.
    """
    data = read_json(path)
    try:
        return _check(data)
    except InvalidWeights as error:
        raise InvalidWeights(f"{path}: {error}") from None


def read_json(path: Path) -> Any:
    """Read the content of a file of weights, unchecked.

    Raises:
        InvalidWeights: It cannot be read, is too large, or is not JSON.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise InvalidWeights(f"{path} is not a regular file")  # a device or a pipe, which may have no end
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise InvalidWeights(f"{path} is larger than the allowed {_MOST_BYTES / 1e6:g} MB")
        return json.loads(text.decode())
    except InvalidWeights:
        raise
    except OSError as error:
        raise InvalidWeights(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InvalidWeights(f"{path} is not JSON: expected a file that `vinewright surrogate train` wrote") from None


def _check(data: Any) -> Weights:
    if not isinstance(data, dict):
        raise InvalidWeights("must be a table with schema, form and layers")
    if data.get("schema") != 1:
        raise InvalidWeights(f"schema = {data.get('schema')!r:.40} must be 1")
    form: Form | None = next((form for form in get_args(Form) if form == data.get("form")), None)
    if form is None:
        raise InvalidWeights(f"form = {data.get('form')!r:.40} must be one of {', '.join(get_args(Form))}")
    shortest, longest = read_number(data, "shortest_cell"), read_number(data, "longest_cell")
    if not 0 < shortest < longest:
        raise InvalidWeights(f"shortest_cell = {shortest:g} m must lie between 0 and longest_cell = {longest:g} m")
    weights = Weights(
        form=form,
        geometry=_geometry(data),
        shortest=shortest,
        longest=longest,
        seed=int(read_number(data, "seed")),
        data_sha256=str(data.get("data_sha256")),
        errors=ModelErrors(**{field.name: read_number(data, "errors", field.name) for field in fields(ModelErrors)}),
        layers={name: read_layer(data.get("layers"), name, shape) for name, shape in _SHAPES.items()},
    )
    if data.get("sha256") != weights.sha256():
        raise InvalidWeights("sha256 does not match the content: expected weights as trained, not edited")
    return weights


def _geometry(data: dict[str, Any]) -> Spam:
    try:
        constriction, radius, elasticity = (read_number(data, "geometry", key) for key in _GEOMETRY)
        return Spam(constriction, radius, elasticity)
    except InvalidWeights:
        raise
    except ValueError as error:
        raise InvalidWeights(f"geometry: {error}") from None


def read_number(data: Any, *keys: str) -> float:
    """Read a number at nested keys, finite and at least 0; otherwise raise InvalidWeights with their names."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    if isinstance(data, bool) or not isinstance(data, int | float) or not 0 <= data <= sys.float_info.max:
        raise InvalidWeights(f"{'.'.join(keys)} = {data!r:.40} must be a finite number, 0 or more")
    return data


def read_layer(layers: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """Read an array by its name and shape, finite; otherwise raise InvalidWeights with its name."""
    try:
        layer = np.asarray(layers[name], float)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InvalidWeights(f"layers.{name} must hold {' x '.join(map(str, shape))} numbers") from None
    if layer.shape != shape:
        found = " x ".join(map(str, layer.shape))
        raise InvalidWeights(f"layers.{name} has the shape {found}; expected {' x '.join(map(str, shape))}")
    if not np.isfinite(layer).all():
        raise InvalidWeights(f"layers.{name} holds a number that is not finite")
    return layer
