"""The words of verdicts, levels and roles stand in Python once; the scripts of the pages have none of their own."""

import html
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

import anonscope
from anonscope.columns.roles import MEANINGS, TITLES, Roles
from anonscope.columns.suggestion.evidence import CERTAINTY, ROLES, Confidence
from anonscope.report import words
from anonscope.risk.policy.verdict import Answer, Outcome, RuleStatus
from anonscope.web.pages import certainty_words, role_words
from support.served import API, served

WEB = Path(anonscope.__file__).parent / "web"
SCRIPTS = sorted((WEB / "static").glob("*.js"))
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\]|\\.)*)`', re.DOTALL)
JUDGING = {*get_args(Outcome), *get_args(RuleStatus), *get_args(Answer), *words.TONES, *words.TONES.values(), *words.SIGNS.values()}
SAID = {*words.HEADLINES.values(), *words.WHAT_IF.values(), *words.MET.values(), *words.ATTACK_QUESTIONS.values(), *CERTAINTY.values()}
# What fields of the JSON are called is the contract's, and no word for a reader.
ROLE_NAMES = {*ROLES, *TITLES.values()} - {f.name for f in fields(Roles)}


def literals(script: Path) -> list[str]:
    """Return every text in a script, without what stands in comments; of a template, its pieces."""
    found = LITERAL.findall(COMMENT.sub("", script.read_text(encoding="utf-8")))
    return [piece.strip() for groups in found for text in groups for piece in re.split(r"\$\{[^}]*\}", text) if piece.strip()]


def repeated(text: str) -> list[str]:
    """Return the words of a text that are Python's to say: one that judges as a whole, or a sentence or the name of a role in it."""
    inside = [phrase for phrase in SAID | ROLE_NAMES if " " in phrase or "-" in phrase]
    return [text] * (text in JUDGING | SAID | ROLE_NAMES) + [phrase for phrase in inside if phrase.lower() in text.lower()]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_has_words_of_its_own(script):
    """A word that is changed in Python is changed on the page."""
    assert {text: found for text in literals(script) if (found := repeated(text))} == {}


def test_words_would_be_found():
    """The test above fails on what it is about."""
    texts = ["withhold", "▲", "mid", "Would be ready for release", "Choose a quasi-identifier", "not measured", "please look"]
    assert [text for text in texts if not repeated(text)] == []
    assert [text for text in ("sensitive", "release.csv", "tone-", "Compare") if repeated(text)] == []


def test_every_word_that_judges_has_a_colour_and_a_sign():
    """What was not measured or not assessed has none, which has a sign as well."""
    for word in {*get_args(Outcome), *get_args(RuleStatus), *get_args(Answer)}:
        assert (words.tone(word) == "none") == word.startswith("not ")
        assert words.SIGNS[words.tone(word)]
    assert set(words.HEADLINES) == set(words.WHAT_IF) == set(get_args(Outcome))
    assert set(words.MET) == set(get_args(RuleStatus))


def test_the_pages_bring_the_words():
    """Every role with its title and meaning, every confidence; and the words of a verdict."""
    assert [(role["name"], role["key"]) for role in role_words()] == [*((name, key) for key, name in TITLES.items()), ("unknown", None)]
    assert set(MEANINGS) == set(TITLES) <= {f.name for f in fields(Roles)}
    assert {key: told["words"] for key, told in certainty_words().items()} == CERTAINTY and set(CERTAINTY) == set(get_args(Confidence))
    told = {"tones": words.TONES, "signs": words.SIGNS, "headlines": words.WHAT_IF}
    with served() as server:
        client = server.browser()
        id = client.post(f"{API}/tables", files={"sample": (None, "hospital")}).json()["id"]
        shown = client.get(f"/w/{id}/repair").text
    (brought,) = re.findall(r'<script type="application/json" id="words">(.*?)</script>', shown)
    assert json.loads(html.unescape(brought)) == told


def test_levels_have_words():
    """The values themselves, what the hierarchy says, a number where it says nothing, and the end."""
    assert [words.level_words(level, 3, ("in bands",)) for level in range(4)] == ["as it is", "in bands", "level 2", "hidden"]
