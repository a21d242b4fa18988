"""What can be done next with what an answer names, as links of the OpenAPI document: a table that was sent, a job that was begun.

Whoever tries the interface by itself (a generated client, a tester that follows links) then asks about tables that there are.
"""

from typing import Any

_ID = "$response.body#/id"


def with_links(document: dict[str, Any], api: str) -> dict[str, Any]:
    """Return an OpenAPI document in which answers say what can be asked about them next."""
    paths = document["paths"]
    about = {place: _operations(paths, f"{api}/{place}/{{id}}") for place in ("tables", "jobs")}
    job = {operation: _link(operation) for operation in about["jobs"]}
    for methods in paths.values():
        for operation in methods.values():
            if "202" in operation["responses"]:
                operation["responses"]["202"]["links"] = job
    paths[f"{api}/tables"]["post"]["responses"]["201"]["links"] = {operation: _link(operation) for operation in about["tables"]}
    return document


def _operations(paths: dict[str, Any], start: str) -> list[str]:
    """Return the names of all operations about one thing."""
    return [
        operation["operationId"]
        for path, methods in paths.items()
        if path.startswith(start) and path.count("{id}") == 1
        for operation in methods.values()
    ]


def _link(operation: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {"id": _ID}}
