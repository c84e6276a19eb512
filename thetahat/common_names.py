"""Names that other libraries use for methods, parameters and fields with another name here.

One table a family. A key is a name in small letters and digits alone; a value is the name here, the
names to try in order, or a sentence that says what to do instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_METRIC: Final = "{} is a metric of all predictions together: name it in metrics, beside a loss"
_LOSS: Final = "the mean of the loss {!r} is what you look for: send it as loss"
_FIT_YOURSELF: Final = (
    "the service cannot fit {}: fit it yourself and send predictions, kind 'predictions', or its "
    "losses, kind 'losses'"
)
_NOT_FITTED: Final = {
    **dict.fromkeys(("xgbclassifier", "xgbregressor", "xgboost", "xgb"), "XGBoost"),
    **dict.fromkeys(("lgbmclassifier", "lgbmregressor", "lightgbm", "lgbm"), "LightGBM"),
    **dict.fromkeys(("catboostclassifier", "catboostregressor", "catboost"), "CatBoost"),
    **dict.fromkeys(("torch", "pytorch", "keras", "tensorflow", "neuralnetwork"), "neural nets"),
    **dict.fromkeys(("tabpfn", "tabpfnclassifier", "tabpfnregressor"), "TabPFN"),
}


def _split(words: str) -> frozenset[str]:
    """Return the words of a list with commas between them."""
    return frozenset(" ".join(words.split()).split(", "))


COMMON_NAMES: Final[Mapping[str, Mapping[str, str | tuple[str, ...]]]] = {
    "losses": {
        **dict.fromkeys(
            ("accuracy", "accuracyscore", "acc"),
            'accuracy is 1 minus the mean of the loss \'zero_one\': send "loss": "zero_one"',
        ),
        **dict.fromkeys(
            ("error", "errorrate", "misclassification", "01", "01loss", "zerooneloss", "hamming"),
            "zero_one",
        ),
        **dict.fromkeys(("mse", "meansquarederror", "squarederror", "l2"), "squared"),
        **dict.fromkeys(
            ("rmse", "rootmeansquarederror"),
            'the root of the mean squared loss is no average over rows: send "loss": "squared"',
        ),
        **dict.fromkeys(("mae", "meanabsoluteerror", "absoluteerror", "l1"), "absolute"),
        **dict.fromkeys(
            ("logloss", "crossentropy", "binarycrossentropy", "nll", "deviance"), "log"
        ),
        **dict.fromkeys(("brierscore", "brierscoreloss"), "brier"),
        **dict.fromkeys(("quantile", "quantileloss", "pinballloss"), "pinball"),
        "poisson": "poisson_deviance",
        **{
            letters: _METRIC.format(name)
            for letters, name in {
                "auc": "roc_auc",
                "rocauc": "roc_auc",
                "auroc": "roc_auc",
                "f1": "f1",
                "f1score": "f1",
                "r2": "r2",
                "mcc": "matthews",
                "balancedaccuracy": "balanced_accuracy",
                "averageprecision": "average_precision",
            }.items()
        },
    },
    "metrics": {
        **dict.fromkeys(
            ("accuracy", "accuracyscore", "acc"),
            "accuracy is 1 minus the mean of the loss 'zero_one', which a classification has by "
            "default; 'balanced_accuracy' is another number, the mean over the classes",
        ),
        **dict.fromkeys(("auc", "auroc", "rocaucscore", "rocaucovr"), "roc_auc"),
        **dict.fromkeys(("ap", "prauc", "auprc", "averageprecisionscore"), "average_precision"),
        **dict.fromkeys(("f1score", "fscore"), "f1"),
        **{
            letters: f"the metric f1 takes the parameter average: {average!r}"
            for average in ("macro", "micro", "weighted")
            for letters in (f"f1{average}", f"{average}f1", f"f1score{average}")
        },
        **dict.fromkeys(("precisionscore", "ppv", "positivepredictivevalue"), "precision"),
        **dict.fromkeys(("recallscore", "sensitivity", "tpr", "truepositiverate"), "recall"),
        **dict.fromkeys(("tnr", "truenegativerate", "selectivity"), "specificity"),
        **dict.fromkeys(("kappa", "cohenkappascore", "cohenskappa", "kappascore"), "cohen_kappa"),
        **dict.fromkeys(
            ("precisionmacro", "precisionmicro", "precisionweighted"),
            "the metric precision is of one class, which its parameter positive names",
        ),
        **dict.fromkeys(
            ("recallmacro", "macrorecall", "uar"),
            "the average of the recalls of all classes is the metric 'balanced_accuracy'",
        ),
        **dict.fromkeys(
            ("npv", "negativepredictivevalue"),
            "it is the metric precision whose parameter positive names the other class",
        ),
        **dict.fromkeys(("fpr", "falsepositiverate", "fallout"), "it is 1 minus specificity"),
        **dict.fromkeys(("fnr", "falsenegativerate", "missrate"), "it is 1 minus recall"),
        **dict.fromkeys(("mcc", "matthewscorrcoef", "phi"), "matthews"),
        **dict.fromkeys(("r2score", "rsquared", "explainedvariance"), "r2"),
        **dict.fromkeys(("balancedaccuracyscore", "balancedacc", "bacc"), "balanced_accuracy"),
        **dict.fromkeys(("mse", "meansquarederror", "rmse", "squared"), _LOSS.format("squared")),
        **dict.fromkeys(("mae", "meanabsoluteerror", "absolute"), _LOSS.format("absolute")),
        **dict.fromkeys(("logloss", "crossentropy", "log"), _LOSS.format("log")),
        **dict.fromkeys(("brier", "brierscore"), _LOSS.format("brier")),
        **dict.fromkeys(("zeroone", "error", "errorrate"), _LOSS.format("zero_one")),
    },
    "learners": {
        **dict.fromkeys(
            ("knn", "knearestneighbors", "knearestneighbours", "kneighbors"), "nearest_neighbours"
        ),
        **dict.fromkeys(("ols", "linearregression", "linear", "lm"), "least_squares"),
        **dict.fromkeys(("lda", "lineardiscriminantanalysis"), "linear_discriminant"),
        **dict.fromkeys(("naivebayes", "nb", "gnb"), "gaussian_naive_bayes"),
        **dict.fromkeys(("logit", "logreg", "logistic"), "logistic_regression"),
        **dict.fromkeys(("rf", "forest"), ("RandomForestClassifier", "RandomForestRegressor")),
        **dict.fromkeys(("svm", "supportvectormachine", "supportvector"), ("SVC", "SVR")),
        **dict.fromkeys(("tree", "cart"), ("DecisionTreeClassifier", "DecisionTreeRegressor")),
        **dict.fromkeys(("mlp", "neuralnet"), ("MLPClassifier", "MLPRegressor")),
        **dict.fromkeys(("baseline", "dummy", "constant"), ("majority", "mean")),
        **{letters: _FIT_YOURSELF.format(name) for letters, name in _NOT_FITTED.items()},
    },
    "schemes": {
        **dict.fromkeys(("cv", "crossvalidation", "kfolds", "kfoldcv"), "k_fold"),
        **dict.fromkeys(("loo", "loocv"), "leave_one_out"),
        **dict.fromkeys(("lpo",), "leave_p_out"),
        **dict.fromkeys(("logo", "leaveonegroupout", "loso", "lodo"), "leave_one_source_out"),
        "groupkfold": "source_k_fold",
        "stratifiedgroupkfold": "stratified_source_k_fold",
        **dict.fromkeys(("traintestsplit", "split", "testset"), "holdout"),
        **dict.fromkeys(("shufflesplit", "montecarlo", "mccv"), "random_subsampling"),
        **dict.fromkeys(("timeseriessplit", "walkforward", "rolling"), "time_series"),
        **dict.fromkeys(("52", "5x2", "5x2cv"), "five_by_two"),
        **dict.fromkeys(("stratified", "skf"), "stratified_k_fold"),
        "predefinedsplit": "predefined",
    },
    "tests": {
        **dict.fromkeys(("ttest", "pairedt", "pairedttest", "ttestrel"), "paired_t_blocks"),
        **dict.fromkeys(("correctedt", "correctedresampledt", "resampledt"), "nadeau_bengio_t"),
        **dict.fromkeys(("wilcoxonsignedrank", "signedrank"), "wilcoxon"),
        **dict.fromkeys(("5x2cv", "52cv", "5x2"), "five_by_two_f"),
        **dict.fromkeys(("mcs", "confidenceset"), "model_confidence_set"),
        **dict.fromkeys(("signflip", "randomisation", "randomization"), "permutation"),
        **dict.fromkeys(("bootstrap", "pairedbootstrap"), "bootstrap_difference"),
        **dict.fromkeys(("anova", "kruskal", "friedmanchisquare"), "friedman"),
        "cochran": "cochran_q",
    },
    "blocks": {
        **dict.fromkeys(
            ("kfold", "fold", "folds", "cv", "crossvalidation", "stratifiedkfold", "shuffled"),
            "random",
        ),
        **dict.fromkeys(
            ("group", "groups", "groupkfold", "leaveonegroupout", "leaveonesourceout", "site"),
            "source",
        ),
        **dict.fromkeys(("test", "testset", "traintestsplit", "split", "heldout"), "holdout"),
        **dict.fromkeys(("shufflesplit", "montecarlo", "subsampling", "bootstrap"), "subsamples"),
    },
    "corrections": {
        **dict.fromkeys(("bh", "fdr", "fdrbh"), "benjamini_hochberg"),
        **dict.fromkeys(("by", "fdrby"), "benjamini_yekutieli"),
        "holmbonferroni": "holm",
        "holmsidak": "sidak",
        "bonf": "bonferroni",
    },
    "parameters": {
        **dict.fromkeys(("nsplits", "k", "folds", "cv"), ("n_folds", "n_draws")),
        **dict.fromkeys(("repeats",), "n_repeats"),
        **dict.fromkeys(
            ("randomstate", "seed"), "random numbers follow from the request's field seed"
        ),
        **dict.fromkeys(("nneighbors", "neighbours", "neighbors"), ("k", "n_neighbors")),
        **dict.fromkeys(("alpha", "lambda", "c", "regularization"), "penalty"),
        "shuffle": "rows are always drawn at random, from the request's field seed",
    },
    "fields": {
        **dict.fromkeys(("cv", "nsplits", "nfolds", "kfold", "resampling", "splits"), "scheme"),
        **dict.fromkeys(("randomstate", "randomseed"), "seed"),
        **dict.fromkeys(("alpha", "confidence", "confidencelevel"), "level"),
        **dict.fromkeys(("scoring", "metric", "score"), ("metrics", "better")),
        **dict.fromkeys(("models", "estimators", "estimator", "algorithms"), "learners"),
        **dict.fromkeys(("higherisbetter", "greaterisbetter", "maximize", "direction"), "better"),
        **dict.fromkeys(("groups", "group", "sites"), ("source", "block")),
        **dict.fromkeys(("ytrue", "labels", "truth", "ytest"), ("y", "target")),
        **dict.fromkeys(("ypred", "preds"), "predictions"),
        **dict.fromkeys(("yscore", "yprob", "probabilities", "proba"), "scores"),
        **dict.fromkeys(("baseline", "reference"), "control"),
        **dict.fromkeys(("delta", "tolerance", "noninferioritymargin"), "margin"),
    },
}
"""By family; ``tests`` also of the tests of all models, ``fields`` of requests."""

SCORE_WORDS: Final = _split("""
accuracy, acc, right, correct, correctness, score, scores, auc, auroc, f1, exact, match, passed,
solved, reward
""")
"""Words of a name that says that higher values are better."""

METRIC_WORDS: Final = _split("""
accuracy, acc, auc, auroc, f1, precision, recall, brier, nll, ece, perplexity, ppl, wer, cer, mae,
mse, rmse, mape, r2, kappa, mcc, bleu, rouge, rouge1, rouge2, meteor, chrf, bertscore, comet, em,
ndcg, mrr, map, iou, dice, crps, pinball, hinge, faithfulness, relevancy, relevance, groundedness,
coherence, fluency, consistency, toxicity, hallucination, helpfulness, harmlessness
""")
"""Words of a name that say which metric a column has."""

QUALITY_WORDS: Final = _split("""
similarity, cosine, semantic, quality, coverage, agreement, rate, ratio, overlap, pass, solve,
proportion, sentiment, novelty, text, item, prompt, answer
""")
"""Further words of a name that has no model in it, only what was measured."""

QUANTITY_WORDS: Final = _split("""
ttft, tpot, itl, rtt, ping, jitter, lag, offset, delay, gap, idle, walltime, wallclock, clock,
took, tok, toks, len, size, footprint, spend, fee, credits, billing, quota, tax, mem, vram, ram,
rss, util, usage, utilization, power, emissions, carbon, co2, co2e, macs, gmacs, params,
parameters, layers, turns, calls, steps, step, iter, epochs, ctx, conf, certainty, logits, penalty,
levenshtein, lev, jaccard, hamming, dist, sim, repetition, refusal, refused, truncated, masked,
missing, compression, resolution, area, pixels, fps, frame, blur, width, height, speed, bpb, loc,
nloc, ttr, freq, zscore, quantile, stat, effect, support, bandwidth, dose, income, bmi, altitude,
mass, concentration, pressure, p50, p90, p95, p99, votes, shots, iterations, retries, attempts,
hops, citations, refs, upvotes, downvotes, likes, views, stars, visits, clicks, impressions,
workers, threads, warnings, failures, crashes, timeouts, commits, revenue, profit, vocab,
imbalance, concurrency, ttfb, wpm, syllables
""")
"""Words for what is measured or set, which may as well be a part of a model's name."""

QUALIFYING_WORDS: Final = _split("""
per, in, out, to, first, at, e, k, t, z, e2e, log, log2, log10, sqrt, norm, normalized, rel,
relative, raw, scaled, used, generated, input, output, prompt, completion, reasoning, cached,
hidden, context, seq, sequence, response, resp, answer, doc, image, file, model, gpu, cpu, wall,
peak, beam, tool, api, global, presence, train, test, new, cum, token, word, sentence, wind,
fraction, added, learning, retrieved, decode, prefill
""")
"""Words that say which one: ``hidden_size``."""

COUNT_PHRASES: Final = (
    *(("n",), ("num",), ("nb",), ("nbr",), ("no", "of"), ("number", "of"), ("count", "of")),
)
"""First words of the name of a count, before what is counted in plural: ``nb_layers``."""

QUANTITY_ENDINGS: Final = _split("""
rate, ratio, fraction, frac, share, proportion, util, score, value, len, size, depth, norm, dim,
dims, freq, dist, balance, overlap, bias, level, status, code, ts, mem, hits, wait, io, total,
ratings, speed, correct, at, load, budget, penalty, decay, step, per
""")
"""Last words of a name of several words that says what is measured, of whatever it is."""

UNIT_ENDINGS: Final = _split("""
s, sec, ms, us, ns, min, h, hr, hrs, kb, mb, gb, tb, mib, gib, wh, kwh, mwh, w, watt, watts, joule,
joules, j, g, kg, cents, dollars, euros, gbp, hz, khz, mhz, ghz, db, px, tps, qps, rps, mbps, gbps,
kbps, gflops, tflops, pflops, tok, toks, dpi
""")
"""Last words of a name that are units. Of one letter, they are the sizes of models as well."""

NAMES_OF_METHODS: Final = _split("""
map, em, comet, meteor, dice, hinge, pinball, exact, match, log, bits
""")
"""Words for metrics, scores and losses that may as well be the whole name of a model."""

METRIC_ALIASES: Final = {"acc": "accuracy", "auroc": "auc", "ppl": "perplexity"}
"""Other words for some of them."""

NUMBERING_WORDS: Final = _split("id, ids, uid, key, index, idx, nr, number")
"""Last words of a name that says that a column numbers things: ``patient_id``."""

LABEL_NAMES: Final = NUMBERING_WORDS | _split("""
row, item, instance, example, case, sample, question, prompt, task, query, document, doc, passage,
topic, session, conversation, request, epoch, trial, attempt, replicate, iteration, step, turn,
rank, position, fold, split, repeat, rep, run, seed, block, group, cluster, batch, source, site,
school, hospital, clinic, center, centre, country, subject, patient, person, user, customer,
student, region, year, month, week, day, date, time, timestamp, dataset, domain, subset
""")
"""Names that say that a column of whole numbers has labels and no measurements."""

UNIT_WORDS: Final = _split("seconds, secs, ms, count, usd, eur, bytes, pct, percent, percentage")
"""Words of a name for what a column counts in; losses have units, too: ``error_pct``."""

MEASURE_WORDS: Final = UNIT_WORDS | _split("""
latency, duration, elapsed, runtime, time, tokens, frequency, timestamp, length, chars, price,
cost, age, temperature, temp, weight, weights, confidence, difficulty, threshold, entropy, logprob,
logprobs, loglik, loglikelihood, likelihood, elo, uncertainty, popularity, prevalence, percentile,
complexity, importance, surprisal, propensity, exposure, readability, flesch, hours, minutes, mins,
words, sentences, characters, lines, mb, gb, memory, throughput, flops, energy, distance, snr,
latitude, longitude
""")
"""Words of a name that says that a column measures something else than a loss or a score."""

MEASURE_NAMES: Final = _split("""
rank, position, log prob, log probs, log likelihood, p value, pvalue, size, height, width, depth,
speed, lat, lon, lng, hardness, noise, noise level, margin, prior, bias, level, learning rate,
top p, top k, alpha, beta, gamma, discrimination, guessing, share, fraction, volume, priority,
human agreement, base rate, label noise, kl, grad norm, embedding norm, batch size, kl div,
kl divergence
""")
"""Whole names of such columns, also after words such as ``mean``; as parts they may name models."""

SPREAD_WORDS: Final = _split("""
std, stdev, sd, se, stderr, sem, variance, diff, delta, difference, ci, lower, upper, lcl, ucl,
lci, uci, lb, ub, iqr
""")
"""Words of a name that says that a column has the spread, limits or the difference of others."""

SUMMARY_NAMES: Final = _split("""
average, avg, overall, total, sum, subtotal, macro average, micro average
""")
"""Names that say that a column sums up others; a model may be named mean or median."""

GROUP_NAMES: Final = _split("sex, gender, female, male, race, ethnicity, nationality, religion")
"""Names that say that a column has groups of people."""

RATER_WORDS: Final = _split("""
rater, annotator, coder, labeler, labeller, assessor, grader, judge, judgement, judgment,
autorater, rating, grade, annotation
""")
"""Words of a name that says that a column has the ratings of a person or of a judge."""

TIME_NAMES: Final = _split("""
time, timestamp, date, datetime, day, week, month, year, hour, created at
""")
"""Names that say that a column has the time of each row."""

MODEL_NAMES: Final = _split("""
model, models, system, method, algorithm, learner, classifier, regressor, estimator, llm, engine,
approach, agent, variant, candidate, arm, workflow, wflow
""")
"""Names that say that a column names the model of each row."""

RUN_NAMES: Final = _split("""
run, seed, epoch, repeat, rep, trial, attempt, replicate, iteration, turn
""")
"""Names that say that a column tells runs of the same item apart."""

TASK_NAMES: Final = _split("task, benchmark, dataset, subset, domain, suite")
"""Names that say that a column has the task or test set of each item."""

ITEM_NAMES: Final = _split("""
item, doc, document, instance, example, sample, question, prompt, query, case, problem, id, row,
input
""")
"""Names, also before ``id``, that say that a column names the item that is tested."""

TOTAL_WORDS: Final = _split("""
mean, average, avg, total, sum, overall, all, median, std, sd, se, stderr, sem, macro, micro,
aggregate, summary, totals, count, min, max, minimum, maximum, subtotal, subtotals, mittelwert,
durchschnitt, gesamt, gesamtergebnis, insgesamt, summe, moyenne, somme, media, totale, somma,
promedio, suma, gemiddelde, totaal, 合计, 合計, 平均, 总计
""")
"""Words of what names a row that sums up other rows: ``Grand total:``."""

TOTAL_FILLERS: Final = _split("""
grand, row, rows, of, the, score, scores, value, values, items, standard, deviation, dev, error,
column, columns, result, results
""")
"""Words that may stand beside them."""

OUTCOME_WORDS: Final = _split("""
pass, passed, fail, failed, correct, incorrect, right, wrong, yes, no, true, false, t, f, y, n,
success, failure, win, lose, lost, wahr, falsch, ja, nein, richtig, vrai, faux, oui, non, vero,
falso, sì, sí, si, verdadero, verdadeiro, sim, não, waar, nee, ✓, ✔, ✗, ✘, ✅, ❌
""")
"""Words in a column that may say of each row whether a model was right."""

TRUE_WORDS: Final = _split("true, True, TRUE, t, T")
FALSE_WORDS: Final = _split("false, False, FALSE, f, F")
"""Words that are 1 and 0 where numbers are needed; a single letter only beside its opposite."""

MISSING_WORDS: Final = _split("?, -, n/a, na, nan, none, null, <na>, error")
"""What may stand among them where a model has no outcome."""

MISSING_TYPES: Final = frozenset({"NAType", "NaTType"})
"""Types of pandas of a single value, which is missing."""
MISSING_MARKS: Final = MISSING_WORDS - {"error"} | {
    "",
    "--",
    ".",
    "#n/a",
    "#na",
    "\\n",
    "\N{EN DASH}",
    "\N{EM DASH}",
}
"""Missing in a column whose other values are numbers, in small letters; labels in one of text."""

TARGET_NAMES: Final = _split("""
y, target, label, labels, truth, outcome, actual, observed, gold, y true
""")
"""Names that say that a column has the true values, and the others predictions of them."""

LOSS_WORDS: Final = _split("""
loss, losses, error, errors, brier, log, wrong, incorrect, failed, perplexity, ppl, bits, wer, cer,
mae, mse, rmse, mape, nll, regret, crossentropy
""")
"""Words of a name that says that lower values are better, whatever else it says."""

DOUBTFUL_WORDS: Final = _split("""
not, non, no, toxicity, toxic, hallucination, harm, harmful, risk, bias, distance, uncertainty,
variance, violation, violations, anomaly
""")
"""Words of a name by which a score may be better when it is lower: ``toxicity_score``."""

TRUTH_NAMES: Final = _split("truth, actual, observed, gold, y true, ground truth")
"""Names of true values that stand beside predictions rather than beside features."""

PREDICTION_WORDS: Final = _split("""
pred, preds, predicted, prediction, predictions, forecast, fitted, hat, yhat, prob, proba,
probability, probabilities
""")
"""Words of a name that says that a column has predictions."""
