"""Tables of inference at the edges: how often statements err, with the old rule beside today's.

``python -m thetahat_replications.edges`` runs every table and writes one page for each into
``docs/results/edges``. A module of this package that has a function ``list_rows`` is a table (a
``TableModule``), and its name is the name of the page. The other modules hold what tables share.
"""
