"""The twelve tables of roles_unseen: floors for what docs/suggest.md publishes, and what is left when the names are gone."""

from pathlib import Path

import pytest

from benchmarks.roles import NAMES, Score, line, scores


@pytest.fixture(scope="module")
def folder(data_folder):
    found = data_folder / "roles_unseen"
    if not found.is_dir():
        pytest.skip("roles_unseen is not in ANONSCOPE_DATA")
    return found


@pytest.fixture(scope="module")
def pools(folder) -> dict[str, Score]:
    return scores(folder)


def test_roles(pools):
    """What the goals ask of tables kept apart, and at least that here."""
    found = pools["all"]

    assert found.share("hit D", "all D") >= 0.97
    assert found.counts["false D"] <= 0.01 * found.counts["columns"]
    assert found.share("hit P", "all P") >= 0.95
    assert found.share("hit Q", "all Q") >= 0.95
    assert found.precision >= 0.80
    assert found.share("strict S", "all S") >= 0.85


def test_meaning_in_every_language(pools):
    """Recognised for at least eight columns in ten."""
    assert {
        language: round(score.share("known", "columns"), 2) for language, score in pools.items() if score.share("known", "columns") < 0.8
    } == {}


def test_confidence(pools):
    """Sure is right in 98 of 100, fairly sure in 85."""
    assert pools["all"].share("right high", "sure high") >= 0.98
    assert pools["all"].share("right medium", "sure medium") >= 0.85


def test_without_names_less_is_known_and_nothing_is_sure(folder, pools):
    """Columns called c1, c2, ...: quasi-identifiers are still proposed as a precaution, persons are not found, few meanings are known."""
    found = scores(folder, named=False)["all"]

    assert found.share("hit Q", "all Q") >= 0.85
    assert found.precision < pools["all"].precision
    assert found.share("known", "columns") < 0.4
    assert found.counts["sure high"] < 0.5 * pools["all"].counts["sure high"]


def test_codebooks_are_worth_what_is_said(folder, pools):
    """Without them the goals for quasi-identifiers still hold."""
    found = scores(folder, without=["codebooks"])["all"]

    assert found.share("hit Q", "all Q") >= 0.95
    assert found.precision >= 0.80
    assert found.share("known", "columns") >= 0.8
    assert found.share("known", "columns") < pools["all"].share("known", "columns")


LANGUAGES = {"all": "all", "en": "English", "es": "Spanish", "de": "German", "fr": "French", "nl": "Dutch"}
PAGE = Path(__file__).parents[3] / "docs" / "commands" / "suggest.md"


def test_the_page_publishes_what_is_measured(folder, pools):
    """By language, by role, by confidence, without codebooks and without names, and every miss by its name."""
    page = PAGE.read_text(encoding="utf-8")
    found = pools["all"]
    told = [line(LANGUAGES[pool], score) for pool, score in pools.items()]
    told += [_without_count(line("without codebooks", scores(folder, without=["codebooks"])["all"]))]
    told += [_without_count(line("all that values tell", scores(folder, named=False)["all"]))]
    for role in "DPQSHW":
        shares = " | ".join(f"{found.share(f'{part} {role}', f'all {role}'):.2f}" for part in ("hit", "strict", "meant"))
        told.append(f"| {NAMES[role]} | {found.counts[f'all {role}']} | {shares} |")

    assert [row for row in told if row not in page] == []
    assert [miss for miss in found.misses if f"`{miss.partition(':')[0].partition('.')[2]}`" not in page] == []


def _without_count(row: str) -> str:
    """Return a row without how many columns there are."""
    title, _, rest = row.removeprefix("| ").partition(" | ")
    return f"| {title} | {rest.partition(' | ')[2]}"
