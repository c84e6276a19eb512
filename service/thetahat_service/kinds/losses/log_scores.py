"""The columns of a score that a request about logs names."""

from __future__ import annotations

from thetahat.errors import InvalidParameter, Loc
from thetahat_service.data.list_scores import (
    INSTRUCTIONS,
    PAIRS,
    SCORE_PREFIX,
    ScoreColumns,
    list_scores,
)
from thetahat_service.kinds.base import DatasetFile


def find_score(score: str, file: DatasetFile, loc: Loc) -> ScoreColumns:
    """Return the columns of a score; refuse one that the file lacks or that is another list."""
    present = [str(column["name"]) for column in file.columns]
    left_out = file.details.get("left_out")
    if isinstance(left_out, list) and not {f"{SCORE_PREFIX}{score}", score}.isdisjoint(left_out):
        raise InvalidParameter(
            f"The score {score!r} is a list in some rows, and not one number. Choose a score that "
            "is one number for each item, or write one into the file. Read as lists are the pairs "
            f"of {', '.join(PAIRS)}, and the truth values of scores that begin with "
            f"{INSTRUCTIONS}. Pairs of true value and prediction, as of f1 and mcc, are for the "
            "kind predictions.",
            loc=loc,
            value=score,
        )
    found = list_scores(present).get(score.removeprefix(SCORE_PREFIX))
    if found is None:
        scores = [n.removeprefix(SCORE_PREFIX) for n in present if n.startswith(SCORE_PREFIX)]
        raise InvalidParameter(
            f"The file has no score {score!r}. Its "
            f"{'scores' if scores else 'columns'} are {', '.join((scores or present)[:20])}.",
            loc=loc,
            value=score,
        )
    return found
