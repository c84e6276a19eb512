"""Sources whose first author's name begins with A to E."""

from __future__ import annotations

from typing import Final

SOURCES: Final[dict[str, str]] = {
    "alpaydin1999": (
        "Alpaydin, E. (1999). Combined 5 x 2 cv F test for comparing supervised classification "
        "learning algorithms. Neural Computation 11, 1885-1892."
    ),
    "arlot2010": (
        "Arlot, S. and Celisse, A. (2010). A survey of cross-validation procedures for model "
        "selection. Statistics Surveys 4, 40-79."
    ),
    "austern2020": (
        "Austern, M. and Zhou, W. (2020). Asymptotics of cross-validation. arXiv:2001.11111."
    ),
    "bates2024": (
        "Bates, S., Hastie, T. and Tibshirani, R. (2024). Cross-validation: what does it estimate "
        "and how well does it do it? Journal of the American Statistical Association 119, "
        "1434-1445."
    ),
    "bayle2020": (
        "Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence "
        "intervals for test error. Advances in Neural Information Processing Systems 33."
    ),
    "benavoli2014": (
        "Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. and Ruggeri, F. (2014). A Bayesian "
        "Wilcoxon signed-rank test based on the Dirichlet process. Proceedings of the 31st "
        "International Conference on Machine Learning, 1026-1034."
    ),
    "benavoli2017": (
        "Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a "
        "tutorial for comparing multiple classifiers through Bayesian analysis. Journal of "
        "Machine Learning Research 18, 1-36."
    ),
    "benjamini1995": (
        "Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate: a practical "
        "and powerful approach to multiple testing. Journal of the Royal Statistical Society B "
        "57, 289-300."
    ),
    "bergmann1988": (
        "Bergmann, B. and Hommel, G. (1988). Improvements of general multiple test procedures for "
        "redundant systems of hypotheses. Multiple Hypotheses Testing, 100-115. Springer."
    ),
    "bergmeir2012": (
        "Bergmeir, C. and Benitez, J. M. (2012). On the use of cross-validation for time series "
        "predictor evaluation. Information Sciences 191, 192-213."
    ),
    "bickel2007": (
        "Bickel, S., Brueckner, M. and Scheffer, T. (2007). Discriminative learning for differing "
        "training and test distributions. Proceedings of the 24th International Conference on "
        "Machine Learning, 81-88."
    ),
    "bouckaert2004": (
        "Bouckaert, R. R. and Frank, E. (2004). Evaluating the replicability of significance tests "
        "for comparing learning algorithms. Advances in Knowledge Discovery and Data Mining, "
        "3-12. Springer."
    ),
    "breiman1984": (
        "Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and "
        "Regression Trees. Wadsworth, Belmont."
    ),
    "brier1950": (
        "Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly "
        "Weather Review 78, 1-3."
    ),
    "brodersen2010": (
        "Brodersen, K. H., Ong, C. S., Stephan, K. E. and Buhmann, J. M. (2010). The balanced "
        "accuracy and its posterior distribution. 20th International Conference on Pattern "
        "Recognition, 3121-3124."
    ),
    "burman1989": (
        "Burman, P. (1989). A comparative study of ordinary cross-validation, v-fold "
        "cross-validation and the repeated learning-testing methods. Biometrika 76, 503-514."
    ),
    "cameron2015": (
        "Cameron, A. C. and Miller, D. L. (2015). A practitioner's guide to cluster-robust "
        "inference. Journal of Human Resources 50, 317-372."
    ),
    "clopper1934": (
        "Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits "
        "illustrated in the case of the binomial. Biometrika 26, 404-413."
    ),
    "cochran1950": (
        "Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37, "
        "256-266."
    ),
    "conover1999": (
        "Conover, W. J. (1999). Practical nonparametric statistics, third edition. Wiley."
    ),
    "corani2015": (
        "Corani, G. and Benavoli, A. (2015). A Bayesian approach for comparing cross-validated "
        "algorithms on multiple data sets. Machine Learning 100, 285-304."
    ),
    "cortes1994": (
        "Cortes, C., Jackel, L. D., Solla, S. A., Vapnik, V. and Denker, J. S. (1994). Learning "
        "curves: asymptotic values and rate of convergence. Advances in Neural Information "
        "Processing Systems 6, 327-334."
    ),
    "cortes1995": (
        "Cortes, C. and Vapnik, V. (1995). Support-vector networks. Machine Learning 20, 273-297."
    ),
    "cover1967": (
        "Cover, T. M. and Hart, P. E. (1967). Nearest neighbor pattern classification. IEEE "
        "Transactions on Information Theory 13, 21-27."
    ),
    "davison1997": (
        "Davison, A. C. and Hinkley, D. V. (1997). Bootstrap Methods and their Application. "
        "Cambridge University Press."
    ),
    "delong1988": (
        "DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under "
        "two or more correlated receiver operating characteristic curves: a nonparametric "
        "approach. Biometrics 44, 837-845."
    ),
    "demsar2006": (
        "Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. "
        "Journal of Machine Learning Research 7, 1-30."
    ),
    "dietterich1998": (
        "Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised "
        "classification learning algorithms. Neural Computation 10, 1895-1923."
    ),
    "dixon1946": (
        "Dixon, W. J. and Mood, A. M. (1946). The statistical sign test. Journal of the "
        "American Statistical Association 41, 557-566."
    ),
    "dudoit2002": (
        "Dudoit, S., Fridlyand, J. and Speed, T. P. (2002). Comparison of discrimination methods "
        "for the classification of tumors using gene expression data. Journal of the American "
        "Statistical Association 97, 77-87."
    ),
    "efron1979": (
        "Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics "
        "7, 1-26."
    ),
    "efron1983": (
        "Efron, B. (1983). Estimating the error rate of a prediction rule: improvement on "
        "cross-validation. Journal of the American Statistical Association 78, 316-331."
    ),
    "efron1987": (
        "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American "
        "Statistical Association 82, 171-185."
    ),
    "efron1992": (
        "Efron, B. (1992). Jackknife-after-bootstrap standard errors and influence functions. "
        "Journal of the Royal Statistical Society B 54, 83-127."
    ),
    "efron1993": (
        "Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman and "
        "Hall."
    ),
    "efron1997": (
        "Efron, B. and Tibshirani, R. (1997). Improvements on cross-validation: the .632+ "
        "bootstrap method. Journal of the American Statistical Association 92, 548-560."
    ),
    "elkan2001": (
        "Elkan, C. (2001). The foundations of cost-sensitive learning. Proceedings of the 17th "
        "International Joint Conference on Artificial Intelligence, 973-978."
    ),
}
