"""A stored result as a document, with what only the library can add to it."""

from __future__ import annotations

import logging

from thetahat_presentation.document import Document, Json
from thetahat_presentation.showing import OTHER_FORM, show, show_other_form
from thetahat_service.figures.differences import PairsBeyondMargin
from thetahat_service.figures.result_types import has_models

log = logging.getLogger(__name__)


def show_result(result: Json, request: Json, pair: tuple[str, str] | None = None) -> Document:
    """Return the document of a result; ``pair`` names the models that are compared by source.

    Of a result of an earlier release, whose parts are not those of today, the numbers are listed.
    """
    try:
        return show(complete_result(result), request, pair)
    except OTHER_FORM:
        version = str(result.get("provenance", {}).get("version", "unknown"))
        log.exception("result.other_form", extra={"version": version, "kind": result.get("kind")})
        return show_other_form(result)


def complete_result(result: Json) -> Json:
    """Return a result whose pairs say whether their difference is beyond the margin.

    That needs the quantiles of a distribution.
    """
    if not has_models(result):
        return result
    rule = PairsBeyondMargin.from_result(result)
    pairs = [{**pair, "is_beyond_margin": rule.contains(pair)} for pair in result["comparisons"]]
    return {**result, "comparisons": pairs}
