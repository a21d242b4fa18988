"""Checks as JUnit XML and as SARIF 2.1.0: what pipelines show beside a change. Columns and rules only."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from anonscope.operations.check import CheckedTable, Checks
from anonscope.operations.checking.findings import Finding
from anonscope.report.words import legible
from anonscope.version import VERSION

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "note": "note"}


def junit(found: Checks) -> str:
    """Return a suite a table and a case a rule; a case fails exactly where a rule stands in the way of exit code 0."""
    suites = ElementTree.Element("testsuites", name="anonscope")
    for table in found.tables:
        cases = table.findings or (None,)
        failures = sum(f is not None and f.level == "error" for f in cases)
        suite = ElementTree.SubElement(
            suites,
            "testsuite",
            name=legible(table.source),
            tests=str(len(cases)),
            failures=str(failures),
            errors=str(int(table.error is not None)),
        )
        for finding in cases:
            title = finding.title if finding is not None else "the table can be checked"
            case = ElementTree.SubElement(suite, "testcase", classname=f"{legible(table.source)}.{table.policy}", name=legible(title))
            if finding is None:
                ElementTree.SubElement(case, "error", type="not checked", message=legible(table.error or ""))
            elif finding.level == "error":
                ElementTree.SubElement(case, "failure", type=finding.rule, message=legible(finding.message))
            elif finding.level == "note":
                ElementTree.SubElement(case, "system-out").text = legible(finding.message)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def sarif(found: Checks) -> str:
    """Return what is in the way and what to take note of, each at the line of the roles file that names its column."""
    told = [(table, finding) for table in found.tables for finding in table.findings if finding.level != "pass"]
    rules = {finding.rule: finding for _, finding in told}
    listed = [{"id": name, "shortDescription": {"text": legible(finding.title)}} for name, finding in rules.items()]
    broken = [table for table in found.tables if table.error is not None]
    driver: dict[str, Any] = {"name": "anonscope", "version": VERSION, "rules": listed}
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "results": [_result(table, finding) for table, finding in told],
        "invocations": [
            {
                "executionSuccessful": not broken,
                "exitCode": found.exit_code,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": legible(f"{table.source}: {table.error}")}} for table in broken
                ],
            }
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _result(table: CheckedTable, finding: Finding) -> dict[str, Any]:
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.level],
        "message": {"text": legible(f"{table.source}: {finding.message}")},
        "locations": [{"physicalLocation": place} for place in _places(table, finding)],
    }


def _places(table: CheckedTable, finding: Finding) -> Iterator[dict[str, Any]]:
    """Yield where a reader of a change looks: the line of the roles that names the first column, else the file itself."""
    if table.roles is not None:
        yield {"artifactLocation": {"uri": quote(table.roles)}, "region": {"startLine": _line(Path(table.roles), finding.columns)}}
    elif "://" not in table.source:
        yield {"artifactLocation": {"uri": quote(table.source)}}


def _line(path: Path, columns: tuple[str, ...]) -> int:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return 1
    wanted = [json.dumps(column, ensure_ascii=False) for column in columns] + [f"'{column}'" for column in columns]
    return next((number for number, line in enumerate(lines, 1) if any(name in line for name in wanted)), 1)
