"""What a plan and an anonymisation say is so: no sentence contradicts another, and printed commands do what stands beside them."""

import random
from pathlib import Path

import pytest

import anonscope as an
from anonscope.risk.policy.limits import from_limits
from anonscope.transform.search.steps import Steps


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 people of whom three in four are poor."""
    draw = random.Random(23)
    rows = ["age,zip,sex,wealth"]
    rows += [f"{draw.randint(20, 79)},{draw.randint(100, 139)},{draw.choice('mf')},{'low' if i % 4 else 'high'}" for i in range(400)]
    file = tmp_path_factory.mktemp("people") / "people.csv"
    file.write_text("\n".join([*rows, ""]))
    return file


ROLES = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["wealth"]}
EASED = {"correlation:wealth<=0.9": "everybody knows who is poor"}


@pytest.mark.parametrize("form", ["text", "html", "markdown"])
def test_a_plan_that_needs_an_exception_never_says_that_the_policy_can_be_met(people: Path, form: str) -> None:
    """It says what the release meets, and except what."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        plan = an.plan(data, "scorr", exceptions=EASED)
    assert plan.best is not None and not plan.best.verdict.met
    said = plan.render(form)  # type: ignore[arg-type]
    assert "can be met" not in said
    assert "Each meets the policy" not in said
    assert "meets SCORR except correlation about wealth" in said


def test_no_method_meets_a_policy_that_is_not_met(people: Path) -> None:
    """With an exception it keeps the eased limits, and no more is claimed."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        found = an.anonymise(data, "scorr", exceptions=EASED).to_dict()
        plain = an.anonymise(data, limits={"k_anonymity": 3}).to_dict()
    assert found["met"] is False and found["methods"]
    assert not any(one["met"] for one in found["methods"])
    assert any(one["keeps_limits"] for one in found["methods"])
    assert plain["met"] is True and any(one["met"] for one in plain["methods"])


class _Cut(Steps):
    """A search that the clock ends at the first question."""

    @property
    def over(self) -> bool:
        self.late = True
        return True


def test_a_plan_that_was_cut_by_time_says_at_most_and_its_command_searches_further(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed has no steps and no method, and loses no more than was said."""
    monkeypatch.setattr("anonscope.operations.planning.solving.Steps", _Cut)
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        plan = an.audit(data, from_limits({"k_anonymity": 3})).plan(methods=("mondrian",))
        found = an.anonymise(data, limits={"k_anonymity": 3})
    best = plan.best
    assert best is not None and best.at_most
    assert "--steps" not in best.command and "--method" not in best.command
    assert "at most" in best.words
    assert "this command searches further" in " ".join(plan.render("text").split())
    assert found.losses["ncp"] <= best.loss + 1e-9
