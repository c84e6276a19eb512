"""Several runs of each item: what the items and what the runs add to the variance.

``values`` holds the losses of runs and averages them, so that every other method sees one loss for
each item. ``components`` splits the variance, ``pass_at`` counts runs that succeed, and
``summaries`` puts both into the result.
"""
