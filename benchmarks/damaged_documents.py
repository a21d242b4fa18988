"""Papers and settings that somebody may send or keep: what each looks like when it is whole, and who reads it.

The readers are those of the commands. Of a register, whose lines hold each other's hashes, half of the damaged ones have hashes that fit:
whoever makes a register can make those too.
"""

import hashlib
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import anonscope as an
from anonscope.errors import RegisterError

_CANARY = "canary-8d1f"
_QUERIES = """schema = "anonscope/queries/1"
epsilon = 1
record_is_person = true
[columns.zip]
categories = ["a", "b", "c"]
[columns.age]
lower = 0
upper = 99
[[queries]]
name = "by zip"
kind = "histogram"
by = ["zip"]
[[queries]]
name = "mean age"
kind = "mean"
column = "age"
epsilon = 0.25
"""
_DOMAIN = """schema = "anonscope/domain/1"
record_is_person = true
[columns.zip]
categories = ["a", "b", "c"]
[columns.age]
lower = 0
upper = 99
bins = 10
[columns.born]
first = 1970-01-01
last = 1999-12-31
"""
_REPOSITORY = """policy = "research-shared"
[[tables]]
source = "people.csv"
roles = "roles.toml"
"""
_CODEBOOK = f"""<?xml version="1.0"?>
<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="age"><labl>Age of the person</labl></var>
<var name="ill"><labl>{_CANARY}</labl><catgry><catValu>1</catValu><labl>yes</labl></catgry></var>
</dataDscr></codeBook>
"""
_DICTIONARY = "name,label\nage,Age\nill,Diagnosis\n"
_MADE: dict[str, bytes] = {}


def _papers() -> dict[str, bytes]:
    """Return the papers of a release that was really made, sealed, registered and put to the test."""
    import pyarrow as pa

    if _MADE:
        return _MADE
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        release = folder / "release.csv"
        table = pa.table({"age": [30, 40] * 20, "zip": ["1", "2"] * 20, "note": [_CANARY, "b", "c", "d"] * 10})
        with an.read(table, quasi_identifiers=["age", "zip"], sensitive=["note"], threads=1) as data:
            an.anonymise(data, limits={"k_anonymity": 3}).write(release)
            an.intruder_test(release, data, folder / "test", questions=3, seed=1)
        an.seal_key(folder / "officer.key")
        an.seal(release, folder / "officer.key", "officer")
        an.register_release(folder, release, population_name="town")
        an.register_budget(folder, "town", 2)
        _MADE.update({path.name: path.read_bytes() for path in (*folder.iterdir(), *(folder / "test").iterdir()) if path.is_file()})
    return _MADE


def _paper(name: str) -> Callable[[], bytes]:
    return lambda: _papers()[name]


def _outcome() -> bytes:
    """Return a form that was filled in."""
    return (
        _papers()["outcome.toml"]
        .replace(b'1 = ""', b'1 = "right"')
        .replace(b'2 = ""', b'2 = "wrong"')
        .replace(b'3 = ""', b'3 = "no claim"')
    )


def _beside(path: Path, *names: str) -> None:
    for name in names:
        if not path.with_name(name).exists():
            path.with_name(name).write_bytes(_outcome() if name == "outcome.toml" else _papers()[name])


def _with_queries(path: Path) -> None:
    from anonscope.synthesis.queries import load_queries

    load_queries(path)


def _with_domain(path: Path) -> None:
    from anonscope.synthesis.domain_file import load_domain

    load_domain(path)


def _with_answers(path: Path) -> None:
    from anonscope.operations.signing.questions import load_answers

    load_answers(path)


def _with_repository(path: Path) -> None:
    from anonscope.operations.checking.repository import read_repository

    read_repository(path)


def _with_dictionary(path: Path) -> None:
    from anonscope.columns.suggestion.dictionary import read_dictionary

    read_dictionary(path)


def _with_register(path: Path) -> None:
    found = an.register(path.parent)
    found.render("text")
    found.render("json")
    if not found.fine:
        raise RegisterError(" ".join(found.problems))


def _with_seal(path: Path) -> None:
    from anonscope.operations.signing.seal_file import differing, read_seal

    _beside(path, "release.csv", "release.csv.manifest.json")
    target = path.with_name("release.csv.manifest.json")
    list(differing(target, read_seal(target)))


def _with_test(path: Path) -> None:
    _beside(path, *({"outcome.toml", "sealed.json"} - {path.name}))
    an.judge_intruder_test(path.parent).render("text")


READERS: dict[str, Callable[[Path], None]] = {
    "queries": _with_queries,
    "domain": _with_domain,
    "answers": _with_answers,
    "repository": _with_repository,
    "codebook": _with_dictionary,
    "dictionary": _with_dictionary,
    "register": _with_register,
    "seal": _with_seal,
    "outcome": _with_test,
    "sealed": _with_test,
}
SEEDS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "queries": ("queries.toml", _QUERIES.encode),
    "domain": ("domain.toml", _DOMAIN.encode),
    "answers": ("answers.toml", lambda: an.questions_text(["default"]).encode()),
    "repository": ("anonscope.toml", _REPOSITORY.encode),
    "codebook": ("codebook.xml", _CODEBOOK.encode),
    "dictionary": ("dictionary.csv", _DICTIONARY.encode),
    "register": ("register.jsonl", _paper("register.jsonl")),
    "seal": ("release.csv.manifest.json.sig", _paper("release.csv.manifest.json.sig")),
    "outcome": ("outcome.toml", _outcome),
    "sealed": ("sealed.json", _paper("sealed.json")),
}


def rehashed(content: bytes, chance: random.Random) -> bytes:
    """Return a register whose lines fit each other again, where they still are lines of one."""
    if chance.random() < 0.5:
        return content
    previous, lines = "0" * 64, []
    try:
        for line in content.decode().split("\n")[:-1]:
            told = json.loads(line)
            text = json.dumps(told["entry"], ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
            told |= {"previous": previous, "hash": hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()}
            previous = told["hash"]
            lines.append(json.dumps(told, ensure_ascii=False) + "\n")
    except (ValueError, LookupError, TypeError, RecursionError):
        return content
    return "".join(lines).encode()
