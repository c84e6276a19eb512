"""Published results computed again: presets of the job kind ``study``.

Layout
------
``presets/<name>/``
    One package for each preset; its name is the name that a request sends as ``preset``. A preset
    whose figures and tables are shared with others is a single module, ``presets/<name>.py``.
    ``preset.py`` has the parameters with the source's values, what one repetition draws, and what
    it computes. ``tables.py`` turns the records of all repetitions into statistics, tables and
    figures. ``claims.py`` has the sentences of the source as rows of data (``ClaimRow``).
``importance/``, ``lectures/``, ``multiple_sources/``
    What the presets of one source share.
``batches/``, ``loops/``
    Fast computation on very many small data sets, and its compiled loops.

How a preset is found
---------------------
``thetahat_replications.presets`` collects the attribute ``PRESET`` of each of its packages and
modules into ``PRESETS``. The entry point group ``thetahat.presets`` in ``pyproject.toml`` names
that registry, and ``thetahat.analyses.studies.presets.collect_presets()`` reads the group. Another
installed package can offer presets in the same way.

How to add a preset
-------------------
Write a package ``presets/<name>/`` with ``PRESET`` in its ``__init__.py``, and a test in
``tests/replications/presets/test_<name>.py``. ``docs/studies.md`` describes the interface.
"""
