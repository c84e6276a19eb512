"""The result of a finished evaluation with what depends on earlier ones of its owner.

How often its test set was used, and the published score of a Ladder, are read before the
result is written, and stored with it in one transaction. If another evaluation was recorded in
between, ``Overtaken`` is raised there, nothing is stored, and the result is written again.
Submissions to a Ladder are counted in the order in which they were sent, so that the published
scores do not depend on which worker is faster: one that is ready before an earlier one raises
``TooEarly``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import sqlalchemy as sa

from thetahat.analyses.losses.result import EvaluationResult
from thetahat_service.jobs.listed import ListedResult, list_result
from thetahat_service.jobs.loading import Loaded
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import Finished
from thetahat_service.kinds.ladder.result import PublishedScore
from thetahat_service.kinds.ladder_submissions import LadderSubmission
from thetahat_service.kinds.provenance import KnownBy, TestSetUse
from thetahat_service.storage import ladders, test_sets
from thetahat_service.storage.ladders import LadderKey, LadderRow
from thetahat_service.storage.overtaking import TooEarly
from thetahat_service.storage.test_sets import NewUse, Numbers
from thetahat_service.storage.unit_of_work import reading

Store = Callable[[sa.Connection], None]


@dataclass(frozen=True, slots=True)
class SettledResult:
    """A result as JSON text, what lists show of it, and what is stored with it."""

    body: str
    listed: ListedResult
    store: Store
    """Stores it in the transaction that records the result; may raise ``Overtaken``."""


def settle(finished: Finished, loaded: Loaded) -> SettledResult:
    """Write the result of a finished evaluation, from what is stored now."""
    known = _list_digests(finished, loaded)
    use = NewUse(
        owner_id=loaded.owner_id,
        request_sha256=loaded.identity_sha256,
        kind=loaded.job.kind,
        digests=sorted(known),
        models=_list_models(finished),
    )
    provenance, numbers = loaded.provenance, Numbers(by_digest={}, new=())
    board: tuple[LadderKey, LadderRow] | None = None
    with reading() as connection:
        if known:
            numbers = test_sets.find_numbers(connection, use)
            provenance = replace(provenance, test_set=_find_most_used(numbers, known))
        if finished.submission is not None:
            board, result = _add_to_board(connection, finished.submission, loaded)
            finished = finished._replace(result=result)
    body = replace(loaded, provenance=provenance).encode(finished)

    def store(connection: sa.Connection) -> None:
        if board is not None:
            ladders.store(connection, *board)
        test_sets.insert(connection, use, numbers)

    return SettledResult(encode_json(body), list_result(body), store)


def _list_digests(finished: Finished, loaded: Loaded) -> Mapping[str, KnownBy]:
    """Return the digests of the test sets of an evaluation; none of one without models."""
    if not _list_models(finished):
        return {}
    known = {file.sha256: KnownBy.CONTENT for file in loaded.job.datasets.values()}
    if not known and loaded.kind.tests_data:
        known[loaded.provenance.data_sha256] = KnownBy.CONTENT
    if finished.test_set is not None:
        known[finished.test_set.sha256] = finished.test_set.known_by
    return known


def _list_models(finished: Finished) -> tuple[str, ...]:
    if finished.submission is not None:
        return (finished.submission.model,)
    evaluation = getattr(finished.result, "evaluation", None)
    return tuple(evaluation.models) if isinstance(evaluation, EvaluationResult) else ()


def _find_most_used(numbers: Numbers, known: Mapping[str, KnownBy]) -> TestSetUse:
    """Return the use of the test set with the largest number, of several by its content."""
    digest = max(known, key=lambda each: (numbers.by_digest[each], known[each] is KnownBy.CONTENT))
    return TestSetUse(comparisons=numbers.by_digest[digest], known_by=known[digest])


def _add_to_board(
    connection: sa.Connection, submission: LadderSubmission, loaded: Loaded
) -> tuple[tuple[LadderKey, LadderRow], PublishedScore]:
    """Return the Ladder with a submission, and what is published."""
    key = LadderKey(owner_id=loaded.owner_id, sha256=submission.sha256, target=submission.target)
    if ladders.has_earlier_submission(connection, key, loaded.job.kind, loaded.job.id):
        raise TooEarly
    row = ladders.get(connection, key)
    if row is not None:
        submission.check_rule(row.loss, row.step)
    earlier = None if row is None else row.state
    state = submission.add_to(earlier)
    passed_by = test_sets.count_other_kinds(connection, key.owner_id, key.sha256, loaded.job.kind)
    published = submission.publish(state, earlier, passed_by)
    row = LadderRow(
        loss=submission.loss,
        step=submission.step,
        state=state,
        new_model=submission.model if published.has_changed else None,
    )
    return (key, row), published
