"""The claims of the coverage study: the service's own rule, and a published comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.monte_carlo import subtract
from thetahat.analyses.studies.tables import MonteCarloNumber

SOURCE: Final = "schulz2024"
SHORT: Final = 0.05
"""How much coverage may lack of its level on average for an interval to be recommended."""
EXPECTED: Final = "covers_expected_at_n"

Row = Mapping[str, Any]


def claims(summary: Sequence[Row], level: float) -> tuple[StudyClaim, ...]:
    """Return the claims with the figures that decide them."""
    return (*_of_the_rule(summary, level), *_of_the_comparison(summary, level))


def _of_the_rule(summary: Sequence[Row], level: float) -> list[StudyClaim]:
    return [
        StudyClaim(
            text="The interval that the service recommends covers nearly as often as it says.",
            reference="",
            place="the rule of recommendation",
            measured=f"coverage of its own target, {row['scheme']}, {row['target']}",
            figure=row["coverage"],
            at_least=level - SHORT,
        )
        for row in summary
        if row["interval"] == RECOMMENDED
    ]


def _of_the_comparison(summary: Sequence[Row], level: float) -> list[StudyClaim]:
    by_place = {(row["scheme"], row["interval"]): row[EXPECTED] for row in summary}
    found: list[StudyClaim] = []

    def claim(text: str, measured: str, figure: MonteCarloNumber | None, **bounds: float) -> None:
        if figure is not None:
            told = f"coverage of the expected error at n, {measured}"
            found.append(
                StudyClaim(
                    text=text,
                    reference=SOURCE,
                    place="coverage of the expected risk",
                    measured=told,
                    figure=figure,
                    **bounds,
                )
            )

    wald = "normal:bayle_all_pairs"
    corrected = by_place.get(("random_subsampling", "student_t:nadeau_bengio"))
    claim(
        "The corrected resampled t with 25 draws of a tenth covers a little too rarely: .936.",
        "25 draws, student_t on nadeau_bengio",
        corrected,
        at_least=0.90,
        at_most=0.97,
    )
    for scheme in ("10-fold", "5-fold", "leave_one_out"):
        claim(
            "The plain interval of cross-validation covers too rarely: .90, .88 and .86.",
            f"{scheme}, normal on bayle_all_pairs",
            by_place.get((scheme, wald)),
            at_most=level,
        )
    if ("10-fold", wald) in by_place and corrected is not None:
        claim(
            "The corrected t covers more often than the plain interval of 10 folds.",
            "corrected t less 10-fold",
            subtract(corrected, by_place["10-fold", wald]),
            at_least=0,
        )
    for name, words in (
        ("bates_nested_cv", "Nested cross-validation covers at least as often as it says: .97."),
        ("conservative_z", "Conservative z covers at least as often as it says: .966."),
        ("austern_zhou", "The replace-one variance covers at least as often as it says."),
        ("out_of_bag", "Out of the bag with 100 resamples covers more often than it says."),
        ("bootstrap_632_plus", ".632+ with 100 resamples covers more often than it says."),
    ):
        places = (("refits", f"normal:{name}"), ("refits", f"{name}:{name}"))
        claim(
            words,
            f"normal on {name}",
            next((by_place[place] for place in places if place in by_place), None),
            at_least=level - 0.02,
        )
    for name, words in (
        (
            "location_shifted_bootstrap",
            "The location-shifted bootstrap covers in half of the cases: .48.",
        ),
        ("two_stage_bootstrap", "The two-stage bootstrap covers in about half of the cases."),
    ):
        claim(words, name, by_place.get(("refits", name)), at_most=0.85)
    claim(
        "Bootstrap case cross-validation covers nearly as often as it says.",
        "bccv_percentile",
        by_place.get(("refits", "bccv_percentile")),
        at_least=level - SHORT,
    )
    return found
