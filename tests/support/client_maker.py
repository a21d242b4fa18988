"""Writes a Python client from an OpenAPI document, as a stranger's generator does: it knows the document and nothing else.

One function an operation, called by its `operationId`; parameters and properties of bodies are its arguments, those that are required
without a default. What is sent and what comes back is held against the schemas of the document by jsonschema, so that a document which
promises something else than the server does is found out.
"""

import json
import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

_HEAD = '''"""Made from the OpenAPI document of {title} {version}."""

import json

import httpx
import jsonschema

_COMPONENTS = json.loads({components!r})
_UNSET = object()


class Client:
    def __init__(self, base, token):
        self._http = httpx.Client(base_url=base, headers={{"Authorization": f"Bearer {{token}}"}}, timeout=120)

    def close(self):
        self._http.close()

    def _ask(self, method, path, answers, query=(), body=None, schema=None, files=None):
        if schema is not None:
            jsonschema.Draft202012Validator({{**schema, "components": _COMPONENTS}}).validate(body)
        answer = self._http.request(
            method, path, params=[(k, v) for k, v in query if v is not _UNSET], files=files,
            data=body if files else None, json=body if schema is not None and not files else None,
        )
        kind = answer.headers.get("content-type", "").partition(";")[0]
        assert str(answer.status_code) in answers, (answer.status_code, answer.text)
        known = answers[str(answer.status_code)]
        assert kind in known or not known, (path, kind, list(known))
        if kind != "application/json" or known[kind].get("format") == "binary":
            return answer.content
        found = answer.json()
        jsonschema.Draft202012Validator({{**known[kind], "components": _COMPONENTS}}).validate(found)
        return found
'''
_FUNCTION = '''
    def {name}(self{arguments}):
        """{words}"""
        {body}return self._ask({method!r}, f{path!r}, {answers!r}, {rest})
'''


def client_of(document: Mapping[str, Any]) -> str:
    """Return the source of a client."""
    about = document["info"]
    found = _HEAD.format(title=about["title"], version=about["version"], components=json.dumps(document["components"]))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found += _function(path, method, operation, document)
    return found


def _function(path: str, method: str, operation: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    parameters = operation.get("parameters", ())
    needed = [_named(name) for name in re.findall(r"\{(\w+)\}", path)]
    assert set(needed) == {_named(one["name"]) for one in parameters if one["in"] == "path"}, path
    query = [one["name"] for one in parameters if one["in"] == "query"]
    content = operation.get("requestBody", {}).get("content", {})
    lines, rest, wished = "", f"query=[{', '.join(f'({name!r}, {_named(name)})' for name in query)}]", []
    if "application/json" in content:
        schema = content["application/json"]["schema"]
        properties = dict(_properties(schema, document))
        wished = [(name, required) for name, (_, required) in properties.items()]
        given = ", ".join(f"{name!r}: {_named(name)}" for name in properties)
        lines = f"body = {{k: v for k, v in {{{given}}}.items() if v is not _UNSET}}\n        "
        rest += f", body=body, schema={schema!r}"
    elif "multipart/form-data" in content:
        fields = [name for name in content["multipart/form-data"]["schema"]["properties"] if name != "file"]
        wished = [("file", True), *((name, False) for name in fields)]
        given = ", ".join(f"{name!r}: {_named(name)}" for name in fields)
        lines = f"body = {{k: v for k, v in {{{given}}}.items() if v is not _UNSET}}\n        "
        rest += ", body=body, files={'file': file}"
    arguments = [*needed, "*"] if query or wished else needed
    arguments += [_named(name) for name, required in wished if required]
    arguments += [f"{_named(name)}=_UNSET" for name, required in wished if not required] + [f"{_named(name)}=_UNSET" for name in query]
    told = {
        code: {kind: part.get("schema", {}) for kind, part in answer.get("content", {}).items()}
        for code, answer in operation["responses"].items()
        if code.startswith("2")
    }
    return _FUNCTION.format(
        name=_named(operation["operationId"]),
        arguments="".join(f", {one}" for one in arguments),
        words=operation.get("description", operation["summary"]).replace('"""', ""),
        body=lines,
        method=method.upper(),
        path=path,
        answers=told,
        rest=rest,
    )


def _properties(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, bool]]]:
    """Yield the properties of a body, each with its schema and whether it must be given."""
    for part in (schema, *schema.get("anyOf", ()), *schema.get("allOf", ())):
        whole = document["components"]["schemas"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
        for name, one in whole.get("properties", {}).items():
            yield name, (one, name in whole.get("required", ()))


def _named(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name
