"""The twelve tables of roles_unseen: floors for what docs/suggest.md publishes, and what is left when the names are gone."""

import pytest

from benchmarks.roles import Score, scores


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
