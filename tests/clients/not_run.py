"""The blocks and command lines of README and docs that no test runs, each with the reason."""

from __future__ import annotations

from typing import Final

PART: Final = "a part of a request, not a whole one"
OWN_SERVERS: Final = "needs the database, broker or folders of an installation"
HOURS: Final = "computes for minutes or hours"

SKIPPED_LINES: Final = {
    r"pip install ": "installs; the tests run where the package is installed",
    r"make (demo|test|serve|setup|setup-runtime)\b": "installs and starts; tests/architecture and "
    "tests/clients run what these targets run",
    r"git pull\b": "needs the repository's address",
}
"""Patterns of lines of a ``sh`` block that are left out; the other lines of the block are run."""

NOT_RUN: Final[dict[str, dict[str, str]]] = {
    "README.md": {"thetahat serve": "the service that all pages share is running already"},
    "docs/assistants.md": {
        "": "settings of another program; test_mcp_server.py starts the command"
    },
    "docs/bundles.md": {
        "": "tests/service/cli/test_verify.py and tests/service/api/test_recomputation.py run them"
    },
    "docs/ARCHITECTURE.md": {"flowchart LR": "a diagram"},
    "docs/http/errors.md": {'{"type": "/problems/invalid_parameter"': "an answer, shortened"},
    "docs/http/prepare-columns.md": {'{"name": "LogisticRegression", "prepare"': PART},
    "docs/http/protocols.md": {"": "tests/clients/test_http_pages.py runs the page as a whole"},
    "docs/http/series.md": {"": "tests/clients/test_http_pages.py runs the page as a whole"},
    "docs/http/webhooks.md": {
        "curl -s $URL/v1/webhooks": "the service would send to another host afterwards",
        "{": "what the service sends to a webhook",
    },
    "docs/log-in-provider.md": {
        "THETAHAT_OIDC": "settings; tests/service/api/test_provider_log_in.py has a provider",
        "kubectl": "needs a cluster",
        "thetahat keys create": OWN_SERVERS,
    },
    "docs/pipelines.md": {
        "school,old,new": "the first lines of a table",
        '{"gate": {': PART,
        "- uses: OWNER": "a step of GitHub Actions; tests/service/cli/test_gate_files.py runs it",
        "- repo: ADDRESS": "a hook; tests/service/cli/test_gate_files.py runs it",
        "def test_the_new_model": "tests/thetahat/analyses/losses/test_assertions.py has it",
        "thetahat gate losses.csv": "tests/service/cli/test_gate_files.py runs it with a table",
        "thetahat gate request.json": "tests/architecture/test_readme.py runs it with a table",
    },
    "docs/python-client.md": {"": "tests/clients/test_client_page.py runs them, with MLflow"},
    "docs/reports.md": {"": "needs the id of an evaluation of the reader's"},
    "docs/results/speed/before-and-after.md": {
        "python -m benchmarks.two_checkouts": "needs two checkouts of the code"
    },
    "docs/results/README.md": {"cut -d, -f3-": "needs data that are not in the repository"},
    "docs/running-on-a-cluster.md": {
        "export THETAHAT_DATABASE_URL": OWN_SERVERS,
        "thetahat keys create": "docs/tutorials/operator.md runs these commands",
        "[project.entry-points": "a part of the pyproject.toml of another package",
        "export THETAHAT_LEARNER_PACKAGES": OWN_SERVERS,
        "thetahat backup": "docs/tutorials/operator.md runs these commands",
        "rsync -a": OWN_SERVERS,
        "location / {": "settings of nginx",
    },
    "docs/running-on-kubernetes.md": {
        "": "needs a cluster; tests/architecture/test_kubernetes.py reads the commands"
    },
    "docs/studies.md": {
        '{"kind": "study", "extends"': "needs the id of an earlier study",
        "thetahat study ": HOURS,
    },
    "docs/tutorials/operator.md": {"export THETAHAT_DB_PASSWORD": "needs Docker"},
    "docs/test-sets.md": {
        '{"kind": "losses", "unit": "task", "logs"': "needs logs; docs/tutorials/"
        "language-models.md makes and sends them",
    },
}
"""By page, the beginning of the first line of a block, and why the block is not run."""
