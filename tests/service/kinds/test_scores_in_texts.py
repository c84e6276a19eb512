"""Results of scores say score, and not loss, in headlines, tables and figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

from service.figures.catalogue import list_figures
from tests.golden.replay import names, request_of, run_request
from thetahat_client import result_text

LOSS: Final = re.compile(r"(?i)\bloss(?:es)?\b|lower is better")
REQUESTS: Final = [
    name
    for name in names()
    if request_of(name)["kind"] == "losses" and re.search("source|weights|split_scores|one", name)
]


def written_texts(result: dict[str, Any]) -> list[str]:
    """Return the headlines, the notes of the tables, and the words of figures."""
    tables = result_text({**result, "cautions": [], "comparisons": []}, 10_000)
    texts = [*result["summary"]["sentences"], tables.partition("\nCautions")[0]]
    for figure in list_figures(result):
        texts += [figure.title, figure.caption, figure.alt]
    return texts


@pytest.mark.parametrize("name", REQUESTS)
def test_exact_texts_of_scores_say_score(name: str, tmp_path: Path) -> None:
    result, _ = run_request({**request_of(name), "better": "higher"}, tmp_path)
    texts = written_texts(result)

    assert result["summary"]["better"] == "higher"
    assert any("score" in text for text in texts)
    for text in texts:
        assert not LOSS.findall(text), text


def test_exact_texts_of_losses_say_loss(tmp_path: Path) -> None:
    result, _ = run_request(request_of("losses_weights_source"), tmp_path)

    assert sum(len(LOSS.findall(text)) for text in written_texts(result)) > 3
