"""The syntactic models: worked examples, what rivals get wrong, statuses, and joined sensitive attributes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

import anonscope as an
from reference.syntactic import MODELS
from support.explained import opened
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def of(result: an.Audit, metric: str) -> dict[str | None, Any]:
    """Return value or status by variant."""
    return {m.variant: m.value if m.status == "measured" else m.status for m in result.select(metric)}


def one_class(audit: Run, ill: list[str]) -> an.Audit:
    return audit(sex=["F"] * len(ill), ill=ill, quasi_identifiers=["sex"], sensitive=["ill"])


@pytest.mark.parametrize("distinct", [2, 3, 5, 6, 7, 10, 47])
def test_equally_frequent_values_are_worth_their_number(audit: Run, distinct: int) -> None:
    """2 to the power of log2 3 may be 2.9999999999999996; its floor is 3 all the same."""
    found = of(one_class(audit, [f"v{i}" for i in range(distinct)] * 3), "entropy_l_diversity")

    assert found[None] == pytest.approx(distinct)
    assert found["floor"] == distinct


@pytest.mark.parametrize(
    ("counts", "own", "two"),
    [((8, 1, 1), 8, 4), ((4, 3, 2, 1), 4, 4 / 6), ((5, 5), 1, 1), ((7,), "unbounded", "unbounded"), ((3, 2, 2), 1.5, 0.75)],
)
def test_the_commonest_value_is_the_first_of_the_ranking(audit: Run, counts: tuple[int, ...], own: float | str, two: float | str) -> None:
    """Counts 8, 1, 1 with l = 3 need c above 8; ranking them upwards would give 1."""
    found = of(one_class(audit, [f"v{i}" for i, n in enumerate(counts) for _ in range(n)]), "recursive_c_l_diversity")

    assert found == {name: x if isinstance(x, str) else pytest.approx(x) for name, x in ((None, own), ("l = 2", two))}


def test_the_worst_class_decides_recursive_diversity(audit: Run) -> None:
    """l is that of the poorest class; in the other one the tail is longer for it."""
    result = audit(zip=["a"] * 6 + ["b"] * 9, ill=list("xxyyzz") + list("xxxxxyzuv"), quasi_identifiers=["zip"], sensitive=["ill"])

    # Class b has 5, 1, 1, 1, 1: with l = 3 the tail is 3.
    assert of(result, "recursive_c_l_diversity") == {None: pytest.approx(5 / 3), "l = 2": pytest.approx(5 / 4)}


def test_beta_looks_at_gains_in_proportion(audit: Run) -> None:
    """From 2 of 10 to 2 of 5 is a gain of 1, from 8 of 10 to all is one of a quarter, but above -ln 0.8."""
    result = audit(zip=["a"] * 5 + ["b"] * 5, ill=list("xxyyy") + list("yyyyy"), quasi_identifiers=["zip"], sensitive=["ill"])

    assert of(result, "basic_beta_likeness") == {None: pytest.approx(1)}
    assert of(result, "enhanced_beta_likeness") == {None: "unbounded"}


def test_delta_counts_values_that_become_rarer(audit: Run) -> None:
    """x goes from 3/8 to 1/4 in one class and to 1/2 in the other; the fall is the larger step."""
    result = audit(zip=list("aaaabbbb"), ill=list("xyyyxxyy"), quasi_identifiers=["zip"], sensitive=["ill"])

    assert of(result, "delta_disclosure") == {None: pytest.approx(0.5850, abs=5e-5), "strict": pytest.approx(0.5850, abs=5e-5)}


def test_a_value_that_a_class_lacks_makes_strict_delta_unbounded(audit: Run) -> None:
    """Its probability has fallen to nothing; the values that are there still have a number."""
    result = audit(zip=list("aabb"), ill=list("xyxx"), quasi_identifiers=["zip"], sensitive=["ill"])

    assert of(result, "delta_disclosure") == {None: 1, "strict": "unbounded"}
    assert result.select("delta_disclosure", variant="strict")[0].reason == "a value is missing from some group"


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_a_rule_about_something_unbounded_fails_and_says_so(audit: Run, tmp_path: Any, form: str) -> None:
    """Unbounded is worse than any limit, and no number stands in for it."""
    path = tmp_path / "own.toml"
    header = 'schema = "anonscope/policy/1"\nname = "own"\ntitle = "t"\nversion = "1"\norigin = "o"\n'
    path.write_text(header + '[[rules]]\nmetric = "enhanced_beta_likeness"\nmaximum = 1000000\n', encoding="utf-8")
    result = audit(zip=list("ab"), ill=list("xy"), quasi_identifiers=["zip"], sensitive=["ill"], policy=path)
    (rule,) = result.verdict.rules

    assert (rule.status, rule.value, rule.failing) == ("fail", None, 1)
    assert result.verdict.outcome == "withhold"
    assert result.verdict.attacks["inference"] == "fails"
    assert "unbounded" in result.render(form)


@law
@given(table=tables(sensitive=1))
def test_models_that_say_the_same_agree(table: Table) -> None:
    """Entropy l never exceeds l, its inverse is its risk, alpha is the best guess, and strict delta implies the other."""
    result = audited(table)
    for scenario, _ in table.attackers:
        for sensitive in table.sensitive:

            def found(metric: str, variant: str | None = None, here: tuple[str, str] = (scenario, sensitive)) -> Any:
                chosen = [m for m in result.select(metric, scenario=here[0], sensitive=here[1]) if m.attributes is None]
                return next(m for m in chosen if variant in (None, m.variant)).value

            assert found("entropy_l_diversity", "floor") <= found("entropy_l_diversity") + 1e-9 <= found("l_diversity") + 2e-9
            assert found("entropy_l_diversity") * found("entropy_l_diversity_risk") == pytest.approx(1)
            assert found("alpha_k_anonymity") == pytest.approx(found("posterior"))
            if (strict := found("delta_disclosure", "strict")) is not None:
                assert strict == found("delta_disclosure")
            if (enhanced := found("enhanced_beta_likeness")) is not None:
                assert enhanced == found("basic_beta_likeness")


def with_joined(table: Table) -> an.Audit:
    with opened(table) as data:
        return an.audit(data, joined=True)


@law
@given(table=tables(sensitive=2))
def test_joined_is_as_if_the_others_were_quasi_identifiers(table: Table) -> None:
    """Whoever knows all other sensitive values sees the classes that these make; everything else is measured as before."""
    result = with_joined(table)
    without = [(m.metric, m.scenario, m.attributes, m.sensitive, m.variant, m.status) for m in audited(table).measurements]
    assert [
        (m.metric, m.scenario, m.attributes, m.sensitive, m.variant, m.status) for m in result.measurements if m.level != "joined"
    ] == without
    for name, known in table.attackers:
        for sensitive in table.sensitive:
            others = tuple(other for other in table.sensitive if other != sensitive)
            alone = audited(
                replace(
                    table,
                    quasi_identifiers=(*known, *others),
                    sensitive=(sensitive,),
                    scenarios=(),
                    distance=tuple(pair for pair in table.distance if pair[0] == sensitive),
                )
            )
            for metric in ("l_diversity", "t_closeness", "correlation", "itpr", "mutual_information", *MODELS):
                expected = [m for m in alone.select(metric, sensitive=sensitive) if m.attributes is None]
                found = result.select(metric, sensitive=sensitive, scenario=name, level="joined")
                assert [(m.variant, m.status) for m in found] == [(m.variant, m.status) for m in expected]
                for a, b in zip(found, expected, strict=True):
                    for statistic in ("value", "max"):
                        x, y = a.statistic(statistic), b.statistic(statistic)
                        assert x == (None if y is None else pytest.approx(y, abs=1e-9))


def test_joined_is_judged() -> None:
    """Nobody is certain of the disease by sex, but everybody who knows the drug is."""
    columns = {"sex": list("FFFF"), "ill": list("aabb"), "drug": list("xxyy")}
    with an.read(pa.table(columns), quasi_identifiers=["sex"], sensitive=["ill", "drug"]) as data:
        alone, joined = an.audit(data, policy="pipeline"), an.audit(data, policy="pipeline", joined=True)

    rules = [next(r for r in result.verdict.rules if r.rule.metric == "l_diversity") for result in (alone, joined)]
    assert [(r.status, r.value) for r in rules] == [("pass", 2), ("fail", 1)]
    assert "the other sensitive attributes known" in joined.render("text")


def test_with_one_sensitive_attribute_there_is_nothing_to_join() -> None:
    """The request changes nothing."""
    table = Table((("sex", ("F", "M")), ("ill", ("a", "b"))), ("sex",), ("ill",))

    assert with_joined(table).measurements == audited(table).measurements
