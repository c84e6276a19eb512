"""Wrong cells in what people read: one fault for each table that the presentation builds."""

from __future__ import annotations

from typing import Final

from tests.plant.faults import Fault

OF_THE_EXAMPLES: Final = ("tests/golden/test_shown.py", "tests/presentation")


def _of_table(
    name: str, file: str, right: str, wrong: str, tests: tuple[str, ...] = OF_THE_EXAMPLES
) -> Fault:
    """Return a fault; its tests are others where no example of a kind has the table."""
    return Fault(name, f"presentation/thetahat_presentation/{file}", right, wrong, tests)


SHOWN: Final = (
    _of_table(
        "ladder_scores",
        "ladder.py",
        'Number(score["score"])',
        'Number(score["submission"])',
    ),
    _of_table(
        "ladder_rule",
        "ladder.py",
        '["Data set", Name(str(ladder["dataset"]))]',
        '["Data set", Name(str(ladder["n"]))]',
    ),
    _of_table(
        "findings",
        "parts/findings.py",
        "Bar(low, high, point, start, stop)",
        "Bar(high, low, point, start, stop)",
    ),
    _of_table(
        "matrix",
        "parts/pair_matrix.py",
        'decisions[pair["b"], pair["a"]] = mirrored',
        'decisions[pair["b"], pair["a"]] = decision',
    ),
    _of_table(
        "models",
        "parts/model_table.py",
        'Number(mean.get("macro"), error)',
        'Number(model.get("n"), error)',
    ),
    _of_table(
        "pairs",
        "parts/pairs.py",
        "Interval(_negate(ends.upper), _negate(ends.lower), ends.standard_error)",
        "Interval(_negate(ends.lower), _negate(ends.upper), ends.standard_error)",
    ),
    _of_table(
        "relative",
        "parts/pair_additions.py",
        'Percent(relative.get("change"))',
        'Percent(relative.get("ratio"))',
    ),
    _of_table(
        "wins",
        "parts/pair_additions.py",
        'Percent(wins["win_rate"])',
        'Percent(wins["standard_error"])',
    ),
    _of_table(
        "number_needed",
        "parts/pair_additions.py",
        'Number(needed.get("estimate"))',
        'Number(needed.get("lower"))',
    ),
    _of_table(
        "runs",
        "parts/runs.py",
        'Number(item.get("variance"))',
        'Number(item.get("share"))',
    ),
    _of_table(
        "pass_at",
        "parts/runs.py",
        'Percent(found["estimate"])',
        'Percent(1 - found["estimate"])',
    ),
    _of_table(
        "runs_of_pairs",
        "parts/runs.py",
        'Percent(runs.get("share_of_runs"))',
        'Percent(1 - runs.get("share_of_runs"))',
    ),
    _of_table(
        "judge",
        "parts/judge.py",
        '"Weight of the judge": Number(judge.get("lambda"))',
        '"Weight of the judge": Number(judge.get("correlation"))',
    ),
    _of_table(
        "agreement of the judge",
        "parts/judge.py",
        'Number(agreement["observed"], None)',
        'Number(1 - agreement["observed"], None)',
    ),
    _of_table(
        "pairs of raters",
        "kinds/agreement.py",
        "*(build_estimate(pair.get(key)) for key in shown)",
        "*(build_estimate(pair.get(key)) for key in reversed(shown))",
    ),
    _of_table(
        "all raters",
        "kinds/agreement.py",
        'format_count(each["n"]), build_estimate(each)]',
        'format_count(each["n"]), build_estimate(None)]',
    ),
    _of_table(
        "kappas compared",
        "kinds/agreement.py",
        'Number(each["kappa_b"], each["standard_error"])',
        'Number(each["difference"], each["standard_error"])',
    ),
    _of_table(
        "ratings by category",
        "kinds/agreement.py",
        'Number(each["shares"].get(key))',
        'Number(each["n"])',
    ),
    _of_table(
        "ladder",
        "kinds/ladder.py",
        'format_count(result.get("submissions", 0))',
        'format_count(1 + result.get("submissions", 0))',
    ),
    _of_table(
        "seeds",
        "parts/seeds.py",
        'Percent(seeds.get("share"))',
        'Percent(seeds.get("variance"))',
        ("tests/service/kinds/test_seeds.py",),
    ),
    _of_table(
        "costs",
        "parts/costs.py",
        'Number(cost.get("mean"),',
        'Number(-cost.get("mean", 0.0),',
        ("tests/service/kinds/test_costs.py",),
    ),
    _of_table(
        "costs_of_pairs",
        "parts/costs.py",
        'Number(of_pair["ratio"])',
        'Number(of_pair["change"])',
        ("tests/service/kinds/test_costs.py",),
    ),
    _of_table(
        "groups_of_pairs",
        "parts/groups.py",
        'Number(item.get("difference"), error)',
        'Number(item.get("worse_by_at_most"), error)',
    ),
    _of_table(
        "groups_of_models",
        "parts/groups.py",
        'Number(item.get("mean"), find_error(item.get("interval")))',
        'Number(item.get("bound"), find_error(item.get("interval")))',
    ),
    _of_table(
        "worst_groups",
        "parts/groups.py",
        "_format_mean(of_worst[0])",
        '_format_mean(groups["items"][0])',
    ),
    _of_table(
        "largest_gaps",
        "parts/groups.py",
        'Number(gap["estimate"], gap.get("standard_error"))',
        'Number(gap["lower"], gap.get("standard_error"))',
    ),
    _of_table(
        "gaps_of_groups",
        "parts/groups.py",
        "build_interval(gap or None)",
        'build_interval({**gap, "lower": gap.get("upper"), "upper": gap.get("lower")} or None)',
    ),
    _of_table(
        "probabilities",
        "parts/probabilities.py",
        'build_estimate(each["in_the_large"])',
        'build_interval(each["in_the_large"])',
    ),
    _of_table(
        "parts_of_scores",
        "parts/probabilities.py",
        'Number(parts.get("miscalibration"))',
        'Number(parts.get("p_value"))',
    ),
    _of_table(
        "differences_of_parts",
        "parts/probabilities.py",
        "row[part.capitalize()] = build_estimate(parts[part])",
        'row[part.capitalize()] = build_estimate(parts["score"])',
    ),
    _of_table(
        "thresholds",
        "parts/probabilities.py",
        'Number(each["positive"])',
        'Number(-each["positive"])',
    ),
    _of_table(
        "differences_of_thresholds",
        "parts/probabilities.py",
        'Pair(pair["a"], pair["b"]),\n            Number(each["threshold"])',
        'Pair(pair["b"], pair["a"]),\n            Number(each["threshold"])',
    ),
    _of_table(
        "bins",
        "parts/probabilities.py",
        'Number(binned.get("if_calibrated"))',
        'Number(binned.get("p_value"))',
    ),
    _of_table(
        "omnibus",
        "parts/omnibus.py",
        'PValue(test["p_value"])',
        'PValue(1 - test["p_value"])',
    ),
    _of_table(
        "reasons",
        "parts/methods.py",
        '[_name(method["name"]), capitalise(name_methods_in(method["reason"]))]',
        '[capitalise(name_methods_in(method["reason"])), _name(method["name"])]',
    ),
    _of_table(
        "intervals",
        "parts/methods.py",
        '_name(interval["variance"]) if interval.get("variance") else MISSING',
        '_name(interval["method"]) if interval.get("variance") else MISSING',
    ),
    _of_table(
        "variances",
        "parts/methods.py",
        'Number(variance["standard_error"])',
        'Number(variance["value"])',
    ),
    _of_table(
        "tests",
        "parts/methods.py",
        'PValue(test.get("p_value_adjusted"))',
        'PValue(test.get("statistic"))',
    ),
    _of_table(
        "metrics",
        "parts/metrics.py",
        'return False, -value if estimate.get("higher_is_better", True) else value',
        "return False, value",
    ),
    _of_table(
        "metrics_of_pairs",
        "parts/metrics.py",
        'Pair(pair["a"], pair["b"])',
        'Pair(pair["b"], pair["a"])',
    ),
    _of_table(
        "population",
        "parts/population.py",
        'Number(each["estimate"], each["standard_error"])',
        'Number(each["standard_error"], each["standard_error"])',
    ),
    _of_table(
        "population_pairs",
        "parts/population.py",
        'Number(each["difference"], each["standard_error"])',
        'Number(-each["difference"], each["standard_error"])',
    ),
    _of_table(
        "sources",
        "parts/sources.py",
        "Number(x - y)]",
        "Number(y - x)]",
    ),
    _of_table(
        "studied_coverage",
        "parts/studied.py",
        '*_build_share(share, "coverage", missing))',
        '*_build_share(share, "least", missing))',
    ),
    _of_table(
        "studied_shares",
        "parts/studied.py",
        'Name(", ".join(of_row))\n',
        'Name(", ".join(of_row[1:]))\n',
    ),
    _of_table(
        "studied_sizes",
        "parts/studied.py",
        '*_build_share(size, "size", missing))',
        '*_build_share(size, "largest", missing))',
    ),
    _of_table(
        "calibration",
        "parts/studied.py",
        'for key in ("coverage", "width")',
        'for key in ("width", "coverage")',
    ),
    _of_table(
        "weights",
        "parts/weights.py",
        "Number(weights[key])] for key, words",
        "Number(2 * weights[key])] for key, words",
    ),
    _of_table(
        "bootstrap_intervals",
        "kinds/bootstrap.py",
        'format_level(each["level"]),\n',
        'format_level(1 - each["level"]),\n',
    ),
    _of_table(
        "bootstrap_estimate",
        "kinds/bootstrap.py",
        "[[words, Number(result[key])] for key, words in NUMBERS.items() if key in result]",
        '[[words, Number(result["estimate"])] for key, words in NUMBERS.items() if key in result]',
    ),
    _of_table(
        "bootstrap_components",
        "kinds/bootstrap.py",
        'Number(each["bias"])',
        'Number(-each["bias"])',
    ),
    _of_table(
        "bootstrap_covariance",
        "kinds/bootstrap.py",
        "[Name(name), *map(Number, row[: len(names)])]",
        "[Name(name), *map(Number, row[: len(names)][::-1])]",
    ),
    _of_table(
        "importance_weighting",
        "kinds/importance_weighting.py",
        'Number(risk.get("target_risk"))',
        'Number(risk.get("estimate"))',
    ),
    _of_table(
        "learning_curve",
        "kinds/learning_curve.py",
        'Number(mean, first.get("standard_error"))',
        'Number(1 - mean, first.get("standard_error"))',
    ),
    _of_table(
        "selection_candidates",
        "kinds/selection.py",
        "Number(wins.get(name, 0))",
        'Number(wins.get(chosen["name"], 0))',
    ),
    _of_table(
        "selection_splits",
        "kinds/selection.py",
        'Number(split["internal"]),\n                Number(split["external"]),',
        'Number(split["external"]),\n                Number(split["internal"]),',
    ),
    _of_table(
        "selection_grids",
        "kinds/selection.py",
        'Name(format_number(curve["values"][position]))',
        'Name(format_number(curve["mean"][position]))',
    ),
    _of_table(
        "study_tables",
        "kinds/study.py",
        'Number(cell["value"], cell["standard_error"], shows_error=True)',
        'Number(cell["standard_error"], cell["standard_error"], shows_error=True)',
    ),
    _of_table(
        "study_claims",
        "kinds/study.py",
        '"Measured": claim["measured"]',
        '"Measured": claim["verdict"]',
    ),
    _of_table(
        "series",
        "series.py",
        'Interval(look["lower"], look["upper"], error)',
        'Interval(look["lower"], look["estimate"], error)',
    ),
    _of_table(
        "design of a series",
        "series.py",
        '["Level", Number(series["level"])]',
        '["Level", Number(series["margin"])]',
    ),
    _of_table(
        "what a protocol fixes",
        "protocol.py",
        'rows.append([f"{word}{of_series}", _build_cell(written)])',
        'rows.append([f"{word}{of_series}", _build_cell(field)])',
    ),
    _of_table(
        "bare numbers",
        "showing.py",
        "[Name(name), Number(value)]",
        "[Name(name), Name(name)]",
    ),
)
"""A wrong number, a wrong column or two ends in the wrong order, for each table."""
