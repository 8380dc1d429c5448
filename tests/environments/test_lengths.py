import pytest

from environments.lengths import format_length, format_lengths, format_position


@pytest.mark.parametrize(
    ("value", "unit", "other", "text"),
    [
        (26.2488095, "mm", None, "26.25"),
        (1028984.25, "mm", None, "1028984.2"),
        (300.0, "mm", None, "300"),
        (0.03335, "m", None, "0.03335"),
        (0.0262488095, "m", None, "0.02625"),
        (2.62488095, "cm", None, "2.625"),
        (12.004, "m", None, "12.004"),
        (0.0, "mm", None, "0"),
        (-0.00001, "m", None, "-0.00001"),
        (33.3499, "mm", 33.35, "33.3499"),
        (33.35, "mm", 33.3499, "33.35"),
        (33.35, "mm", 33.35, "33.35"),
        (12.3456789, "mm", 33.35, "12.35"),
    ],
)
def test_lengths_are_rounded(value: float, unit: str, other: float | None, text: str) -> None:
    """To 0.1 mm or four digits, whichever is finer, in every unit; two lengths that are compared look different."""
    assert format_length(value, unit, other) == text


def test_points_are_rounded() -> None:
    """In a file's unit in brackets, or in whole millimetres, without a negative zero."""
    assert format_lengths([26.2488095, 300], "mm") == "[26.25, 300]"
    assert format_position((0.6004, -0.0001)) == "(600, 0) mm"
