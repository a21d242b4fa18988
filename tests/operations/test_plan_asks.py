"""What a plan asks for can be handed to Python as it is: the same release as by its command."""

import pytest

import anonscope as an
from anonscope.operations.planning.asks import asks


@pytest.fixture(scope="module")
def people():
    import pyarrow as pa

    return pa.table(
        {
            "age": [20 + i * 7 % 45 for i in range(300)],
            "zip": [f"0{1000 + i * 13 % 40}" for i in range(300)],
            "ill": ["abc"[i * i % 3] for i in range(300)],
        }
    )


def test_the_keywords_of_a_plan_make_its_release(people):
    """Loss and smallest class come true, for all that it offers."""
    with an.read(people, quasi_identifiers=["age", "zip"], sensitive=["ill"]) as data:
        plan = an.plan(data, limits={"k_anonymity": 5})
        assert plan.releases
        for release in plan.releases:
            made = an.anonymise(data, **release.asks)
            assert made.met and made.loss == pytest.approx(release.loss, abs=1e-9)
            assert made.after["k_anonymity"].value == release.smallest_class


def test_every_option_of_a_plan_is_read_by_its_own_kind():
    """Names with an equals sign in them, exceptions with limits, ranges of levels; what is said of the table itself is left alone."""
    command = (
        "anonscope anonymise 'a b.csv' -q age -d name --policy scorr --limit k_anonymity=5 --level 'a=b=2' --level age=1-3 "
        "--except 'correlation:income<=0.78=REASON' --suppression 0.1 --method local --untouched sex --untouched zip -o release.csv"
    )
    assert asks(command) == {
        "policy": "scorr",
        "limits": {"k_anonymity": 5.0},
        "levels": {"a=b": 2, "age": (1, 3)},
        "exceptions": {"correlation:income<=0.78": "REASON"},
        "suppression": 0.1,
        "method": "local",
        "untouched": ["sex", "zip"],
    }
