"""A name that was called sensitive, or a weight that nobody else has, tells who somebody is: one rule for every verb."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import IdentifierGiven
from anonscope.risk.policy import from_limits
from anonscope.transform.steps import Round

FIRST = ("Anna", "David", "Maria", "Peter", "Laura", "Thomas", "Emma", "Michael")
LAST = ("Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Evans", "Meyer")
RECORDS = 64
TABLE = pa.table(
    {
        "age": [20 + i % 2 for i in range(RECORDS)],
        "contact": [f"{FIRST[i % 8]}.{LAST[i // 8]}@example.org".lower() for i in range(RECORDS)],
        "ill": [("flu", "asthma", "none", "gout")[i // 2 % 4] for i in range(RECORDS)],
        "w": [1 + i / 997 for i in range(RECORDS)],
        "rounded": [float(1 + i % 4) for i in range(RECORDS)],
    }
)
LIMITS = {"k_anonymity": 5}
POLICY = from_limits(LIMITS)
CONTACT = {"quasi_identifiers": ["age"], "sensitive": ["ill", "contact"]}
WEIGHT = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "weight": "w"}
COLUMNS = {"contact": ["age", "ill", "contact"], "w": ["age", "ill", "w"]}


def opened(column, **words):
    return an.read(TABLE.select(COLUMNS[column]), **(CONTACT if column == "contact" else WEIGHT), **words)


@pytest.mark.parametrize("column", COLUMNS)
def test_every_verb_withholds_it_until_somebody_says_why(column, tmp_path):
    """`audit`, `apply`, `explore`, `compare` and `plan` did not look at such columns, and a weight of one's own was a note."""
    with opened(column) as data:
        audit = an.audit(data, POLICY)
        assert audit.verdict.outcome == "withhold"
        assert [c.column for c in audit.verdict.telling] == [column]
        assert f"Given as sensitive or as the weight, {column} tells who somebody is" in audit.render()
        assert any(f"'{column}'" in warning and "tells who somebody is" in warning for warning in audit.warnings)
        assert an.explore(data, limits=LIMITS).verdict.outcome == "withhold"
        with pytest.raises(IdentifierGiven, match=column):
            an.anonymise(data, limits=LIMITS)
        with pytest.raises(IdentifierGiven, match=column):
            an.apply(Round(column="age", to=50), data).save(tmp_path / "release.csv")
    with opened(column, acknowledge={column: "the recipient has it"}) as data:
        assert an.audit(data, POLICY).verdict.outcome == "release with acknowledgement"
        assert an.explore(data, limits=LIMITS).verdict.outcome == "release with acknowledgement"
        made = an.anonymise(data, limits=LIMITS)
        assert made.met
        made.write(tmp_path / "release.csv")
    assert an.verify(tmp_path / "release.csv").holds


def test_what_is_called_a_name_is_one_whatever_its_letters():
    """Invented names, which no list has, were released as a secret with "The policy is met". Of drugs a word is enough."""
    names = [f"{'Zqx' * (1 + i % 3)} {chr(65 + i % 26)}{'wvu' * (1 + i % 4)}{i}" for i in range(RECORDS)]
    for column, doubtful in (("name", [False]), ("drug_name", [True])):
        with an.read(pa.table({"age": TABLE["age"], column: names}), quasi_identifiers=["age"], sensitive=[column]) as data:
            assert [c.doubtful for c in an.audit(data, POLICY).verdict.telling] == doubtful


def test_one_word_for_all_the_rest_is_none_about_it():
    with opened("w", acknowledge_rest="a reason") as data:
        assert an.audit(data, POLICY).verdict.outcome == "withhold"


def test_a_weight_that_others_share_needs_no_word(tmp_path):
    with an.read(TABLE.select(["age", "ill", "rounded"]), quasi_identifiers=["age"], sensitive=["ill"], weight="rounded") as data:
        assert an.audit(data, POLICY).verdict.outcome == "release"
    # A recipe that rounds it is as good.
    with opened("w") as data:
        assert an.apply(Round(column="w", to=1), data).save(tmp_path / "release.csv").exists()


def test_who_shares_a_weight_with_the_own_household_only_has_one_of_their_own():
    homes = [i // 2 for i in range(RECORDS)]
    table = pa.table({"age": TABLE["age"], "home": homes, "w": [1 + home / 997 for home in homes]})
    for unit in ("household", "person"):
        with an.read(table, quasi_identifiers=["age"], weight="w", **{unit: "home"}) as data:
            (found,) = an.audit(data, POLICY).verdict.telling
        assert (
            found.reason
            == f"32 of 32 {'households' if unit == 'household' else 'people'} have a weight of their own, and whoever knows it finds them"
        )
