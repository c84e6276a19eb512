"""The request's word for a block is used in every sentence, figure and text of a result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any, Final

import pytest

from tests.golden.replay import names, request_of, run_request
from thetahat_client.text import result_html, result_markdown, result_text
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.style import Style

KINDS: Final = ("losses", "predictions", "cross_validation", "selection", "learning_curve")
# Those with sources, and of each kind some with other blocks; of a holdout it names clusters.
CHOSEN: Final = re.compile(
    r"^(?!.*(?:holdout|whole_clusters|judge|probabilities)).*(?:source|cluster|omnibus|metrics|refits_intervals|split_scores|zero_variance|subsamples"
    r"|by_roc_auc|one_standard_error|rope|learning_curve_time)"
)
GENERAL: Final = re.compile(r"(?i)(?<![\w-])(?:sources?|blocks?)(?![\w-])")
KIND: Final = r"(?:random|source|holdout|subsamples)"
# Wire names, quoted words, and terms in which the word is not a block of this result.
TECHNICAL: Final = re.compile(
    r'"[^"]*"|&quot;.*?&quot;|`[^`]*`|(?<!\w)\'[^\']*\'(?!\w)|[\w\\]*_[\w\\]*'
    rf"|{KIND}(?: or {KIND})* blocks?"
    r"|source sample|id blocks|the cluster column as the source"
    r"|prediction is about a new source, so it needs"
)
REQUESTS: Final = [
    name for name in names() if request_of(name)["kind"] in KINDS and CHOSEN.search(name)
]
OF_CLUSTERS: Final = [
    name
    for name in names()
    if request_of(name)["kind"] in KINDS and re.search(r"holdout_.*clusters|whole_clusters", name)
]
SPECIFICATION_TEXTS: Final = frozenset({"text", "title", "subtitle", "description", "caption"})
ARRAYS: Final = frozenset({"methods", "provenance"})
NOUNS: Final = {
    "sources": ("school", "schools"),
    "groups": ("group of schools", "groups of schools"),
    "folds": ("fold", "folds"),
    "subsamples": ("split", "splits"),
}


def kind_of_scheme(body: Mapping[str, Any]) -> str:
    """Return what the blocks of a request are; those of losses are what the word says."""
    scheme = body.get("scheme") or body.get("external") or body.get("internal")
    name = scheme["name"] if isinstance(scheme, Mapping) else scheme
    if name is None or name in {"leave_one_source_out", "predefined", "holdout", "three_way"}:
        return "sources"
    if name in {"source_k_fold", "stratified_source_k_fold"}:
        return "groups"
    return "folds" if "fold" in name or name in {"nested", "five_by_two"} else "subsamples"


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text with the key it is under."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from texts(member, str(name))
    elif isinstance(value, list | tuple):
        for member in value:
            yield from texts(member, key)
    elif isinstance(value, str):
        yield key, value


def written_texts(result: dict[str, Any]) -> Iterator[str]:
    """Yield what people read of a result."""
    for part, value in result.items():
        if part not in ARRAYS:
            yield from (text for _, text in texts(value) if " " in text)
    yield result_text(result, 10_000, show_all=True)
    yield result_markdown(result, show_all=True)
    yield result_html(result, show_all=True)
    for figure in list_figures(result):
        yield from (figure.title, figure.caption, figure.alt)
        specification = figure.build_spec(Style(has_caption=True))
        yield from (text for key, text in texts(specification) if key in SPECIFICATION_TEXTS)


@pytest.mark.parametrize("name", REQUESTS)
def test_exact_the_word_for_a_block_is_used_everywhere(name: str, tmp_path: Path) -> None:
    body = {**request_of(name), "unit": "school"}
    result, _ = run_request(body, tmp_path)

    written = list(written_texts(result))
    nouns = NOUNS[kind_of_scheme(body)]
    assert result["unit"] == dict(zip(("singular", "plural"), nouns, strict=True))
    if "school" not in nouns[0]:  # folds of random rows are no schools
        assert not [text for text in written if re.search(r"\d schools", text)]
        return
    assert any("school" in text for text in written)
    designs = sorted(
        {text for key, text in texts(result) if key == "design"}, key=len, reverse=True
    )
    for text in written:
        # The studied designs have sources of their own, which are no schools.
        own_words = reduce(lambda rest, design: rest.replace(design, ""), designs, text)
        assert not GENERAL.findall(TECHNICAL.sub("", own_words)), text


@pytest.mark.parametrize("name", OF_CLUSTERS)
def test_exact_over_a_holdout_the_word_is_for_a_cluster(name: str, tmp_path: Path) -> None:
    body = request_of(name)
    result, _ = run_request({**body, "unit": "patient"}, tmp_path)
    plain, _ = run_request(body, tmp_path)

    written, before = ("\n".join(written_texts(each)) for each in (result, plain))
    assert re.search(r"The variance rests on \d+ patients", written)
    assert "Test more patients." in written
    assert not re.search(r"\d clusters", written)
    assert re.search(r"\d clusters", before)
    assert result["unit"] == plain["unit"] == {"singular": "test set", "plural": "test sets"}
    assert result["models"].keys() == plain["models"].keys()
    assert written.replace("patient", "cluster") == before
