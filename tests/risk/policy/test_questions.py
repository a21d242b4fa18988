"""Three answers about a release choose a policy that exists."""

import pytest

from anonscope.risk.policy import DEFAULT, preset_names
from anonscope.risk.policy.questions import QUESTIONS, contexts, policy_for


@pytest.mark.parametrize(
    ("answers", "policy"),
    [
        (("public", "much", "europe"), "scorr"),
        (("public", "much", "canada"), "public-strict"),
        (("public", "little", "canada"), "public-medium"),
        (("public", "much", "clinical"), "ema-0070"),
        (("public", "little", "statistics"), "output-10"),
        (("agreement", "much", "europe"), "scorr"),
        (("agreement", "little", "europe"), "research-shared"),
        (("inside", "much", "europe"), "trusted-internal"),
        (("inside", "little", "hipaa"), "hipaa-safe-harbor"),
    ],
)
def test_answers_choose_the_policy_of_their_jurisdiction(answers, policy):
    """Who reads, what it could harm and whose rules hold decide together."""
    assert policy_for(*answers) == policy


def test_the_usual_case_is_answered_already():
    """Whoever changes no answer is judged by the same policy as on the command line."""
    usual = [question.answers[0].name for question in QUESTIONS]
    assert len(QUESTIONS) == 3
    assert policy_for(*usual) == DEFAULT == contexts()[0]["policy"]


def test_every_set_of_answers_has_a_policy_that_exists():
    """No combination leads nowhere."""
    found = contexts()
    assert len(found) == 3 * 2 * 5
    assert {context["policy"] for context in found} <= set(preset_names())
