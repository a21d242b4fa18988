"""What a planned release asks `anonymise` for, by the names that Python and REST know; read from its command, so that the two agree."""

import shlex
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, get_args

from anonscope.operations.wishes.policy import Excepting
from anonscope.operations.wishes.search import Anonymising
from anonscope.operations.wishes.words import AskedWish, wishes_of


def asks(command: str) -> dict[str, Any]:
    """Return the keywords of `an.anonymise` for a command of a plan; where it says REASON, a person has to say something."""
    known = _options()
    found: dict[str, Any] = {}
    words = shlex.split(command)
    for option, value in pairwise(words):
        if option not in known:
            continue
        asked = known[option]
        if asked.named:
            name, text = asked.words.split(value) if asked.words.split else _split(value)
            found.setdefault(asked.name, {})[name] = _read(text, get_args(asked.plain)[1])
        elif asked.many:
            found.setdefault(asked.name, []).append(value)
        elif asked.plain is bool:
            found[asked.name] = True
        else:
            found[asked.name] = _read(value, asked.plain)
    return found


def _options() -> Mapping[str, AskedWish]:
    wishes = (*wishes_of(Anonymising), *wishes_of(Excepting))
    return {flag: asked for asked in wishes for flag in asked.words.flags or (f"--{asked.name.replace('_', '-')}",)}


def _split(text: str) -> tuple[str, str]:
    name, _, value = text.rpartition("=")
    return name, value


def _read(text: str, kind: Any) -> Any:
    kinds = (kind, *get_args(kind))
    if int in kinds:
        low, dash, high = text.partition("-")
        return (int(low), int(high)) if dash else int(low)
    return float(text) if float in kinds else text
