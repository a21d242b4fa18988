"""Three questions about a release, and the policy that each set of answers chooses."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, as a page shows it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answers; the first is the usual case."""

    name: str
    text: str
    answers: tuple[Answer, ...]


QUESTIONS = (
    Question(
        "receiver",
        "Who will get the table?",
        (
            Answer("public", "Anybody: it is published, or passed on freely"),
            Answer("agreement", "Named people outside, under an agreement"),
            Answer("inside", "Only people inside a trusted environment"),
        ),
    ),
    Question(
        "harm",
        "How much could it harm somebody to be found in it?",
        (
            Answer("much", "Much: health, money, belief, crime and the like"),
            Answer("little", "Little: nothing that people would hide"),
        ),
    ),
    Question(
        "rules",
        "Whose rules do you follow?",
        (
            Answer("europe", "European data protection law, or none in particular"),
            Answer("clinical", "Publication of clinical trials (EMA, Health Canada)"),
            Answer("canada", "Ontario or Canada"),
            Answer("statistics", "Official statistics (United Kingdom, Australia)"),
            Answer("hipaa", "HIPAA Safe Harbor (United States)"),
        ),
    ),
)


def policy_for(receiver: str, harm: str, rules: str) -> str:
    """Return the name of the preset that fits the answers."""
    if rules == "hipaa":
        return "hipaa-safe-harbor"  # a list of what columns may hold; it asks neither who reads nor what it could harm
    if receiver == "inside":
        return "trusted-internal"
    if receiver == "agreement":
        # An agreement binds the reader, so groups of five are common practice; where harm is great, ours stays with the public rule.
        return "scorr" if harm == "much" and rules == "europe" else "research-shared"
    if rules == "canada":
        return "public-strict" if harm == "much" else "public-medium"
    return {"europe": "scorr", "clinical": "ema-0070", "statistics": "output-10"}[rules]


def contexts() -> list[dict[str, str]]:
    """Return every set of answers with its policy."""
    names = [question.name for question in QUESTIONS]
    sets = product(*([answer.name for answer in question.answers] for question in QUESTIONS))
    return [dict(zip(names, answers, strict=True)) | {"policy": policy_for(*answers)} for answers in sets]


def policy_chosen_by(answers: Mapping[str, str]) -> str | None:
    """Return the policy that answers choose; None where one is missing, or is no answer to the question."""
    return next((context["policy"] for context in contexts() if {**answers, "policy": context["policy"]} == context), None)
