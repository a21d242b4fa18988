"""`only` and `for_policy`: what is asked for is measured as ever, all else is said not to be, and no rule about that is met."""

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import OptionError
from anonscope.risk.measuring.selection import NOT_ASKED
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import load
from anonscope.risk.policy.policy import preset_names

NAMES, SENSITIVE = ("a", "b", "c"), ("s", "n")
RECORDS = [(i % 5, "xyz"[i * i % 3], "uv"[i % 7 % 2] if i % 11 else "", "pqr"[i * i % 7 % 3], i * i % 10, i // 3) for i in range(120)]


def parts(m):
    """Return what a measurement is about, and last its numbers, which parallel sums may leave a hair apart."""
    numbers = {name: getattr(m, name) for name in ("value", "min", "mean", "max", "sum") if getattr(m, name) is not None}
    return m.scenario, m.attributes, m.sensitive, m.variant, m.level, m.count, m.status, m.reason, numbers


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("only") / "table.csv"
    path.write_text("\n".join(",".join(map(str, r)) for r in [("a", "b", "c", "s", "n", "p"), *RECORDS]) + "\n")
    return path


@pytest.fixture(scope="module", params=[None, "p"], ids=["records", "events"])
def roles(request):
    return {"quasi_identifiers": list(NAMES), "sensitive": list(SENSITIVE), "person": request.param}


@pytest.fixture(scope="module")
def whole(table, roles):
    return an.audit(table, pairs=True, **roles)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_alone_is_measured_as_among_all(table, roles, whole, name):
    """Every measurement of the metric is the one of a whole audit; of every other metric it is said that nobody asked for it."""
    with an.read(table, **roles) as data:
        alone = an.audit(data, only=[name], pairs=True)
    found, among_all = ([m for m in audit.measurements if m.metric == name] for audit in (alone, whole))
    assert [(*m[:-1], pytest.approx(m[-1], rel=1e-12, abs=1e-12)) for m in map(parts, found)] == [parts(m) for m in among_all]
    assert {(m.metric, m.status, m.reason) for m in alone.measurements if m.metric != name} == {
        (other, "not measured", NOT_ASKED) for other in METRICS if other != name
    }
    assert alone.only == {name}
    assert any(METRICS[name].title in warning for warning in alone.warnings)
    assert all(NOT_ASKED in alone.render(form) for form in ("json", "markdown"))


@pytest.mark.parametrize("name", preset_names())
def test_the_verdict_for_a_policy_is_that_of_a_whole_audit(table, name):
    """With `for_policy`, every preset says the same, rule by rule, of fewer measurements."""
    with an.read(table, quasi_identifiers=NAMES, sensitive=SENSITIVE) as data:
        found, among_all = (an.audit(data, name, for_policy=soon).verdict for soon in (True, False))
    assert (found.outcome, found.attacks, found.set_aside) == (among_all.outcome, among_all.attacks, among_all.set_aside)
    told = [(r.rule, r.status, r.risk, r.failing, r.measured, r.reason, r.unattainable) for r in found.rules]
    assert told == [(r.rule, r.status, r.risk, r.failing, r.measured, r.reason, r.unattainable) for r in among_all.rules]
    assert [r.value for r in found.rules] == [r.value if r.value is None else pytest.approx(r.value, rel=1e-12) for r in among_all.rules]


def test_what_was_not_asked_for_withholds(table):
    """A rule about a metric that nobody asked for is not measured, whatever the table is like."""
    policy = load("pipeline")
    found = an.audit(table, policy, quasi_identifiers=["b"], sensitive=["s"], only=["k_anonymity"])
    assert {result.rule.metric: result.status for result in found.verdict.rules} == {
        rule.metric: "pass" if rule.metric == "k_anonymity" else "not measured" for rule in policy.rules
    }
    assert not found.verdict.met
    assert found.verdict.attacks["inference"] == "not measured"


def test_both_together_measure_both(table):
    """`only` beside `for_policy` adds to what the policy judges."""
    found = an.audit(table, "pipeline", quasi_identifiers=["b"], sensitive=["s"], only=["posterior"], for_policy=True)
    assert found.only == {"posterior", *(rule.metric for rule in load("pipeline").rules)}


def test_k_alone_reads_no_sensitive_attribute(table):
    """What nothing measured looks at is not counted: no statement makes cells, codes of a sensitive attribute or tables of attributes."""
    with an.read(table, quasi_identifiers=["a", "b"], sensitive=["s"]) as data:
        found = an.audit(data, only=["k_anonymity"])
    made = {statement.name for statement in found.statements}
    assert {"record", "class"} <= made
    assert not made & {"cell", "value", "attribute_cell", "attribute_class"}
    assert found.missing == {}  # a and b have all their values


def test_missing_values_are_counted_all_the_same(table):
    """How many values are missing is known where nothing is counted by attribute."""
    found = an.audit(table, quasi_identifiers=["c"], only=["k_anonymity"])
    assert found.missing == an.audit(table, quasi_identifiers=["c"]).missing
    assert found.missing["c"] > 0


def test_reasons_records_and_plan_measure_the_rest(table):
    """What rests on all metrics is worked out from all of them."""
    with an.read(table, quasi_identifiers=["a", "b"], sensitive=["s"]) as data:
        some = an.audit(data, only=["k_anonymity"])
        assert some.why().blame == an.audit(data).why().blame
        assert some.records(3).num_rows == 3
        assert some.plan().policy.name == "scorr"
    with pytest.raises(OptionError, match="rest on everything"):
        an.audit(table, quasi_identifiers=["a"], only=["k_anonymity"], explain=True)


@pytest.mark.parametrize(("only", "said"), [(["k_anonimity"], "Did you mean 'k_anonymity'"), ([","], "no metric is named")])
def test_a_name_that_is_none_is_refused(table, only, said):
    """Before anything is read."""
    with pytest.raises(OptionError, match=said):
        an.audit(table, quasi_identifiers=["a"], only=only)


def test_at_the_prompt(table):
    """Commas part the names, and a first screen comes without a plan."""
    ran = CliRunner().invoke(
        app, ["audit", str(table), "-q", "a", "-q", "b", "-s", "s", "--only", "k_anonymity,l_diversity", "--format", "json"]
    )
    assert ran.exit_code == 1, ran.output
    assert '"it was not asked for"' in ran.output
    for_policy = CliRunner().invoke(app, ["audit", str(table), "-q", "b", "-s", "s", "--policy", "pipeline", "--for-policy", "-i", "a"])
    assert "k-anonymity" in for_policy.output.lower()
    assert isinstance(CliRunner().invoke(app, ["audit", str(table), "-q", "a", "--only", "nothing"]).exception, OptionError)
