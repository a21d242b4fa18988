"""What words mean: one list, for reports, the web app and the documentation."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Term:
    """A word, what it means, and the page of the documentation that says more."""

    term: str
    meaning: str
    page: str


@cache
def glossary() -> tuple[Term, ...]:
    """Return all terms, by the alphabet."""
    content = tomllib.loads(resources.files("anonscope.report").joinpath("glossary.toml").read_text(encoding="utf-8"))
    return tuple(sorted((Term(**entry) for entry in content["terms"]), key=lambda term: term.term))
