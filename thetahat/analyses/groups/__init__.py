"""Means, differences and metrics by groups of rows, with statements that hold for all groups.

A group is what the rows with one value of a column are, or with one combination of values of two or
three columns. The modules go from columns to statements: ``columns`` reads the groups, ``moments``
has their means and covariances, ``intervals``, ``gaps`` and ``equal_groups`` the statistics, and
``model_groups`` and ``pair_groups`` put them together for a model and for a pair of models.
"""
