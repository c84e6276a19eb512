"""The ratings of a request, inline or from a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from thetahat.analyses.agreement.measuring import check_options, measure_agreement
from thetahat.analyses.agreement.ratings import read_ratings
from thetahat.analyses.agreement.result import AgreementResult
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, Loc, run_checks
from thetahat_service.data.reading import read_labels
from thetahat_service.kinds.agreement.request import AgreementRequest
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.layout import (
    check_columns_given,
    list_named_columns,
    require_columns,
)
from thetahat_service.schemas.numbers import read_label_list


def check_request(request: AgreementRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Check a request; inline ratings are read."""
    run_checks(
        lambda: check_options(request.level, request.n_resamples),
        lambda: _check_ratings(request, datasets),
    )


def _check_ratings(request: AgreementRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    if (request.ratings is None) == (request.dataset is None):
        raise InvalidParameter(
            "The request needs either ratings or a dataset. Give exactly one of them.",
            loc=("ratings",),
        )
    check_columns_given(request.dataset, request.columns)
    if request.columns is not None and request.dataset is not None:
        named = list_named_columns(request.columns, ("ratings", "cluster"))
        require_columns(datasets[request.dataset], named)
        if len(set(request.columns.ratings)) < len(request.columns.ratings):
            raise InvalidParameter("columns.ratings names a column twice.", loc=("columns",))
        if request.cluster is not None:
            raise InvalidParameter(
                "Of a data set the cluster is a column; name it in columns.cluster.",
                loc=("cluster",),
            )
        return
    ratings, cluster = _read_columns(request, datasets)
    read_ratings(
        ratings,
        scale=request.scale,
        truth=request.truth,
        positive=request.positive,
        categories=request.categories,
        cluster=cluster,
    )


def measure(
    request: AgreementRequest, datasets: Mapping[UUID, DatasetFile], seed: int
) -> AgreementResult:
    """Return the agreement of the ratings of a request."""
    ratings, cluster = _read_columns(request, datasets)
    paths: dict[str, Loc] = {}
    if request.dataset is not None:
        paths = {"ratings": ("columns", "ratings"), "cluster": ("columns", "cluster")}
    with located_errors(paths):
        return measure_agreement(
            ratings,
            scale=request.scale,
            truth=request.truth,
            positive=request.positive,
            categories=request.categories,
            cluster=cluster,
            level=request.level,
            n_resamples=request.n_resamples,
            seed=seed,
        )


def _read_columns(
    request: AgreementRequest, datasets: Mapping[UUID, DatasetFile]
) -> tuple[dict[str, Any], list[Any] | None]:
    """Return the ratings by rater and the clusters."""
    if request.dataset is None or request.columns is None:
        cluster = request.cluster
        return dict(request.ratings or {}), (
            None if cluster is None else read_label_list(cluster, ("cluster",))
        )
    columns = request.columns
    names = [*columns.ratings, *filter(None, [columns.cluster])]
    read = read_labels(datasets[request.dataset], list(dict.fromkeys(names)))
    ratings = {name: read[name] for name in columns.ratings}
    if columns.cluster is None:
        return ratings, None
    labels: list[Any] = read[columns.cluster].tolist()
    for i, label in enumerate(labels):
        if label is None or label != label:  # noqa: PLR0124 - NaN
            raise InvalidParameter(
                f"Row {i} has no cluster.", loc=("columns", "cluster", i), value=None
            )
    return ratings, labels
