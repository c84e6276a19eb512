"""``thetahat advise``: which scheme fits the data and the question, before anything is computed."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from thetahat_service.cli.connection import connect, offer_url
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import choose_prose_width, print_json
from thetahat_service.cli.requests import read_request

if TYPE_CHECKING:
    from thetahat_client.results import (
        AdviceDict,
        AdvisedIntervalDict,
        AdvisedPrecisionDict,
        AdvisedSchemeDict,
        AdvisedTestDict,
    )
    from thetahat_service.json_types import JsonObject

ReasonedPart: TypeAlias = (
    "AdvisedIntervalDict | AdvisedPrecisionDict | AdvisedSchemeDict | AdvisedTestDict"
)
"""A part of an advice with the reasons for it."""

PrecisionNumber: TypeAlias = Literal[
    "half_width", "half_width_of_difference", "detectable_difference", "power_at_margin"
]

NUMBERS: Final[dict[PrecisionNumber, str]] = {
    "half_width": "half-width of the interval of a model",
    "half_width_of_difference": "half-width of the interval of a difference",
    "detectable_difference": "smallest difference that is found",
    "power_at_margin": "chance to find a difference as large as the margin",
}


def advise(
    request: Annotated[
        str,
        typer.Argument(
            metavar="REQUEST",
            help="A JSON file with n and what else is known, as POST /v1/advice takes it; - is "
            "standard input.",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the advice as JSON.")] = False,
    url: Annotated[
        str | None, offer_url("Ask this service. Without it, the advice is computed here.")
    ] = None,
) -> None:
    """Say which scheme fits the data and the question, and what precision to expect."""
    body = read_request(request)
    advice = advise_here(body) if url is None else _ask(url, body)
    if as_json:
        print_json(advice)
    else:
        print("\n".join(_write(advice)))


def _ask(url: str, body: JsonObject) -> AdviceDict:
    with connect(url) as client:
        return client.advise(**body)


def advise_here(body: JsonObject) -> AdviceDict:
    """Return the advice on a situation, computed in this process."""
    from pydantic import ValidationError

    from thetahat.advice import advise as give_advice
    from thetahat.errors import InvalidParameter
    from thetahat.values.json_values import to_json
    from thetahat_service.api.validation import convert_validation_error
    from thetahat_service.schemas.advice import AdviceSituation

    try:
        checked = AdviceSituation.model_validate(body)
        advice: AdviceDict = to_json(give_advice(**checked.list_known()))
    except ValidationError as error:
        raise UserError(convert_validation_error(error, body, AdviceSituation).message) from None
    except InvalidParameter as error:
        raise UserError(error.message) from None
    return advice


def _write(advice: AdviceDict) -> Iterator[str]:
    """Yield the lines of the advice for people."""
    scheme = advice["scheme"]
    options = ", ".join(f"{name} {value}" for name, value in scheme["parameters"].items())
    yield f"Scheme: {scheme['name']}" + (f" ({options})" if options else "")
    yield f"  {scheme['n_fits']} fits" + (
        f", about {scheme['seconds']:g} seconds" if "seconds" in scheme else ""
    )
    for role, text in scheme["columns"].items():
        yield f"  columns.{role}: {text}"
    yield from _write_reasons(scheme)
    parts = (("Interval", advice.get("interval")), ("Test", advice.get("test")))
    for title, part in parts:
        if part is not None:
            on = "" if part["variance"] is None else f" on {part['variance']}"
            yield f"{title}: {part['method']}{on}"
            yield from _write_reasons(part)
    precision = advice.get("precision")
    if precision is not None:
        yield "Precision, in units of the loss:"
        yield from (
            f"  {text}: {precision[name]:.3g}"
            for name, text in NUMBERS.items()
            if name in precision
        )
        yield from _write_reasons(precision)
    for text in advice["cautions"]:
        yield from _wrap(f"Caution: {text}", "")
    yield "Request:"
    yield json.dumps(advice["request"], indent=2, ensure_ascii=False)


def _write_reasons(part: ReasonedPart) -> Iterator[str]:
    for reason in part["reasons"]:
        yield from _wrap(reason["reason"], "  ")


def _wrap(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, choose_prose_width(), initial_indent=indent, subsequent_indent=f"{indent}  "
    )
