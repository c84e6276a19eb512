"""The process that draws: it is started again when it has ended, and refuses what is no figure."""

from __future__ import annotations

import pytest

from tests.service.figures.results import evaluation
from thetahat_service.figures import drawing
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.style import Style


def test_degenerate_a_killed_process_is_started_again() -> None:
    spec = list_figures(evaluation(2))[0].build_spec(Style())
    before = drawing.draw(spec, "svg")
    process = drawing._DRAWER._process
    assert process is not None

    process.kill()
    process.wait()

    assert drawing.draw(spec, "svg") == before
    assert drawing._DRAWER._process is not process


def test_invalid_a_specification_that_cannot_be_drawn_is_an_error_and_harms_no_other() -> None:
    spec = list_figures(evaluation(2))[0].build_spec(Style())

    with pytest.raises(ValueError, match="refuses the specification"):
        drawing.draw({**spec, "layer": "none"}, "svg")

    assert drawing.draw(spec, "svg").startswith(b"<svg")
