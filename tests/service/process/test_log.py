from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from uuid import uuid4

import pytest

from thetahat_service.process import log
from thetahat_service.process.request_context import CALLER, REQUEST_ID, Caller, Scope

FORGED = "a\n2026-01-01T00:00:00.000Z INFO thetahat_service.jobs unit.failed"


def _record(message: str, *, error: Exception | None = None, **fields: object) -> logging.LogRecord:
    record = logging.makeLogRecord({"name": "service.test", "levelname": "INFO", "msg": message})
    vars(record).update(fields)
    if error is not None:
        try:
            raise error
        except type(error):
            record.exc_info = sys.exc_info()
    return record


@pytest.fixture
def answering() -> Iterator[None]:
    tokens = REQUEST_ID.set("r-1"), CALLER.set(Caller(uuid4(), "th_01234567", Scope.READ))
    yield
    REQUEST_ID.reset(tokens[0])
    CALLER.reset(tokens[1])


@pytest.mark.parametrize("field", [FORGED, "a\r\nb", "a\u2028b", "a\x1b[31mb", 'a" level="b'])
def test_invalid_no_text_of_a_client_begins_a_line_or_a_field(field: str) -> None:
    text = log.TextFormatter().format(_record(f"learner.failed {field}", part=field))

    assert len(text.splitlines()) == 1
    assert text.isprintable()
    (_, shown) = text.rsplit(" part=", 1)
    assert json.loads(shown.replace("\\x1b", "\\u001b")) == field


def test_invalid_no_line_of_a_trace_looks_like_a_line_of_the_log() -> None:
    text = log.TextFormatter().format(_record("unit.crashed", error=ValueError(FORGED)))

    first, *others = text.splitlines()
    assert "unit.crashed" in first
    assert [line for line in others if not line.startswith("    ")] == []
    assert any("ValueError" in line for line in others)


@pytest.mark.usefixtures("answering")
@pytest.mark.parametrize("formatter", [log.TextFormatter(), log.JsonFormatter()])
def test_exact_a_line_names_the_request_and_the_key(formatter: logging.Formatter) -> None:
    text = formatter.format(_record("unit.failed", unit=3))

    if isinstance(formatter, log.JsonFormatter):
        fields = json.loads(text)
        assert fields["event"] == "unit.failed"
    else:
        fields = dict(part.split("=", 1) for part in text.split() if "=" in part)
    assert (str(fields["unit"]), fields["request"], fields["actor"]) == ("3", "r-1", "th_01234567")


def test_exact_json_has_the_trace_and_stays_on_one_line() -> None:
    text = log.JsonFormatter().format(_record(FORGED, error=ValueError(FORGED)))

    assert len(text.splitlines()) == 1
    assert json.loads(text)["event"] == FORGED
    assert "ValueError" in json.loads(text)["trace"]
