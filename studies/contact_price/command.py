"""`vinewright reproduce contact-price`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def contact_price(
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Fit to the pairs in the data.json of an earlier report.")
    ] = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Fit the price of arcs along walls, for the reverse tree, to vines in random environments. Ctrl-C keeps those done."""
    with readable_errors():
        from studies.contact_price.report import report
        from studies.contact_price.study import pairs_of, stored_pairs
        from studies.random_environments import TRAINING

        try:
            stored = stored_pairs(pairs) if pairs else None
        except ValueError as error:
            raise BadInput(str(error)) from None
        study = Study(
            "contact-price",
            TRAINING if stored is None else [one["seed"] for one in stored],
            partial(map, pairs_of) if stored is None else lambda _seeds: iter(stored),
            report,
            parallel=stored is None,
            unit="environments",
            prepare=lambda: None if stored else pairs_of(TRAINING[0]),
        )
        return measure_study(study, command_line("reproduce contact-price", pairs=pairs), out, force)
