"""Studies: estimators on many data sets from a population whose truth is known.

A study is a ``Study`` (``base``): ``run`` computes repetitions, ``finish`` turns their records into
tables, figures and claims. ``general`` is the study that a request describes by its population,
draw and estimators. Presets (``presets``) are studies written in Python.
"""
