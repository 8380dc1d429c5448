"""Words that depend on a number."""


def plural(count: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
