from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.service.api.requests import FILES, matrix
from tests.service.api.test_bad_input import check_problem, send

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = (
    *("losses", "block", "repeat", "instance", "cluster", "blocks", "dataset", "columns"),
    *("n_train", "split_scores", "n_test", "folds", "better", "level", "margin", "alternative"),
    *("variances", "intervals", "tests", "weights", "seed", "labels", "name", "correction", "y"),
    *("predictions", "scores", "classes", "loss", "metrics", "clip", "range", "unit", "power"),
)


@settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    kind=st.sampled_from(["losses", "predictions"]),
    keep=st.booleans(),
    fields=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4),
)
def test_property_no_field_breaks_the_service(
    client: TestClient, kind: str, *, keep: bool, fields: dict[str, Any]
) -> None:
    base = matrix() if keep and kind == "losses" else {"kind": kind}
    answer = send(client, {**base, **fields, "kind": kind})

    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        check_problem(answer)


@settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(body=st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_property_no_body_breaks_the_service(client: TestClient, body: bytes) -> None:
    assert send(client, body).status_code in {400, 422}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), media_type=st.sampled_from(sorted(FILES)))
def test_property_no_file_breaks_the_service(
    client: TestClient, data: st.DataObject, media_type: str
) -> None:
    content = bytearray(FILES[media_type])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    upload = client.post(
        "/v1/datasets", content=bytes(content), headers={"Content-Type": media_type}
    )

    assert upload.status_code in {200, 201, 413, 422}, upload.text
    if upload.is_success:
        assert client.get(upload.json()["links"]["preview"]).status_code == 200
