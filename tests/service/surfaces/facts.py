"""What a surface says of a result, held against the JSON of the result and the other surfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from tests.service.surfaces.reading import Rows, Shown, clean
from tests.service.surfaces.rendering import FINDINGS, FULL, HEADLINES, find_gate, read

Json = Mapping[str, Any]

NUMBER: Final = re.compile(r"-?\d{1,3}(?: \d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
INTERVAL: Final = re.compile(r"\(\d[\d.]* % interval [^()]*?, p [=<] [\d.e-]+")
"""The interval and the p-value of a verdict in a sentence."""
ABOUT: Final = {
    "on a new ": "new_source",
    "on data like these": "these_sources",
    "on these ": "these_sources",
    "of these trained models": "these_models",
    "in the target population": "new_population",
}
BADGES: Final = {"not_worse": "Not worse", "needs_changes": "Needs changes"}
MIRRORED: Final = {"better": "worse", "worse": "better", "not_worse": "undecided"}
CLAIMS: Final = {
    "better": "{best} is better than {others}",
    "worse": "{best} is worse than {others}",
    "undecided": "It is not clear whether {best} is better than {others}",
    "equivalent": "{best} and {others} are equivalent",
    "not_worse": "{best} is not worse than {others}",
}
OF_MODELS: Final = ("Mean ", "Pooled mean", "Interval ")
"""How the second column of a table of models begins."""
MOST_LISTED: Final = 4
MOST_NAMED: Final = 8
MOST_ROWS: Final = 15
DENIALS: Final = (
    (r"do on more data from the same \w+\.", r"[Oo]n data like these|[Oo]n these \w+"),
    (r"Nothing here says how the models do elsewhere", r"[Oo]n a new \w+|in the target population"),
    (
        r"No interval of a mean could be built",
        r"\(\d[\d.]* % interval -?[\d.]+ to|% interval of the difference",
    ),
    (r"with other training data is left out", r"[Oo]n data like these|[Oo]n these |[Oo]n a new "),
    (r"Nobody has signed", r"Decisions, the newest first"),
    (r"compares no models", r"is better than"),
    (r"Gate: pass", r"Gate: fail|Gate: undecided"),
)
"""What denies something, and what it would deny if it stood beside it."""


def find_faults(texts: Mapping[str, str], result: Json) -> list[str]:
    """Return what the surfaces say that is not so, or not alike.

    Parameters
    ----------
    texts : mapping of str to str
        What each surface writes.
    result : mapping
        The result.
    """
    shown = {surface: read(surface, text) for surface, text in texts.items() if text}
    # The JSON of a result is long and the surfaces are many: it is searched once for all of them.
    intervals = {*INTERVAL.findall(clean(orjson.dumps(result).decode()))}
    cautions = _collect_messages(result)
    faults: list[str] = []
    for surface, each in shown.items():
        own = [*_check_denials(each), *_check_sentences(each, intervals)]
        own += _check_gate(find_gate(surface, texts[surface]), result)
        if result.get("models"):
            own += _check_models(each, result, is_asked=surface in (*FINDINGS, *FULL))
            own += _check_pairs(each, result, is_asked=surface in FULL)
        if surface in {"page", "report"}:
            own += _check_all_cautions(each, cautions)
        faults += [f"{surface}: {fault}" for fault in own]
    return [*faults, *_compare_words(shown, texts, result)]


# Numbers


def is_rounded(text: str, value: float) -> bool:
    """Return whether a text is a number rounded to its digits."""
    mantissa, _, power = text.replace(" ", "").partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(power or 0) - decimals)
    # Numbers from 10 000 on have four significant digits.
    room = max(0.5001 * unit, 6e-4 * abs(value) if abs(value) >= 1e4 else 0.0)
    return abs(float(text.replace(" ", "")) - value) <= room


def are_rounded(text: str, values: Sequence[float | None]) -> bool:
    """Return whether the numbers of a text are those values; None is no number."""
    numbers, present = NUMBER.findall(text), [value for value in values if value is not None]
    return len(numbers) == len(present) and all(map(is_rounded, numbers, present))


def is_p_value(text: str, value: float | None) -> bool:
    """Return whether a text is a p-value."""
    if value is None:
        return not NUMBER.search(text)
    return value < 0.001 if text == "< 0.001" else are_rounded(text, [value])


# Models and pairs


def find_target(result: Json) -> str | None:
    """Return what the verdicts are about."""
    for pair in result["comparisons"]:
        if pair.get("interval"):
            return str(pair["interval"]["target"])
    targets = {target for model in result["models"].values() for target in model["recommended"]}
    wanted = (result.get("summary") or {}).get("target")
    return wanted if wanted in targets else next((t for t in ABOUT.values() if t in targets), None)


def _check_models(shown: Shown, result: Json, *, is_asked: bool) -> Iterator[str]:
    """Yield wrong means and intervals of the tables of models, and a wrong order."""
    order = [model["name"] for model in result["summary"]["models"]][:MOST_ROWS]
    tables = [
        table
        for table in shown.tables
        if table[0][0] == "Model" and len(table[0]) > 1 and table[0][1].startswith(OF_MODELS)
    ]
    is_other_kind = result["kind"] in {"learning_curve", "selection"}
    if is_asked and not tables and not is_other_kind:
        yield "no table of models"
    for table in tables:
        names = [row[0] for row in table[1:] if row[0] in result["models"]]
        if names[: len(order)] != order[: len(names)] or (is_asked and len(names) < len(order)):
            yield f"the models are {names}, and not {order}"
        for row in table[1:]:
            if row[0] in result["models"]:
                yield from _check_model(table[0], row, result)


def _check_model(headings: Sequence[str], row: Sequence[str], result: Json) -> Iterator[str]:
    model = result["models"][row[0]]
    intervals = model["recommended"]
    asked = intervals.get(find_target(result)) or {}
    means = [model["mean"]["macro"], asked.get("estimate")]
    has_mean = headings[1].startswith("Mean ")
    if has_mean and not any(are_rounded(row[1], [mean]) for mean in means if mean is not None):
        yield f"the mean of {row[0]} is {row[1]}"
    for heading, cell in zip(headings, row, strict=True):
        target = next((ABOUT[words] for words in ABOUT if words in heading), None)
        if heading.startswith("Interval") and target is not None:
            interval = intervals.get(target) or {}
        elif re.fullmatch(r"[\d.]+ % interval", heading):
            interval = asked
        else:
            continue
        if not are_rounded(cell, [interval.get("lower"), interval.get("upper")]):
            yield f"the interval of {row[0]} ({heading}) is {cell}"


def _check_pairs(shown: Shown, result: Json, *, is_asked: bool) -> Iterator[str]:
    """Yield wrong differences, intervals, verdicts and p-values, and pairs that are missing."""
    tables = [each for each in shown.tables if {"Difference", "Verdict"} <= {*each[0]}]
    found = set()
    for pair in result["comparisons"]:
        for table in tables:
            for row in table[1:]:
                for a, b, sign in ((pair["a"], pair["b"], 1), (pair["b"], pair["a"], -1)):
                    if row[0] == f"{a} - {b}":
                        found.add((pair["a"], pair["b"]))
                        yield from _check_pair(table[0], row, pair, sign)
    best = result["summary"]["best_model"]
    missing = [
        (pair["a"], pair["b"])
        for pair in result["comparisons"]
        if best in {pair["a"], pair["b"]} and (pair["a"], pair["b"]) not in found
    ][:MOST_NAMED]
    if is_asked and missing and "more rows" not in shown.text:
        yield f"no row of the pairs {missing}"


def _check_pair(
    headings: Sequence[str], row: Sequence[str], pair: Json, sign: int
) -> Iterator[str]:
    cells = dict(zip(headings, row, strict=True))
    interval, verdict = pair.get("interval") or {}, pair["verdict"]
    estimate = interval.get("estimate", pair.get("difference"))
    ends = [interval.get("lower"), interval.get("upper")][::sign]
    turned = [None if end is None else sign * end for end in ends]
    named = next((name for name in headings if re.fullmatch(r"([\d.]+ % )?interval", name)), "")
    if not are_rounded(cells["Difference"], [None if estimate is None else sign * estimate]):
        yield f"the difference of {row[0]} is {cells['Difference']}"
    if not are_rounded(cells[named], turned):
        yield f"the interval of {row[0]} is {cells[named]}"
    words = {
        "better": f"{pair['a']} is better",
        "worse": f"{pair['b']} is better",
        "not_worse": f"{pair['a']} is not worse than {pair['b']}",
    }
    expected = words.get(verdict["decision"], verdict["decision"].replace("_", " "))
    if not cells["Verdict"].startswith(expected):
        yield f"the verdict on {row[0]} is {cells['Verdict']}, and not {expected}"
    for name, cell in cells.items():
        if name == "p" or name.startswith(("p (", "p,")):
            value = verdict.get("p_value" if name == "p" else "p_value_adjusted")
            if not is_p_value(cell, value):
                yield f"p of {row[0]} is {cell}"


# Sentences


def _check_sentences(shown: Shown, known: set[str]) -> Iterator[str]:
    """Yield intervals with p-values that no sentence of the result has."""
    for each in sorted({*INTERVAL.findall(shown.text)} - known):
        yield f"no verdict has {each})"


def _check_denials(shown: Shown) -> Iterator[str]:
    for denial, denied in DENIALS:
        said = re.search(denial, shown.text)
        beside = re.search(denied, shown.text)
        if said and beside:
            yield f"{said[0]!r} stands beside {beside[0]!r}"


def _check_gate(outcome: str | None, result: Json) -> Iterator[str]:
    expected = (result.get("gate") or {}).get("outcome")
    if outcome != expected:
        yield f"the gate is {outcome}, and not {expected}"


def list_cautions(value: Any) -> Iterator[Json]:
    """Yield the cautions of a result."""
    if isinstance(value, Mapping):
        if {"code", "message"} <= value.keys():
            yield value
        for key, inner in value.items():
            if key not in {"provenance", "failures"}:
                yield from list_cautions(inner)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, (dict, list)):  # most are lists of many numbers
                yield from list_cautions(inner)


def _collect_messages(result: Json) -> dict[str, list[str]]:
    """Return the messages of a result's cautions by code."""
    messages: dict[str, list[str]] = {}
    for caution in list_cautions(result):
        messages.setdefault(str(caution["code"]), []).append(clean(str(caution["message"])))
    if "no_training_variance" in messages:  # which says the same of all numbers
        messages.pop("ignores_training_variance", None)
    return messages


def _check_all_cautions(shown: Shown, messages: Mapping[str, list[str]]) -> Iterator[str]:
    for code, each in messages.items():
        if not any(message in shown.text for message in each):
            yield f"the caution {code} is missing"


# Words that all surfaces share


def _compare_words(
    shown: Mapping[str, Shown], texts: Mapping[str, str], result: Json
) -> Iterator[str]:
    delivered = orjson.loads(texts["webhook"])
    headline, verdict = clean(delivered["headline"]), delivered["verdict"]
    for surface in HEADLINES:
        if headline not in shown[surface].text:
            yield f"{surface}: the headline is another one than {headline!r}"
    badge = None if verdict is None else BADGES.get(verdict, str(verdict).capitalize())
    if badge is not None and badge not in shown["list"].text:
        yield f"list: the badge is not {badge!r}"
    if result.get("summary"):
        yield from _check_verdict(verdict, result)
        yield from _check_claims(headline, result)
    cautions = re.findall(
        r"^- (?:Serious|Warning|Info): (.+)$", texts["terminal with --all"], re.MULTILINE
    )
    for surface in ("page", "report", "latex"):
        missing = [each for each in cautions if clean(each) not in shown[surface].text]
        yield from (f"{surface}: missing is the caution {each!r}" for each in missing)
    rows = _list_rows(read("markdown", texts["markdown"].partition("<details>")[0]).tables[:1])
    sentences = _list_findings(texts["terminal"])
    failures = [clean(f) for f in _list_failures(result.get("failures") or {})]
    for surface in FINDINGS:
        if surface in shown:
            missing = [each for each in (*sentences, *failures) if each not in shown[surface].text]
            yield from (f"{surface}: missing is {each!r}" for each in missing)
            own = {tuple(row) for row in _list_rows(shown[surface].tables)}
            lost = [row for row in rows if tuple(row) not in own][:3]
            yield from (f"{surface}: missing is the row {row}" for row in lost)


def _list_rows(tables: Sequence[Rows]) -> Rows:
    """Return the rows of tables without their drawings."""
    return [
        [cell for name, cell in zip(table[0], row, strict=False) if not name.startswith("From ")]
        for table in tables
        for row in table[1:][:MOST_ROWS]
    ]


_RULE = re.compile(r"^-+(  -+)+$", re.MULTILINE)
"""The line below the headings of a table; that of a short heading begins as a list does."""


def _list_findings(text: str) -> list[str]:
    """Return the verdict of a terminal, and the sentences below its tables."""
    paragraphs = [part for part in text.split("\n\n") if not _RULE.search(part)]
    lines = [line for part in paragraphs[:-1] for line in part.splitlines()]
    return [
        clean(line.removeprefix("- ")) for line in lines if line and " and all numbers" not in line
    ]


def _list_failures(failures: Json) -> Iterator[str]:
    for failure in failures.values():
        if "message" in failure:
            yield str(failure["message"]).removesuffix(".")
        else:
            yield from _list_failures(failure)


def _orient(result: Json, other_target: str = "") -> dict[str, list[str]]:
    """Return the models by the decision on the best model beside them, the best ones first."""
    best = result["summary"]["best_model"]
    order = [model["name"] for model in result["summary"]["models"]]
    by_decision: dict[str, list[str]] = {}
    for pair in result["comparisons"]:
        if best in {pair["a"], pair["b"]}:
            verdict = pair["other_verdicts"][other_target] if other_target else pair["verdict"]
            decision = verdict["decision"]
            is_first = pair["a"] == best
            other = pair["b"] if is_first else pair["a"]
            decision = decision if is_first else MIRRORED.get(decision, decision)
            by_decision.setdefault(decision, []).append(other)
    return {key: sorted(names, key=order.index) for key, names in by_decision.items()}


def _check_verdict(verdict: str | None, result: Json) -> Iterator[str]:
    decisions = list(_orient(result))
    expected = "mixed" if len(decisions) > 1 else next(iter(decisions), None)
    if verdict != expected:
        yield f"webhook: the verdict is {verdict}, and not {expected}"


def _check_claims(headline: str, result: Json) -> Iterator[str]:
    """Yield what the headline should say of the best model, and does not."""
    names = [model["name"] for model in result["summary"]["models"]]
    if result["kind"] == "selection":
        return
    if len(names) > MOST_NAMED:
        expected = clean(result["summary"]["sentences"][0])
        if any(each.get("other_verdicts") for each in result["comparisons"]):
            second = _orient(result, "these_sources")
            better, tied = (len(second.get(each, ())) for each in ("better", "undecided"))
            best = result["summary"]["best_model"]
            expected += f" On these sources: {best} is better than {better} of the others and not "
            expected += f"shown to differ from {tied}."
        if headline != expected:
            yield f"webhook: the headline is {headline!r}, and not {expected!r}"
        return
    for decision, others in _orient(result).items():
        if len(others) <= MOST_LISTED:
            listed = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]}"
            best = result["summary"]["best_model"]
            claim = CLAIMS[decision].format(best=best, others=listed)
            if claim.lower() not in headline.lower():
                yield f"webhook: the headline {headline!r} does not say {claim!r}"
