"""The budget counted again: every honest ledger passes, whatever it was split into, and one that claims too much does not."""

import copy
import json
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonscope as an
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.ledger import Ledger, Loss
from anonscope.synthesis.recount import fault


def manifest(ledger: Ledger) -> dict:
    guarantee = {"holds": True, "epsilon": str(ledger.promised.epsilon), "delta": str(ledger.promised.delta)}
    return {"guarantee": guarantee, "budget": ledger.to_dict()}


@settings(max_examples=10, deadline=None)
@given(
    epsilon=st.sampled_from([Fraction(1, 100), Fraction(3, 10), Fraction(1), Fraction(10)]),
    digits=st.integers(2, 15),
    weights=st.lists(st.integers(1, 1000), min_size=1, max_size=30),
)
def test_every_honest_ledger_passes_and_no_smaller_claim_does(epsilon, digits, weights):
    """Spent whole, in whatever parts; a thousandth less of epsilon, or a tenth less of delta, is seen."""
    ledger = Ledger.concentrated(epsilon, Fraction(1, 10**digits))
    ledger.charge_all(ledger.shares({str(i): w for i, w in enumerate(weights)}).items())
    told = manifest(ledger)

    assert fault(told) is None
    for less in ({"epsilon": str(epsilon * Fraction(999, 1000))}, {"delta": str(Fraction(9, 10 ** (digits + 1)))}):
        assert "loses more" in fault({**told, "guarantee": {**told["guarantee"], **less}})


def test_sums_in_epsilon_are_counted_too():
    """Laplace noise: epsilons add up to no more than is stated."""
    ledger = Ledger.approximate(1, 0)
    ledger.charge_all([("a", Loss(Fraction(1, 3))), ("b", Loss(Fraction(2, 3)))])
    told = manifest(ledger)

    assert fault(told) is None
    assert "loses more" in fault({**told, "guarantee": {**told["guarantee"], "epsilon": "999/1000"}})
    assert fault({"guarantee": {"holds": False, "epsilon": None, "delta": None}, "budget": None}) is None
    assert "no budget" in fault({"guarantee": {"holds": True, "epsilon": "1", "delta": "0"}, "budget": None})


def changed(document: dict, *path: str, to: str) -> dict:
    found = copy.deepcopy(document)
    at = found
    for key in path[:-1]:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[path[-1]] = to
    return found


def test_verify_counts_the_budget_of_a_published_table_again(tmp_path):
    """It holds as published; a manifest whose charges or whose epsilon were changed is told."""
    pytest.importorskip("opendp")
    target = tmp_path / "made.csv"
    domain = parse_domain("[columns.sex]\ncategories = ['F', 'M']\n[columns.ward]\ncategories = ['a', 'b', 'c']\n")
    with an.read(pa.table({"sex": ["F", "M"] * 100, "ward": ["a", "b", "c", "a"] * 50})) as data:
        an.synthesise(data, domain, epsilon=1).write(target)
    told = json.loads((tmp_path / "made.csv.manifest.json").read_text(encoding="utf-8"))["synthesis"]

    assert ("budget", "holds") in {(check.what, check.status) for check in an.verify(target).checks}
    assert "do not add up" in fault(changed(told, "budget", "charges", "0", "rho", to="0"))
    assert "loses more" in fault(changed(told, "guarantee", "epsilon", to="1/2"))
