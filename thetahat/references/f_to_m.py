"""Sources whose first author's name begins with F to M."""

from __future__ import annotations

from typing import Final

SOURCES: Final[dict[str, str]] = {
    "fagerland2013": (
        "Fagerland, M. W., Lydersen, S. and Laake, P. (2013). The McNemar test for binary "
        "matched-pairs data: mid-p and asymptotic are better than exact conditional. BMC "
        "Medical Research Methodology 13, 91."
    ),
    "finner1993": (
        "Finner, H. (1993). On a monotonicity problem in step-down multiple test procedures. "
        "Journal of the American Statistical Association 88, 920-923."
    ),
    "fisher1935": ("Fisher, R. A. (1935). The Design of Experiments. Oliver and Boyd, Edinburgh."),
    "forman2010": (
        "Forman, G. and Scholz, M. (2010). Apples-to-apples in cross-validation studies: pitfalls "
        "in classifier performance measurement. ACM SIGKDD Explorations 12, 49-57."
    ),
    "friedman1937": (
        "Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit in "
        "the analysis of variance. Journal of the American Statistical Association 32, 675-701."
    ),
    "garcia2008": (
        "Garcia, S. and Herrera, F. (2008). An extension on 'Statistical comparisons of "
        "classifiers over multiple data sets' for all pairwise comparisons. Journal of Machine "
        "Learning Research 9, 2677-2694."
    ),
    "garcia2010": (
        "Garcia, S., Fernandez, A., Luengo, J. and Herrera, F. (2010). Advanced nonparametric "
        "tests for multiple comparisons in the design of experiments in computational "
        "intelligence and data mining. Information Sciences 180, 2044-2064."
    ),
    "geras2013": (
        "Geras, K. J. and Sutton, C. (2013). Multiple-source cross-validation. Proceedings of the "
        "30th International Conference on Machine Learning."
    ),
    "gneiting2007": (
        "Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and "
        "estimation. Journal of the American Statistical Association 102, 359-378."
    ),
    "gorodkin2004": (
        "Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation "
        "coefficient. Computational Biology and Chemistry 28, 367-374."
    ),
    "grandvalet2006": (
        "Grandvalet, Y. and Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical "
        "Report 1285, Universite de Montreal."
    ),
    "grissom1994": (
        "Grissom, R. J. (1994). Probability of the superior outcome of one treatment over another. "
        "Journal of Applied Psychology 79, 314-316."
    ),
    "hampel1974": (
        "Hampel, F. R. (1974). The influence curve and its role in robust estimation. Journal of "
        "the American Statistical Association 69, 383-393."
    ),
    "hansen2011": (
        "Hansen, P. R., Lunde, A. and Nason, J. M. (2011). The model confidence set. Econometrica "
        "79, 453-497."
    ),
    "hastie2009": (
        "Hastie, T., Tibshirani, R. and Friedman, J. (2009). The elements of statistical learning, "
        "second edition. Springer."
    ),
    "hedges1981": (
        "Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and "
        "related estimators. Journal of Educational Statistics 6, 107-128."
    ),
    "hochberg1988": (
        "Hochberg, Y. (1988). A sharper Bonferroni procedure for multiple tests of significance. "
        "Biometrika 75, 800-802."
    ),
    "hodges1962": (
        "Hodges, J. L. and Lehmann, E. L. (1962). Rank methods for combination of independent "
        "experiments in analysis of variance. Annals of Mathematical Statistics 33, 482-497."
    ),
    "hoerl1970": (
        "Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for "
        "nonorthogonal problems. Technometrics 12, 55-67."
    ),
    "holm1979": (
        "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6, 65-70."
    ),
    "hsu1999": (
        "Hsu, J. C. and Berger, R. L. (1999). Stepwise confidence intervals without multiplicity "
        "adjustment for dose-response and toxicity studies. Journal of the American Statistical "
        "Association 94, 468-482."
    ),
    "huang2007": (
        "Huang, J., Smola, A. J., Gretton, A., Borgwardt, K. M. and Schoelkopf, B. (2007). "
        "Correcting sample selection bias by unlabeled data. Advances in Neural Information "
        "Processing Systems 19, 601-608."
    ),
    "huber1964": (
        "Huber, P. J. (1964). Robust estimation of a location parameter. Annals of Mathematical "
        "Statistics 35, 73-101."
    ),
    "hyndman1996": (
        "Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. The American "
        "Statistician 50, 361-365."
    ),
    "iman1980": (
        "Iman, R. L. and Davenport, J. M. (1980). Approximations of the critical region of the "
        "Friedman statistic. Communications in Statistics A 9, 571-595."
    ),
    "ionides2008": (
        "Ionides, E. L. (2008). Truncated importance sampling. Journal of Computational and "
        "Graphical Statistics 17, 295-311."
    ),
    "jiang2008": (
        "Jiang, W., Varma, S. and Simon, R. (2008). Calculating confidence intervals for "
        "prediction error in microarray classification using resampling. Statistical Applications "
        "in Genetics and Molecular Biology 7, 8."
    ),
    "kanamori2009": (
        "Kanamori, T., Hido, S. and Sugiyama, M. (2009). A least-squares approach to direct "
        "importance estimation. Journal of Machine Learning Research 10, 1391-1445."
    ),
    "kerby2014": (
        "Kerby, D. S. (2014). The simple difference formula: an approach to teaching nonparametric "
        "correlation. Comprehensive Psychology 3, 1."
    ),
    "koenker1978": (
        "Koenker, R. and Bassett, G. (1978). Regression quantiles. Econometrica 46, 33-50."
    ),
    "kohavi1995": (
        "Kohavi, R. (1995). A study of cross-validation and bootstrap for accuracy estimation and "
        "model selection. Proceedings of the 14th International Joint Conference on Artificial "
        "Intelligence, 1137-1143."
    ),
    "kouw2019": (
        "Kouw, W. M., Krijthe, J. H. and Loog, M. (2019). Robust importance-weighted "
        "cross-validation under sample selection bias. IEEE International Workshop on Machine "
        "Learning for Signal Processing."
    ),
    "ledell2015": (
        "LeDell, E., Petersen, M. and van der Laan, M. (2015). Computationally efficient "
        "confidence intervals for cross-validated area under the ROC curve estimates. Electronic "
        "Journal of Statistics 9, 1583-1607."
    ),
    "lei2020": (
        "Lei, J. (2020). Cross-validation with confidence. Journal of the American Statistical "
        "Association 115, 1978-1997."
    ),
    "manning2008": (
        "Manning, C. D., Raghavan, P. and Schuetze, H. (2008). Introduction to information "
        "retrieval. Cambridge University Press."
    ),
    "matthews1975": (
        "Matthews, B. W. (1975). Comparison of the predicted and observed secondary structure of "
        "T4 phage lysozyme. Biochimica et Biophysica Acta 405, 442-451."
    ),
    "mccallum1998": (
        "McCallum, A. and Nigam, K. (1998). A comparison of event models for naive Bayes text "
        "classification. AAAI-98 Workshop on Learning for Text Categorization, 41-48."
    ),
    "mccullagh1989": (
        "McCullagh, P. and Nelder, J. A. (1989). Generalized linear models, second edition. "
        "Chapman and Hall."
    ),
    "mcnemar1947": (
        "McNemar, Q. (1947). Note on the sampling error of the difference between correlated "
        "proportions or percentages. Psychometrika 12, 153-157."
    ),
    "molinaro2005": (
        "Molinaro, A. M., Simon, R. and Pfeiffer, R. M. (2005). Prediction error estimation: a "
        "comparison of resampling methods. Bioinformatics 21, 3301-3307."
    ),
    "mukherjee2003": (
        "Mukherjee, S., Tamayo, P., Rogers, S., Rifkin, R., Engle, A., Campbell, C., Golub, T. R. "
        "and Mesirov, J. P. (2003). Estimating dataset size requirements for classifying DNA "
        "microarray data. Journal of Computational Biology 10, 119-142."
    ),
}
