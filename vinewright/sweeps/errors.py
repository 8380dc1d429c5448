"""Exceptions of sweeps that cannot be made or run. Each message has one line."""


class InvalidStudy(ValueError):
    """An invalid file of a sweep; the message gives file, key, value and allowed range."""

    exit_code = 2


class InvalidManifest(ValueError):
    """A manifest that cannot be used; the message says what to do."""

    exit_code = 2


class OtherProgram(RuntimeError):
    """A worker has other versions than the program that made the sweep."""

    exit_code = 2
