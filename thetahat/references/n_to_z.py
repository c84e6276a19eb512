"""Sources whose first author's name begins with N to Z."""

from __future__ import annotations

from typing import Final

SOURCES: Final[dict[str, str]] = {
    "nadeau2003": (
        "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine "
        "Learning 52, 239-281."
    ),
    "nemenyi1963": (
        "Nemenyi, P. B. (1963). Distribution-free multiple comparisons. PhD thesis, Princeton "
        "University."
    ),
    "noma2021": (
        "Noma, H., Shinozaki, T., Iba, K., Teramukai, S. and Furukawa, T. A. (2021). Confidence "
        "intervals of prediction accuracy measures for multivariable prediction models based on "
        "the bootstrap-based optimism correction methods. Statistics in Medicine 40, 5691-5701."
    ),
    "obuchowski2004": (
        "Obuchowski, N. A., Lieber, M. L. and Wians, F. H. (2004). ROC curves in clinical "
        "chemistry: uses, misuses, and possible solutions. Clinical Chemistry 50, 1118-1125."
    ),
    "owen2013": ("Owen, A. B. (2013). Monte Carlo theory, methods and examples."),
    "pearson1901": (
        "Pearson, K. (1901). On lines and planes of closest fit to systems of points in space. "
        "Philosophical Magazine 2, 559-572."
    ),
    "pedregosa2011": (
        "Pedregosa, F. et al. (2011). Scikit-learn: machine learning in Python. Journal of Machine "
        "Learning Research 12, 2825-2830."
    ),
    "phipson2010": (
        "Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero: "
        "calculating exact p-values when permutations are randomly drawn. Statistical "
        "Applications in Genetics and Molecular Biology 9, 39."
    ),
    "pratt1959": (
        "Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank "
        "procedures. Journal of the American Statistical Association 54, 655-667."
    ),
    "quade1979": (
        "Quade, D. (1979). Using weighted rankings in the analysis of complete blocks with "
        "additive block effects. Journal of the American Statistical Association 74, 680-683."
    ),
    "ripley1996": (
        "Ripley, B. D. (1996). Pattern Recognition and Neural Networks. Cambridge University Press."
    ),
    "roberts2017": (
        "Roberts, D. R. et al. (2017). Cross-validation strategies for data with temporal, "
        "spatial, hierarchical, or phylogenetic structure. Ecography 40, 913-929."
    ),
    "schulz2024": (
        "Schulz-Kuempel, H., Fischer, S., Hornung, R., Boulesteix, A.-L., Nagler, T. and Bischl, "
        "B. (2024). Constructing confidence intervals for 'the' generalization error: a "
        "comprehensive benchmark study. arXiv 2409.18836."
    ),
    "shaffer1986": (
        "Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal "
        "of the American Statistical Association 81, 826-831."
    ),
    "stone1974": (
        "Stone, M. (1974). Cross-validatory choice and assessment of statistical predictions. "
        "Journal of the Royal Statistical Society B 36, 111-147."
    ),
    "student1908": ("Student (1908). The probable error of a mean. Biometrika 6, 1-25."),
    "sugiyama2008": (
        "Sugiyama, M., Suzuki, T., Nakajima, S., Kashima, H., von Buenau, P. and Kawanabe, M. "
        "(2008). Direct importance estimation for covariate shift adaptation. Annals of the "
        "Institute of Statistical Mathematics 60, 699-746."
    ),
    "takahashi2022": (
        "Takahashi, K., Yamamoto, K., Kuchiba, A. and Koyama, T. (2022). Confidence interval for "
        "micro-averaged F1 and macro-averaged F1 scores. Applied Intelligence 52, 4961-4972."
    ),
    "tashman2000": (
        "Tashman, L. J. (2000). Out-of-sample tests of forecasting accuracy: an analysis and "
        "review. International Journal of Forecasting 16, 437-450."
    ),
    "tibshirani2009": (
        "Tibshirani, R. J. and Tibshirani, R. (2009). A bias correction for the minimum error rate "
        "in cross-validation. Annals of Applied Statistics 3, 822-829."
    ),
    "varma2006": (
        "Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation for "
        "model selection. BMC Bioinformatics 7, 91."
    ),
    "viering2023": (
        "Viering, T. and Loog, M. (2023). The shape of learning curves: a review. IEEE "
        "Transactions on Pattern Analysis and Machine Intelligence 45, 7799-7819."
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
    "zelezny2011": (
        "Zelezny, F. (2011). Machine Learning and Data Analysis, lecture 11: Empirical validation "
        "of hypotheses. Czech Technical University in Prague."
    ),
}
