"""The environment of a vine: bounds, start, goal and obstacles."""

from environments.environment import Environment
from environments.environment_file import (
    check_environment,
    known_environments,
    load_environment,
    write_environment,
)
from environments.file_model import InvalidEnvironment
from environments.generate import generate_environment
from environments.hints import environment_hints
from environments.obstacles import Obstacles

__all__ = [
    "Environment",
    "InvalidEnvironment",
    "Obstacles",
    "check_environment",
    "environment_hints",
    "generate_environment",
    "known_environments",
    "load_environment",
    "write_environment",
]
