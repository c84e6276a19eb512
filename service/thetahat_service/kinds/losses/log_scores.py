"""The scores of a log by name: the column of each, or the two of a ratio of sums."""

from __future__ import annotations

from typing import Final, NamedTuple

from thetahat.errors import InvalidParameter, Loc
from thetahat.values.ratios import BITS, PERPLEXITY, SHARE, RatioScore
from thetahat_service.data.list_scores import INSTRUCTIONS, LOG_LIKELIHOOD, N_TRUE, N_VALUES, PAIRS
from thetahat_service.kinds.base import DatasetFile

SCORE_PREFIX: Final = "score."
"""What the scores of an inspect_ai log are named before the scorer."""
N_INSTRUCTIONS: Final = "num_instructions"
"""What IFEval of inspect_ai names the number of instructions beside those followed."""
OF_LOG_LIKELIHOODS: Final = "perplexity"
"""A score of lm-evaluation-harness of which each row has the log-likelihood."""


class ScoreColumns(NamedTuple):
    """The columns of a score.

    Parameters
    ----------
    value : str
        The column of the score, or of the numerator of a ratio of sums.
    size : str or None
        The column of its denominator.
    ratio : RatioScore or None
        What is made of the ratio; None for a score that is the mean of its items.
    """

    value: str
    size: str | None = None
    ratio: RatioScore | None = None


def list_scores(names: list[str]) -> dict[str, ScoreColumns]:
    """Return the columns of each score of a file by the name that requests have for it."""
    known = set(names)
    scores: dict[str, ScoreColumns] = {}
    for column in names:
        outer, _, last = column.rpartition(".")
        if last == LOG_LIKELIHOOD and outer in PAIRS:
            ratio = BITS if outer == "bits_per_byte" else PERPLEXITY
            scores[outer] = ScoreColumns(column, f"{outer}.{PAIRS[outer]}", ratio)
        elif last == N_TRUE and outer.startswith(INSTRUCTIONS):
            scores[outer] = ScoreColumns(column, f"{outer}.{N_VALUES}", SHARE)
        elif last.startswith(INSTRUCTIONS) and f"{outer}.{N_INSTRUCTIONS}" in known:
            size = f"{outer}.{N_INSTRUCTIONS}"
            scores[column.removeprefix(SCORE_PREFIX)] = ScoreColumns(column, size, SHARE)
    parts = {name for score in scores.values() for name in (score.value, score.size)}
    for column in sorted(names, key=lambda name: not name.startswith(SCORE_PREFIX)):
        if column not in parts:
            scores.setdefault(column.removeprefix(SCORE_PREFIX), ScoreColumns(column))
    return scores


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
