"""The official conformance suite, in the scenarios that apply to a server of documentation.

Not run: the scenarios that call tools, resources and prompts of their own, which a server must
provide for the suite (`tools-call-*`, `resources-read-*`, `prompts-get-*`, `input-required-*` and
the like), and those for extensions and features that this server does not offer (tasks, sampling,
elicitation, logging, completion, subscriptions, event streams).
"""

import json

import pytest
from conftest import run_node

SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
MODERN, LEGACY = "2026-07-28", "2025-11-25"

# Checks of `server-stateless` that need a diagnostic tool of the suite: `test_missing_capability`,
# `test_streaming_elicitation` or `test_logging_tool`.
NEED_FIXTURES = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}


@pytest.mark.parametrize(
    ("revision", "scenario"),
    [
        (MODERN, "server-stateless"),
        (MODERN, "dns-rebinding-protection"),
        (MODERN, "http-header-validation"),
        (MODERN, "sep-2164-resource-not-found"),
        (MODERN, "tools-list"),
        (MODERN, "resources-list"),
        (MODERN, "prompts-list"),
        (MODERN, "caching"),
        (LEGACY, "server-initialize"),
        (LEGACY, "server-session-lifecycle"),
        (LEGACY, "ping"),
        (LEGACY, "tools-list"),
        (LEGACY, "resources-list"),
        (LEGACY, "prompts-list"),
        (LEGACY, "dns-rebinding-protection"),
    ],
)
def test_scenario(url, revision, scenario, tmp_path):
    options = ["--url", url, "--scenario", scenario, "--spec-version", revision]
    run_node(SUITE, "server", *options, "--output-dir", tmp_path)
    [written] = tmp_path.rglob("checks.json")
    checks = json.loads(written.read_text())
    assert checks
    failed = {check["id"]: check.get("errorMessage") for check in checks if not passed(check)}
    needed = NEED_FIXTURES if scenario == "server-stateless" else set()
    assert set(failed) == needed, failed
    for check in needed:
        assert failed[check].startswith("Not testable: server does not list the diagnostic tool")


def passed(check):
    return check["status"] in ("SUCCESS", "INFO", "SKIPPED")
