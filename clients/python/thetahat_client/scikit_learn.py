"""Requests from what scikit-learn returns; the folds are those that it has used.

scikit-learn itself is imported for a search alone whose splits are not given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, TypeAlias

Splits: TypeAlias = "Iterable[tuple[Sequence[int], Sequence[int]]]"
"""Pairs of training and test indices, as ``cv.split(X, y)`` yields them."""

Labels: TypeAlias = "Sequence[Any] | Any"
"""One entry for each row: a list, an array or a series."""

SCORE: Final = "test_score"


def from_cross_validate(
    results: Mapping[str, Mapping[str, Any]], *, score: str = SCORE
) -> dict[str, object]:
    """Return a request of kind ``losses`` from results of ``cross_validate``, by model.

    Parameters
    ----------
    results : mapping of str to mapping
        What ``cross_validate(..., return_indices=True)`` returned for each model; the splits of
        all models must be the same, so give every call the same ``cv`` with a ``random_state``.
    score : str
        The entry with the scores, of which scikit-learn's are better when higher.

    Raises
    ------
    ValueError
        No indices, or models that were tested on different splits.
    """
    if not results:
        raise ValueError("There is no result of cross_validate.")
    first = next(iter(results))
    splits = [_read_splits(name, result) for name, result in results.items()]
    for name, other_splits in zip(results, splits, strict=True):
        if other_splits != splits[0]:
            raise ValueError(
                f"{name} and {first} were tested on different splits. Give both calls of "
                "cross_validate the same cv, with a random_state if it shuffles."
            )
    scores = {name: _convert_to_list(result[score]) for name, result in results.items()}
    return _build_request(scores, splits[0])


def from_grid_search(
    search: Any,
    splits: Splits | None = None,
    *,
    y: Labels | None = None,
    groups: Labels | None = None,
    score: str = "score",
) -> dict[str, object]:
    """Return a request of kind ``losses`` from a fitted ``GridSearchCV`` or its relatives.

    The candidates are the models, named after their parameters. Choosing the best of them makes its
    score too good; kind ``selection`` says by how much.

    Parameters
    ----------
    search : estimator
        A fitted search with ``cv_results_``.
    splits : iterable of pairs of indices or None
        The splits of the search: ``list(search.cv.split(X, y))`` for a cv with a ``random_state``.
        None for those that ``search.cv`` makes of y; only their sizes are needed.
    y, groups : sequence or None
        The target and the groups that the search was fitted with, if splits are None.
    score : str
        Name of the score, where the search has several.
    """
    table: Mapping[str, Any] = search.cv_results_
    if splits is None:
        splits = _split_as_search(search, y, groups)
    split_pairs = [_list_pair(*split) for split in splits]
    columns = [f"split{k}_test_{score}" for k in range(len(split_pairs))]
    missing = [column for column in columns if column not in table]
    if missing or f"split{len(split_pairs)}_test_{score}" in table:
        raise ValueError(
            f"The search has {getattr(search, 'n_splits_', 'other')} splits, and there are "
            f"{len(split_pairs)} pairs of indices; give the splits that the search has used."
        )
    names = _name_candidates(table["params"])
    by_split = [_convert_to_list(table[column]) for column in columns]
    scores = {name: [row[i] for row in by_split] for i, name in enumerate(names)}
    return _build_request(scores, split_pairs)


def from_cross_val_predict(
    y: Sequence[Any],
    predictions: Mapping[str, Sequence[Any]],
    splits: Splits,
    *,
    loss: str,
) -> dict[str, object]:
    """Return a request of kind ``predictions`` from results of ``cross_val_predict``, by model.

    Parameters
    ----------
    y : sequence
        True classes or values.
    predictions : mapping of str to sequence
        What ``cross_val_predict`` returned for each model.
    splits : iterable of pairs of indices
        The splits that it has used, ``list(cv.split(X, y))``; each row is tested once.
    loss : str
        Such as ``zero_one`` or ``squared``.
    """
    truth = _convert_to_list(y)
    fold: list[int | None] = [None] * len(truth)
    sizes: dict[str, int] = {}
    for number, (train, test) in enumerate(_list_pair(*split) for split in splits):
        sizes[str(number)] = len(train)
        for row in test:
            fold[row] = number
    if None in fold:
        raise ValueError(f"Row {fold.index(None)} is in no test part of the splits.")
    return {
        "kind": "predictions",
        "blocks": "random",
        "y": truth,
        "predictions": {name: _convert_to_list(values) for name, values in predictions.items()},
        "block": fold,
        "n_train": sizes,
        "loss": loss,
    }


def _split_as_search(search: Any, y: Labels | None, groups: Labels | None) -> Splits:
    """Return splits of the sizes that a search has used."""
    if y is None:
        raise ValueError(
            "A search does not keep how many rows it was fitted to. Give y, the target that it was "
            "fitted to, or the splits."
        )
    check_cv = import_module("sklearn.model_selection").check_cv
    cv = check_cv(search.cv)  # stratified folds have the sizes of others
    splits: Splits = cv.split([[0]] * len(y), y, groups)
    return splits


def _build_request(
    scores: Mapping[str, list[float]], splits: Sequence[tuple[list[int], list[int]]]
) -> dict[str, object]:
    request: dict[str, object] = {
        "kind": "losses",
        "blocks": "random",
        "better": "higher",
        "split_scores": dict(scores),
        "n_train": [len(train) for train, _ in splits],
        "n_test": [len(test) for _, test in splits],
    }
    folds = _count_folds([test for _, test in splits])
    if folds is None:
        return {**request, "blocks": "subsamples"}
    return {**request, "folds": folds, "repeats": len(splits) // folds}


def _count_folds(tests: Sequence[Sequence[int]]) -> int | None:
    """Return the number of folds of each partition; None if test parts are drawn independently."""
    n_rows = len({row for test in tests for row in test})
    covered: set[int] = set()
    folds: int | None = None
    since = 0
    for test in tests:
        if not covered.isdisjoint(test):
            return None
        covered.update(test)
        since += 1
        if len(covered) == n_rows:
            if folds not in {None, since}:
                return None
            folds, since, covered = since, 0, set()
    return folds if not covered else None


def _read_splits(name: str, result: Mapping[str, Any]) -> list[tuple[list[int], list[int]]]:
    if "indices" not in result:
        message = f"The result of {name} has no indices; call cross_validate(return_indices=True)."
        raise ValueError(message)
    indices = result["indices"]
    return [
        _list_pair(train, test)
        for train, test in zip(indices["train"], indices["test"], strict=True)
    ]


def _name_candidates(candidates: Sequence[Mapping[str, object]]) -> list[str]:
    names = [
        ", ".join(f"{key}={value}" for key, value in parameters.items())
        for parameters in candidates
    ]
    return [name or f"candidate {i}" for i, name in enumerate(names)]


def _list_pair(train: Sequence[int], test: Sequence[int]) -> tuple[list[int], list[int]]:
    return _convert_to_list(train), _convert_to_list(test)


def _convert_to_list(values: Any) -> list[Any]:
    """Return a list of plain numbers from a list, an array or a series."""
    return values.tolist() if hasattr(values, "tolist") else list(values)
