"""Marks of the operation on the body's pattern."""

import shapely

from planner.fabrication.assembly.build import Build
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.pattern.pattern import Layer
from planner.fabrication.plumbing.operation import operation_of
from tests.planner.fabrication.operated import steered
from tests.planner.fabrication.test_pattern import box_of


def test_each_mark_is_at_its_length(operated: Build) -> None:
    """A label once on the body, beside a line at the grown length at which the mark comes out; nothing else has such a label."""
    body, *strips = pattern_of(operated).pieces
    marks = operation_of(operated).marks
    labels = [text for text in body.texts if text.text[0] == "S" and text.text[1:].isdigit()]
    assert [text.text for text in labels] == [mark.name for mark in marks]
    assert not [
        text for strip in strips for text in strip.texts if text.text.startswith("S") and text.text[1:].isdigit()
    ]
    for mark, label in zip(marks, labels, strict=True):
        assert abs(label.at[0] - 1e3 * mark.at) < 1.3
        near = [
            line for line in body.lines
            if line.layer == Layer.MARK and len(line.points) == 2
            and abs(line.points[0, 0] - 1e3 * mark.at) < 1e-6 and abs(line.points[1, 0] - 1e3 * mark.at) < 1e-6
        ]  # fmt: skip
        assert any(line.points[:, 1].min() <= label.at[1] < line.points[:, 1].max() for line in near)


def test_marks_are_legible(operated: Build) -> None:
    """No text overlaps another text or a line, and none leaves its piece."""
    check_legible(operated)


def test_dense_marks_are_legible(example: Build) -> None:
    """Pressures that change every 20 mm, with a step at the tip."""
    lengths = [0.02 * k for k in range(65)]
    kilopascals = [[20 + 15 * (k % 2), 35] for k in range(65)]
    build = steered(example, [*lengths, 1.3, 1.3], [*kilopascals, [35, 35], [35, 10]])
    assert operation_of(build).marks[-1].at == 1.3
    check_legible(build)


def check_legible(build: Build) -> None:
    for piece in pattern_of(build).pieces:
        boxes = [box_of(text) for text in piece.texts]
        assert shapely.box(*piece.bounds).contains(shapely.union_all(boxes))
        lines = [shapely.linestrings(line.points) for line in piece.lines]
        for k, box in enumerate(boxes):
            others = [*lines, *boxes[:k], *boxes[k + 1 :]]
            assert not shapely.intersects(box, others).any(), piece.texts[k].text
