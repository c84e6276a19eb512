"""``thetahat client-types``: the types of answers for the Python client."""

from __future__ import annotations

from dataclasses import is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel


def client_types(
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write to this file instead of printing."),
    ] = None,
) -> None:
    """Print the module with the types of answers for the Python client."""
    text = render_module()
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")


def render_module() -> str:
    """Return ``thetahat_client/results.py``; kinds whose results have no type are left out."""
    from pydantic.json_schema import models_json_schema

    from thetahat.advice import Advice
    from thetahat.analyses.losses.result import EvaluationResult
    from thetahat_service.kinds.registry import JOB_KINDS
    from thetahat_service.schemas.batch import BatchOutcome
    from thetahat_service.schemas.client_types import render_client_types
    from thetahat_service.schemas.dataset import DatasetPreview, DatasetRead, DatasetUnderstanding
    from thetahat_service.schemas.evaluation import (
        FigureRead,
        FinishedEvaluation,
        InstanceDifferencesRead,
        LossTableRead,
    )
    from thetahat_service.schemas.ladder import LadderRead, LadderScoreRead
    from thetahat_service.schemas.leaderboard import LeaderboardsRead
    from thetahat_service.schemas.methods import MethodRead
    from thetahat_service.schemas.protocol import ProtocolRead
    from thetahat_service.schemas.result_schemas import build_schemas
    from thetahat_service.schemas.series import LookRead, SeriesListed, SeriesRead
    from thetahat_service.schemas.sign_off import SignOffRead
    from thetahat_service.schemas.webhooks import DeliveryRead, NewWebhook, WebhookRead

    answers: list[type[BaseModel]] = [
        BatchOutcome,
        DatasetPreview,
        DatasetUnderstanding,
        DatasetRead,
        DeliveryRead,
        FigureRead,
        FinishedEvaluation,
        InstanceDifferencesRead,
        LossTableRead,
        LadderRead,
        LadderScoreRead,
        LeaderboardsRead,
        MethodRead,
        LookRead,
        NewWebhook,
        ProtocolRead,
        SeriesListed,
        SeriesRead,
        SignOffRead,
        WebhookRead,
    ]

    typed: dict[str, type] = {
        name: kind.result
        for name, kind in JOB_KINDS.items()
        if is_dataclass(getattr(kind, "result", None))
    }
    names = {name: cls.__name__ for name, cls in typed.items()}
    _, described = models_json_schema([(model, "serialization") for model in answers])
    schemas = {**described["$defs"], **build_schemas([*typed.values(), EvaluationResult, Advice])}
    return render_client_types(schemas, names)
