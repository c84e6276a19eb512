"""The bibliography: every cited source by its key; each key is cited somewhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

REFERENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "alpaydin1999": (
            "Alpaydin, E. (1999). Combined 5 x 2 cv F test for comparing supervised "
            "classification learning algorithms. Neural Computation 11, 1885-1892."
        ),
        "altman1998": (
            "Altman, D. G. (1998). Confidence intervals for the number needed to treat. BMJ 317, "
            "1309-1312."
        ),
        "angelopoulos2023": (
            "Angelopoulos, A. N., Duchi, J. C. and Zrnic, T. (2023). PPI++: efficient "
            "prediction-powered inference. arXiv:2311.01453."
        ),
        "angelopoulos2023ppi": (
            "Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I. and Zrnic, T. (2023). "
            "Prediction-powered inference. Science 382, 669-674."
        ),
        "arlot2010": (
            "Arlot, S. and Celisse, A. (2010). A survey of cross-validation procedures for model "
            "selection. Statistics Surveys 4, 40-79."
        ),
        "austern2020": (
            "Austern, M. and Zhou, W. (2020). Asymptotics of cross-validation. arXiv:2001.11111."
        ),
        "bates2024": (
            "Bates, S., Hastie, T. and Tibshirani, R. (2024). Cross-validation: what does it "
            "estimate and how well does it do it? Journal of the American Statistical Association"
            " 119, 1434-1445."
        ),
        "bayle2020": (
            "Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence "
            "intervals for test error. Advances in Neural Information Processing Systems 33."
        ),
        "bell2002": (
            "Bell, R. M. and McCaffrey, D. F. (2002). Bias reduction in standard errors for linear "
            "regression with multi-stage samples. Survey Methodology 28, 169-181."
        ),
        "benavoli2014": (
            "Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. and Ruggeri, F. (2014). A "
            "Bayesian Wilcoxon signed-rank test based on the Dirichlet process. Proceedings of "
            "the 31st International Conference on Machine Learning, 1026-1034."
        ),
        "benavoli2017": (
            "Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a "
            "tutorial for comparing multiple classifiers through Bayesian analysis. Journal of "
            "Machine Learning Research 18, 1-36."
        ),
        "benjamini1995": (
            "Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate: a "
            "practical and powerful approach to multiple testing. Journal of the Royal "
            "Statistical Society B 57, 289-300."
        ),
        "benjamini2001": (
            "Benjamini, Y. and Yekutieli, D. (2001). The control of the false discovery rate in "
            "multiple testing under dependency. Annals of Statistics 29, 1165-1188."
        ),
        "bergmann1988": (
            "Bergmann, B. and Hommel, G. (1988). Improvements of general multiple test procedures"
            " for redundant systems of hypotheses. Multiple Hypotheses Testing, 100-115. "
            "Springer."
        ),
        "bergmeir2012": (
            "Bergmeir, C. and Benitez, J. M. (2012). On the use of cross-validation for time "
            "series predictor evaluation. Information Sciences 191, 192-213."
        ),
        "bickel2007": (
            "Bickel, S., Brueckner, M. and Scheffer, T. (2007). Discriminative learning for "
            "differing training and test distributions. Proceedings of the 24th International "
            "Conference on Machine Learning, 81-88."
        ),
        "bouckaert2004": (
            "Bouckaert, R. R. and Frank, E. (2004). Evaluating the replicability of significance "
            "tests for comparing learning algorithms. Advances in Knowledge Discovery and Data "
            "Mining, 3-12. Springer."
        ),
        "breiman1984": (
            "Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification "
            "and Regression Trees. Wadsworth, Belmont."
        ),
        "brier1950": (
            "Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. "
            "Monthly Weather Review 78, 1-3."
        ),
        "brodersen2010": (
            "Brodersen, K. H., Ong, C. S., Stephan, K. E. and Buhmann, J. M. (2010). The balanced"
            " accuracy and its posterior distribution. 20th International Conference on Pattern "
            "Recognition, 3121-3124."
        ),
        "burman1989": (
            "Burman, P. (1989). A comparative study of ordinary cross-validation, v-fold "
            "cross-validation and the repeated learning-testing methods. Biometrika 76, 503-514."
        ),
        "cameron2008": (
            "Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2008). Bootstrap-based improvements "
            "for inference with clustered errors. Review of Economics and Statistics 90, 414-427."
        ),
        "cameron2015": (
            "Cameron, A. C. and Miller, D. L. (2015). A practitioner's guide to cluster-robust "
            "inference. Journal of Human Resources 50, 317-372."
        ),
        "catoni2012": (
            "Catoni, O. (2012). Challenging the empirical mean and empirical variance: a deviation "
            "study. Annales de l'Institut Henri Poincaré, Probabilités et Statistiques 48, "
            "1148-1185."
        ),
        "chen2021": (
            "Chen, M. and others (2021). Evaluating large language models trained on code. "
            "arXiv:2107.03374."
        ),
        "chung2013": (
            "Chung, E. and Romano, J. P. (2013). Exact and asymptotically robust permutation "
            "tests. The Annals of Statistics 41, 484-507."
        ),
        "clopper1934": (
            "Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits "
            "illustrated in the case of the binomial. Biometrika 26, 404-413."
        ),
        "cochran1950": (
            "Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika "
            "37, 256-266."
        ),
        "cohen1960": (
            "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and "
            "Psychological Measurement 20, 37-46."
        ),
        "connor1987": (
            "Connor, R. J. (1987). Sample size for testing differences in proportions for the "
            "paired-sample design. Biometrics 43, 207-211."
        ),
        "conover1999": (
            "Conover, W. J. (1999). Practical nonparametric statistics, third edition. Wiley."
        ),
        "corani2015": (
            "Corani, G. and Benavoli, A. (2015). A Bayesian approach for comparing "
            "cross-validated algorithms on multiple data sets. Machine Learning 100, 285-304."
        ),
        "cortes1994": (
            "Cortes, C., Jackel, L. D., Solla, S. A., Vapnik, V. and Denker, J. S. (1994). "
            "Learning curves: asymptotic values and rate of convergence. Advances in Neural "
            "Information Processing Systems 6, 327-334."
        ),
        "cortes1995": (
            "Cortes, C. and Vapnik, V. (1995). Support-vector networks. Machine Learning 20, "
            "273-297."
        ),
        "cover1967": (
            "Cover, T. M. and Hart, P. E. (1967). Nearest neighbor pattern classification. IEEE "
            "Transactions on Information Theory 13, 21-27."
        ),
        "cox1958": (
            "Cox, D. R. (1958). Two further applications of a model for binary regression. "
            "Biometrika 45, 562-565."
        ),
        "davison1997": (
            "Davison, A. C. and Hinkley, D. V. (1997). Bootstrap Methods and their Application. "
            "Cambridge University Press."
        ),
        "delong1988": (
            "DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas "
            "under two or more correlated receiver operating characteristic curves: a "
            "nonparametric approach. Biometrics 44, 837-845."
        ),
        "demsar2006": (
            "Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. "
            "Journal of Machine Learning Research 7, 1-30."
        ),
        "diebold1995": (
            "Diebold, F. X. and Mariano, R. S. (1995). Comparing predictive accuracy. Journal of "
            "Business and Economic Statistics 13, 253-263."
        ),
        "dietterich1998": (
            "Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised "
            "classification learning algorithms. Neural Computation 10, 1895-1923."
        ),
        "dimitriadis2021": (
            "Dimitriadis, T., Gneiting, T. and Jordan, A. I. (2021). Stable reliability "
            "diagrams for probabilistic classifiers. Proceedings of the National Academy of "
            "Sciences 118, e2016191118."
        ),
        "dixon1946": (
            "Dixon, W. J. and Mood, A. M. (1946). The statistical sign test. Journal of the "
            "American Statistical Association 41, 557-566."
        ),
        "driscoll1998": (
            "Driscoll, J. C. and Kraay, A. C. (1998). Consistent covariance matrix estimation with "
            "spatially dependent panel data. Review of Economics and Statistics 80, 549-560."
        ),
        "dudoit2002": (
            "Dudoit, S., Fridlyand, J. and Speed, T. P. (2002). Comparison of discrimination "
            "methods for the classification of tumors using gene expression data. Journal of the "
            "American Statistical Association 97, 77-87."
        ),
        "dunnett1980": (
            "Dunnett, C. W. (1980). Pairwise multiple comparisons in the unequal variance case. "
            "Journal of the American Statistical Association 75, 796-800."
        ),
        "efron1979": (
            "Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of "
            "Statistics 7, 1-26."
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
            "Efron, B. (1992). Jackknife-after-bootstrap standard errors and influence functions."
            " Journal of the Royal Statistical Society B 54, 83-127."
        ),
        "efron1993": (
            "Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman "
            "and Hall."
        ),
        "efron1997": (
            "Efron, B. and Tibshirani, R. (1997). Improvements on cross-validation: the .632+ "
            "bootstrap method. Journal of the American Statistical Association 92, 548-560."
        ),
        "elkan2001": (
            "Elkan, C. (2001). The foundations of cost-sensitive learning. Proceedings of the "
            "17th International Joint Conference on Artificial Intelligence, 973-978."
        ),
        "fagerland2013": (
            "Fagerland, M. W., Lydersen, S. and Laake, P. (2013). The McNemar test for binary "
            "matched-pairs data: mid-p and asymptotic are better than exact conditional. BMC "
            "Medical Research Methodology 13, 91."
        ),
        "fagerland2014": (
            "Fagerland, M. W., Lydersen, S. and Laake, P. (2014). Recommended tests and confidence "
            "intervals for paired binomial proportions. Statistics in Medicine 33, 2850-2875."
        ),
        "fagerland2015": (
            "Fagerland, M. W., Lydersen, S. and Laake, P. (2015). Recommended confidence intervals "
            "for two independent binomial proportions. Statistical Methods in Medical Research 24, "
            "224-254."
        ),
        "fieller1954": (
            "Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal "
            "Statistical Society B 16, 175-185."
        ),
        "finner1993": (
            "Finner, H. (1993). On a monotonicity problem in step-down multiple test procedures. "
            "Journal of the American Statistical Association 88, 920-923."
        ),
        "fisch2024": (
            "Fisch, A., Maynez, J., Hofer, R. A., Dhingra, B., Globerson, A. and Cohen, W. W. "
            "(2024). Stratified prediction-powered inference for effective hybrid evaluation of "
            "language models. Advances in Neural Information Processing Systems 37."
        ),
        "fisher1935": (
            "Fisher, R. A. (1935). The Design of Experiments. Oliver and Boyd, Edinburgh."
        ),
        "fleiss1969": (
            "Fleiss, J. L., Cohen, J. and Everitt, B. S. (1969). Large sample standard errors of "
            "kappa and weighted kappa. Psychological Bulletin 72, 323-327."
        ),
        "fleiss1971": (
            "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. "
            "Psychological Bulletin 76, 378-382."
        ),
        "forman2010": (
            "Forman, G. and Scholz, M. (2010). Apples-to-apples in cross-validation studies: "
            "pitfalls in classifier performance measurement. ACM SIGKDD Explorations 12, 49-57."
        ),
        "friedman1937": (
            "Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit "
            "in the analysis of variance. Journal of the American Statistical Association 32, "
            "675-701."
        ),
        "garcia2008": (
            "Garcia, S. and Herrera, F. (2008). An extension on 'Statistical comparisons of "
            "classifiers over multiple data sets' for all pairwise comparisons. Journal of "
            "Machine Learning Research 9, 2677-2694."
        ),
        "garcia2010": (
            "Garcia, S., Fernandez, A., Luengo, J. and Herrera, F. (2010). Advanced nonparametric"
            " tests for multiple comparisons in the design of experiments in computational "
            "intelligence and data mining. Information Sciences 180, 2044-2064."
        ),
        "geman1992": (
            "Geman, S., Bienenstock, E. and Doursat, R. (1992). Neural networks and the "
            "bias/variance dilemma. Neural Computation 4, 1-58."
        ),
        "geras2013": (
            "Geras, K. J. and Sutton, C. (2013). Multiple-source cross-validation. Proceedings of"
            " the 30th International Conference on Machine Learning."
        ),
        "gneiting2007": (
            "Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, "
            "and estimation. Journal of the American Statistical Association 102, 359-378."
        ),
        "gorodkin2004": (
            "Gorodkin, J. (2004). Comparing two K-category assignments by a K-category "
            "correlation coefficient. Computational Biology and Chemistry 28, 367-374."
        ),
        "grandvalet2006": (
            "Grandvalet, Y. and Bengio, Y. (2006). Hypothesis testing for cross-validation. "
            "Technical Report 1285, Universite de Montreal."
        ),
        "grissom1994": (
            "Grissom, R. J. (1994). Probability of the superior outcome of one treatment over "
            "another. Journal of Applied Psychology 79, 314-316."
        ),
        "guo2017": (
            "Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of "
            "modern neural networks. International Conference on Machine Learning, "
            "1321-1330."
        ),
        "gutierrez_osuna": (
            "Gutierrez-Osuna, R. (no year). Introduction to Pattern Analysis, lecture 13: "
            "Cross-validation. Texas A&M University."
        ),
        "gwet2008": (
            "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the "
            "presence of high agreement. British Journal of Mathematical and Statistical "
            "Psychology 61, 29-48."
        ),
        "hall1992": (
            "Hall, P. (1992). On the removal of skewness by transformation. Journal of the Royal "
            "Statistical Society B 54, 221-228."
        ),
        "hampel1974": (
            "Hampel, F. R. (1974). The influence curve and its role in robust estimation. Journal"
            " of the American Statistical Association 69, 383-393."
        ),
        "hanley1982": (
            "Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a "
            "receiver operating characteristic (ROC) curve. Radiology 143, 29-36."
        ),
        "hansen2011": (
            "Hansen, P. R., Lunde, A. and Nason, J. M. (2011). The model confidence set. "
            "Econometrica 79, 453-497."
        ),
        "harvey1997": (
            "Harvey, D., Leybourne, S. and Newbold, P. (1997). Testing the equality of prediction "
            "mean squared errors. International Journal of Forecasting 13, 281-291."
        ),
        "hastie2009": (
            "Hastie, T., Tibshirani, R. and Friedman, J. (2009). The elements of statistical "
            "learning, second edition. Springer."
        ),
        "hedges1981": (
            "Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and "
            "related estimators. Journal of Educational Statistics 6, 107-128."
        ),
        "hochberg1988": (
            "Hochberg, Y. (1988). A sharper Bonferroni procedure for multiple tests of "
            "significance. Biometrika 75, 800-802."
        ),
        "hodges1962": (
            "Hodges, J. L. and Lehmann, E. L. (1962). Rank methods for combination of independent"
            " experiments in analysis of variance. Annals of Mathematical Statistics 33, 482-497."
        ),
        "hoerl1970": (
            "Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for "
            "nonorthogonal problems. Technometrics 12, 55-67."
        ),
        "holland1987": (
            "Holland, B. S. and DiPonzio Copenhaver, M. (1987). An improved sequentially rejective "
            "Bonferroni test procedure. Biometrics 43, 417-423."
        ),
        "holm1979": (
            "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
            "Scandinavian Journal of Statistics 6, 65-70."
        ),
        "hothorn2008": (
            "Hothorn, T., Bretz, F. and Westfall, P. (2008). Simultaneous inference in general "
            "parametric models. Biometrical Journal 50, 346-363."
        ),
        "howard2021": (
            "Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). Time-uniform, "
            "nonparametric, nonasymptotic confidence sequences. Annals of Statistics 49, 1055-1080."
        ),
        "hsu1984": (
            "Hsu, J. C. (1984). Constrained simultaneous confidence intervals for multiple "
            "comparisons with the best. Annals of Statistics 12, 1136-1144."
        ),
        "hsu1999": (
            "Hsu, J. C. and Berger, R. L. (1999). Stepwise confidence intervals without "
            "multiplicity adjustment for dose-response and toxicity studies. Journal of the "
            "American Statistical Association 94, 468-482."
        ),
        "huang2007": (
            "Huang, J., Smola, A. J., Gretton, A., Borgwardt, K. M. and Schoelkopf, B. (2007). "
            "Correcting sample selection bias by unlabeled data. Advances in Neural Information "
            "Processing Systems 19, 601-608."
        ),
        "huber1964": (
            "Huber, P. J. (1964). Robust estimation of a location parameter. Annals of "
            "Mathematical Statistics 35, 73-101."
        ),
        "hyndman1996": (
            "Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. The "
            "American Statistician 50, 361-365."
        ),
        "iman1980": (
            "Iman, R. L. and Davenport, J. M. (1980). Approximations of the critical region of "
            "the Friedman statistic. Communications in Statistics A 9, 571-595."
        ),
        "ionides2008": (
            "Ionides, E. L. (2008). Truncated importance sampling. Journal of Computational and "
            "Graphical Statistics 17, 295-311."
        ),
        "janssen1997": (
            "Janssen, A. (1997). Studentized permutation tests for non-i.i.d. hypotheses and the "
            "generalized Behrens-Fisher problem. Statistics & Probability Letters 36, 9-21."
        ),
        "jennison2000": (
            "Jennison, C. and Turnbull, B. W. (2000). Group sequential methods with applications "
            "to clinical trials. Chapman & Hall/CRC."
        ),
        "jiang2008": (
            "Jiang, W., Varma, S. and Simon, R. (2008). Calculating confidence intervals for "
            "prediction error in microarray classification using resampling. Statistical "
            "Applications in Genetics and Molecular Biology 7, 8."
        ),
        "kanamori2009": (
            "Kanamori, T., Hido, S. and Sugiyama, M. (2009). A least-squares approach to direct "
            "importance estimation. Journal of Machine Learning Research 10, 1391-1445."
        ),
        "katz1978": (
            "Katz, D., Baptista, J., Azen, S. P. and Pike, M. C. (1978). Obtaining confidence "
            "intervals for the risk ratio in cohort studies. Biometrics 34, 469-474."
        ),
        "kerby2014": (
            "Kerby, D. S. (2014). The simple difference formula: an approach to teaching "
            "nonparametric correlation. Comprehensive Psychology 3, 1."
        ),
        "koenker1978": (
            "Koenker, R. and Bassett, G. (1978). Regression quantiles. Econometrica 46, 33-50."
        ),
        "kohavi1995": (
            "Kohavi, R. (1995). A study of cross-validation and bootstrap for accuracy estimation"
            " and model selection. Proceedings of the 14th International Joint Conference on "
            "Artificial Intelligence, 1137-1143."
        ),
        "kohavi1996": (
            "Kohavi, R. and Wolpert, D. H. (1996). Bias plus variance decomposition for zero-one "
            "loss functions. Proceedings of ICML 1996, 275-283."
        ),
        "korn1998": (
            "Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with "
            "small expected number of positive counts estimated from survey data. Survey "
            "Methodology 24, 193-201."
        ),
        "kouw2019": (
            "Kouw, W. M., Krijthe, J. H. and Loog, M. (2019). Robust importance-weighted "
            "cross-validation under sample selection bias. IEEE International Workshop on Machine"
            " Learning for Signal Processing."
        ),
        "krippendorff2011": (
            "Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of "
            "Pennsylvania, Annenberg School for Communication."
        ),
        "kumar2019": (
            "Kumar, A., Liang, P. and Ma, T. (2019). Verified uncertainty calibration. "
            "Advances in Neural Information Processing Systems 32."
        ),
        "lan1983": (
            "Lan, K. K. G. and DeMets, D. L. (1983). Discrete sequential boundaries for clinical "
            "trials. Biometrika 70, 659-663."
        ),
        "lazarus2018": (
            "Lazarus, E., Lewis, D. J., Stock, J. H. and Watson, M. W. (2018). HAR inference: "
            "recommendations for practice. Journal of Business and Economic Statistics 36, 541-559."
        ),
        "ledell2015": (
            "LeDell, E., Petersen, M. and van der Laan, M. (2015). Computationally efficient "
            "confidence intervals for cross-validated area under the ROC curve estimates. "
            "Electronic Journal of Statistics 9, 1583-1607."
        ),
        "lei2020": (
            "Lei, J. (2020). Cross-validation with confidence. Journal of the American "
            "Statistical Association 115, 1978-1997."
        ),
        "lugosi2019": (
            "Lugosi, G. and Mendelson, S. (2019). Mean estimation and regression under "
            "heavy-tailed distributions: a survey. Foundations of Computational Mathematics 19, "
            "1145-1190."
        ),
        "manning2008": (
            "Manning, C. D., Raghavan, P. and Schuetze, H. (2008). Introduction to information "
            "retrieval. Cambridge University Press."
        ),
        "martinandres2011": (
            "Martin Andres, A., Alvarez Hernandez, M. and Herranz Tejedor, I. (2011). Inferences "
            "about a linear combination of proportions. Statistical Methods in Medical Research "
            "20, 369-387."
        ),
        "matthews1975": (
            "Matthews, B. W. (1975). Comparison of the predicted and observed secondary structure"
            " of T4 phage lysozyme. Biochimica et Biophysica Acta 405, 442-451."
        ),
        "mccallum1998": (
            "McCallum, A. and Nigam, K. (1998). A comparison of event models for naive Bayes text"
            " classification. AAAI-98 Workshop on Learning for Text Categorization, 41-48."
        ),
        "mccullagh1989": (
            "McCullagh, P. and Nelder, J. A. (1989). Generalized linear models, second edition. "
            "Chapman and Hall."
        ),
        "mcnemar1947": (
            "McNemar, Q. (1947). Note on the sampling error of the difference between correlated "
            "proportions or percentages. Psychometrika 12, 153-157."
        ),
        "miller1974": ("Miller, R. G. (1974). The jackknife - a review. Biometrika 61, 1-15."),
        "molinaro2005": (
            "Molinaro, A. M., Simon, R. and Pfeiffer, R. M. (2005). Prediction error estimation: "
            "a comparison of resampling methods. Bioinformatics 21, 3301-3307."
        ),
        "mukherjee2003": (
            "Mukherjee, S., Tamayo, P., Rogers, S., Rifkin, R., Engle, A., Campbell, C., Golub, "
            "T. R. and Mesirov, J. P. (2003). Estimating dataset size requirements for "
            "classifying DNA microarray data. Journal of Computational Biology 10, 119-142."
        ),
        "nadeau2003": (
            "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine "
            "Learning 52, 239-281."
        ),
        "nemenyi1963": (
            "Nemenyi, P. B. (1963). Distribution-free multiple comparisons. PhD thesis, Princeton"
            " University."
        ),
        "newcombe1998": (
            "Newcombe, R. G. (1998). Improved confidence intervals for the difference between "
            "binomial proportions based on paired data. Statistics in Medicine 17, 2635-2650."
        ),
        "newcombe1998b": (
            "Newcombe, R. G. (1998). Interval estimation for the difference between independent "
            "proportions: comparison of eleven methods. Statistics in Medicine 17, 873-890."
        ),
        "newcombe2006": (
            "Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the "
            "Mann-Whitney statistic. Part 2: asymptotic methods and evaluation. Statistics in "
            "Medicine 25, 559-573."
        ),
        "newey1987": (
            "Newey, W. K. and West, K. D. (1987). A simple, positive semi-definite, "
            "heteroskedasticity and autocorrelation consistent covariance matrix. Econometrica 55, "
            "703-708."
        ),
        "noma2021": (
            "Noma, H., Shinozaki, T., Iba, K., Teramukai, S. and Furukawa, T. A. (2021). "
            "Confidence intervals of prediction accuracy measures for multivariable prediction "
            "models based on the bootstrap-based optimism correction methods. Statistics in "
            "Medicine 40, 5691-5701."
        ),
        "obuchowski1998": (
            "Obuchowski, N. A. (1998). On the comparison of correlated proportions for clustered "
            "data. Statistics in Medicine 17, 1495-1507."
        ),
        "obuchowski2004": (
            "Obuchowski, N. A., Lieber, M. L. and Wians, F. H. (2004). ROC curves in clinical "
            "chemistry: uses, misuses, and possible solutions. Clinical Chemistry 50, 1118-1125."
        ),
        "owen2013": ("Owen, A. B. (2013). Monte Carlo theory, methods and examples."),
        "pearson1901": (
            "Pearson, K. (1901). On lines and planes of closest fit to systems of points in "
            "space. Philosophical Magazine 2, 559-572."
        ),
        "pedregosa2011": (
            "Pedregosa, F. et al. (2011). Scikit-learn: machine learning in Python. Journal of "
            "Machine Learning Research 12, 2825-2830."
        ),
        "phipson2010": (
            "Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero: "
            "calculating exact p-values when permutations are randomly drawn. Statistical "
            "Applications in Genetics and Molecular Biology 9, 39."
        ),
        "politis2004": (
            "Politis, D. N. and White, H. (2004). Automatic block-length selection for the "
            "dependent bootstrap. Econometric Reviews 23, 53-70; correction 28 (2009), 372-375."
        ),
        "powers2011": (
            "Powers, D. M. W. (2011). Evaluation: from precision, recall and F-measure to ROC, "
            "informedness, markedness and correlation. Journal of Machine Learning Technologies "
            "2, 37-63."
        ),
        "pratt1959": (
            "Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank "
            "procedures. Journal of the American Statistical Association 54, 655-667."
        ),
        "price2004": (
            "Price, R. M. and Bonett, D. G. (2004). An improved confidence interval for a linear "
            "function of binomial proportions. Computational Statistics and Data Analysis 45, "
            "449-456."
        ),
        "pustejovsky2018": (
            "Pustejovsky, J. E. and Tipton, E. (2018). Small-sample methods for cluster-robust "
            "variance estimation and hypothesis testing in fixed effects models. Journal of "
            "Business & Economic Statistics 36, 672-683."
        ),
        "quade1979": (
            "Quade, D. (1979). Using weighted rankings in the analysis of complete blocks with "
            "additive block effects. Journal of the American Statistical Association 74, 680-683."
        ),
        "ripley1996": (
            "Ripley, B. D. (1996). Pattern Recognition and Neural Networks. Cambridge University "
            "Press."
        ),
        "robbins1970": (
            "Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. "
            "Annals of Mathematical Statistics 41, 1397-1409."
        ),
        "roberts2017": (
            "Roberts, D. R. et al. (2017). Cross-validation strategies for data with temporal, "
            "spatial, hierarchical, or phylogenetic structure. Ecography 40, 913-929."
        ),
        "romano2005": (
            "Romano, J. P. and Wolf, M. (2005). Exact and approximate stepdown methods for "
            "multiple hypothesis testing. Journal of the American Statistical Association 100, "
            "94-108."
        ),
        "romano2020": (
            "Romano, Y., Sesia, M. and Candes, E. J. (2020). Classification with valid and "
            "adaptive coverage. Advances in Neural Information Processing Systems 33."
        ),
        "satterthwaite1946": (
            "Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance "
            "components. Biometrics Bulletin 2, 110-114."
        ),
        "schafer2005": (
            "Schafer, J. and Strimmer, K. (2005). A shrinkage approach to large-scale "
            "covariance matrix estimation and implications for functional genomics. Statistical "
            "Applications in Genetics and Molecular Biology 4, 32."
        ),
        "schulz2024": (
            "Schulz-Kuempel, H., Fischer, S., Hornung, R., Boulesteix, A.-L., Nagler, T. and "
            "Bischl, B. (2024). Constructing confidence intervals for 'the' generalization error:"
            " a comprehensive benchmark study. arXiv 2409.18836."
        ),
        "searle1992": (
            "Searle, S. R., Casella, G. and McCulloch, C. E. (1992). Variance components. Wiley."
        ),
        "shaffer1986": (
            "Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. "
            "Journal of the American Statistical Association 81, 826-831."
        ),
        "shrout1979": (
            "Shrout, P. E. and Fleiss, J. L. (1979). Intraclass correlations: uses in assessing "
            "rater reliability. Psychological Bulletin 86, 420-428."
        ),
        "sidak1967": (
            "Sidak, Z. (1967). Rectangular confidence regions for the means of multivariate normal "
            "distributions. Journal of the American Statistical Association 62, 626-633."
        ),
        "spiegelhalter1986": (
            "Spiegelhalter, D. J. (1986). Probabilistic prediction in patient management "
            "and clinical trials. Statistics in Medicine 5, 421-433."
        ),
        "stone1974": (
            "Stone, M. (1974). Cross-validatory choice and assessment of statistical predictions."
            " Journal of the Royal Statistical Society B 36, 111-147."
        ),
        "student1908": ("Student (1908). The probable error of a mean. Biometrika 6, 1-25."),
        "sugiyama2008": (
            "Sugiyama, M., Suzuki, T., Nakajima, S., Kashima, H., von Buenau, P. and Kawanabe, M."
            " (2008). Direct importance estimation for covariate shift adaptation. Annals of the "
            "Institute of Statistical Mathematics 60, 699-746."
        ),
        "takahashi2022": (
            "Takahashi, K., Yamamoto, K., Kuchiba, A. and Koyama, T. (2022). Confidence interval "
            "for micro-averaged F1 and macro-averaged F1 scores. Applied Intelligence 52, "
            "4961-4972."
        ),
        "tango1998": (
            "Tango, T. (1998). Equivalence test and confidence interval for the difference in "
            "proportions for the paired-sample design. Statistics in Medicine 17, 891-908."
        ),
        "tashman2000": (
            "Tashman, L. J. (2000). Out-of-sample tests of forecasting accuracy: an analysis and "
            "review. International Journal of Forecasting 16, 437-450."
        ),
        "tibshirani2009": (
            "Tibshirani, R. J. and Tibshirani, R. (2009). A bias correction for the minimum error"
            " rate in cross-validation. Annals of Applied Statistics 3, 822-829."
        ),
        "tukey1963": (
            "Tukey, J. W. and McLaughlin, D. H. (1963). Less vulnerable confidence and "
            "significance procedures for location based on a single sample: "
            "trimming/Winsorization 1. Sankhya A 25, 331-352."
        ),
        "varma2006": (
            "Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation"
            " for model selection. BMC Bioinformatics 7, 91."
        ),
        "viering2023": (
            "Viering, T. and Loog, M. (2023). The shape of learning curves: a review. IEEE "
            "Transactions on Pattern Analysis and Machine Intelligence 45, 7799-7819."
        ),
        "vovk2005": (
            "Vovk, V., Gammerman, A. and Shafer, G. (2005). Algorithmic Learning in a "
            "Random World. Springer."
        ),
        "waudbysmith2024a": (
            "Waudby-Smith, I., Arbour, D., Sinha, R., Kennedy, E. H. and Ramdas, A. (2024). "
            "Time-uniform central limit theory and asymptotic confidence sequences. Annals of "
            "Statistics 52, 2613-2640."
        ),
        "waudbysmith2024b": (
            "Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables "
            "by betting. Journal of the Royal Statistical Society B 86, 1-27."
        ),
        "webb2023": (
            "Webb, M. D. (2023). Reworking wild bootstrap-based inference for clustered errors. "
            "Canadian Journal of Economics 56, 839-858."
        ),
        "welch1947": (
            "Welch, B. L. (1947). The generalization of 'Student's' problem when several different "
            "population variances are involved. Biometrika 34, 28-35."
        ),
        "welch1951": (
            "Welch, B. L. (1951). On the comparison of several mean values: an alternative "
            "approach. Biometrika 38, 330-336."
        ),
        "westfall1993": (
            "Westfall, P. H. and Young, S. S. (1993). Resampling-based multiple testing: "
            "examples and methods for p-value adjustment. Wiley."
        ),
        "wilcoxon1945": (
            "Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin "
            "1, 80-83."
        ),
        "wilson1927": (
            "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical "
            "inference. Journal of the American Statistical Association 22, 209-212."
        ),
        "yamada2013": (
            "Yamada, M., Suzuki, T., Kanamori, T., Hachiya, H. and Sugiyama, M. (2013). Relative "
            "density-ratio estimation for robust distribution comparison. Neural Computation 25, "
            "1324-1370."
        ),
        "yang2010": (
            "Yang, Z., Sun, X. and Hardin, J. W. (2010). A note on the tests for clustered "
            "matched-pair binary data. Biometrical Journal 52, 638-652."
        ),
        "yuen1974": (
            "Yuen, K. K. (1974). The two-sample trimmed t for unequal population variances. "
            "Biometrika 61, 165-170."
        ),
        "zelezny2011": (
            "Zelezny, F. (2011). Machine Learning and Data Analysis, lecture 11: Empirical "
            "validation of hypotheses. Czech Technical University in Prague."
        ),
        "zou2008": (
            "Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect "
            "measures: a general approach. Statistics in Medicine 27, 1693-1702."
        ),
        "zrnic2024": (
            "Zrnic, T. and Candes, E. J. (2024). Cross-prediction-powered inference. Proceedings "
            "of the National Academy of Sciences 121, e2322083121."
        ),
    }
)
"""In alphabetical order of the keys."""
