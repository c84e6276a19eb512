"""Tables of inference at the edges: how often statements err, with the old rule beside today's.

``python -m thetahat_replications.edges`` runs every table and writes one page for each into
``docs/results/edges``. A module of this package that has a function ``build_table`` is a table, and
its name is the name of the page. ``build_table(repetitions, seed)`` returns a ``Table``. Modules
without that function hold what tables share.
"""
