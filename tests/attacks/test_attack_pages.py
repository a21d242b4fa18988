"""Every attack has a page that says what the registry says, with a worked example that is run."""

import re

import pytest

import anonscope as an
from support.documentation import DOCS, blocks, prose, text_of

HEADINGS = ("How to read it", "Try it", "What it misses", "Definition and source", "Edge cases")


@pytest.mark.parametrize("info", an.ATTACKS.values(), ids=str)
def test_every_attack_has_a_page_that_agrees_with_the_registry(info):
    """Title, question, knowledge and source; every variant is named; and an example is run with the other pages'."""
    page = f"attacks/{info.name}.md"

    assert text_of(page).startswith(f"# {info.title}\n\n**{info.question}**\n")
    assert f"What the attacker knows: {info.knowledge} Source: {info.source}." in prose(page)
    for heading in HEADINGS:
        assert f"\n## {heading}\n" in text_of(page)
    if info.name != "unicity":
        assert [variant for variant in info.variants if variant not in text_of(page)] == []
    assert [title for _, title, _ in blocks(DOCS / page)].count("output") == 1


@pytest.mark.parametrize("info", an.ATTACKS.values(), ids=str)
def test_the_list_of_attacks_is_complete(info):
    """The overview has a row for every attack."""
    row = f"| [{info.title}]({info.name}.md) | {info.question} | {info.attack} | {', '.join(info.variants)} |"

    assert row in text_of("attacks/index.md")


def test_the_file_of_attackers_on_the_page_can_be_read(tmp_path):
    """It shows every key but the one that needs another file, and the table lists them all."""
    ((title, content),) = [(title, content) for _, title, content in blocks(DOCS / "attacks/index.md") if title.endswith(".toml")]
    (tmp_path / title).write_text(content, encoding="utf-8")
    (attacker,) = an.load_attackers(tmp_path / title)

    assert (attacker.within, attacker.wrong, attacker.known, attacker.attempt) == ({"age": 2}, {"zip": 0.1}, 0.5, 0.2)
    for key in ("name", "columns", "within", "wrong", "known", "attempt", "prior"):
        assert re.search(rf"^\| `{key}` \|", text_of("attacks/index.md"), re.MULTILINE)


@pytest.mark.parametrize("name", ["synthetic", "research-attacked"])
def test_the_pages_of_presets_show_their_rules_about_attacks(name):
    """Label, attack, variant and limit of each."""
    from anonscope.risk.policy import load

    for rule in load(name).attack_rules:
        (row,) = [line for line in text_of(f"risk/policies/{name}.md").splitlines() if line.startswith(f"| {rule.label} |")]
        assert f"(../../attacks/{rule.attack}.md), {rule.variant or 'every variant'} | {rule.limit_text} |" in row
