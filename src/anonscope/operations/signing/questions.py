"""What only people know about a release: the questions, the file that asks them, and the answers. Nothing is ever filled in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

from anonscope.errors import OptionError, shown
from anonscope.io.toml_file import TomlFile, read_toml
from anonscope.risk.policy.law import laws

SCHEMA = "anonscope/answers/1"
NOT_STATED = "not stated"
Kind = Literal["text", "list", "date", "share"]
MODELS = ("open", "agreement", "secure environment", "inside")
STATUSES = ("personal data", "not identifiable for this recipient")
HARMS = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Question:
    """One question: the key of its answer, what is asked, the section of the dossier, and which words answer it if these are known."""

    key: str
    asks: str
    section: int
    kind: Kind = "text"
    choices: tuple[str, ...] = ()


QUESTIONS = (
    Question("custodian", "Who answers for the table: office and name.", 1),
    Question("dataset_version", "Which version of the table this is, as its custodian calls it.", 1),
    Question("purpose", "What the release is for.", 2),
    Question("necessity", "Why that needs these data, and no fewer or coarser ones.", 2),
    Question("release_model", "How it is released.", 2, choices=MODELS),
    Question("rules", "The texts that are relied on, by name.", 3, "list"),
    Question("cost_and_time", "What identifying somebody would cost, and how long it would take.", 3),
    Question("technology", "Which technology is available for it now.", 3),
    Question("foreseeable", "Which technology can be foreseen until the next review.", 3),
    Question("threshold_reason", "Why this policy and its limits, and no others.", 6),
    Question("measures", "Organisational measures: agreements, access, training, deletion.", 10, "list"),
    Question("residual_risk", "Who accepts the risk that is left, and why.", 10),
    Question("other_releases", "Other known releases about these people; write 'none known' if somebody looked.", 11, "list"),
    Question("conditions", "Under which conditions the release may be used.", 12, "list"),
    Question("review_date", "When all of this is looked at again.", 12, "date"),
)
# What may be said of several: recipients, attackers, signatories.
GROUPS: dict[str, tuple[Question, ...]] = {
    "recipients": (
        Question("name", "Who receives it; 'anybody' for an open release.", 2),
        Question("kind", "What they are, and what they want it for.", 2),
        Question("means", "What else they hold or can lawfully obtain that could tell who somebody is.", 3),
        Question("agreement", "The agreement that binds them.", 2),
        Question("status", "What the release is for this recipient, as whoever signs sees it.", 3, choices=STATUSES),
        Question("reason", "Why.", 3),
    ),
    "attackers": (
        Question("name", "A scenario of the roles ('default' for all quasi-identifiers), or a name of its own.", 5),
        Question("who", "Who that is, and what moves them.", 5),
        Question("recipient", "The recipient whom they are, or are near to.", 5),
        Question("likelihood", "How likely an attempt is, from 0 to 1.", 5, "share"),
        Question("likelihood_reason", "Why.", 5),
        Question("harm", "The harm to somebody who is found.", 5, choices=HARMS),
        Question("harm_reason", "Which harm.", 5),
    ),
    "signatories": (
        Question("name", "Who signs.", 12),
        Question("function", "As what: custodian, data protection officer, expert.", 12),
    ),
}
Answer = str | float | date | tuple[str, ...]
Entry = Mapping[str, Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOffAnswers:
    """What people said; what nobody said is not in it."""

    said: Mapping[str, Answer] = field(default_factory=dict)
    recipients: tuple[Entry, ...] = ()
    attackers: tuple[Entry, ...] = ()
    signatories: tuple[Entry, ...] = ()

    def of(self, key: str) -> Answer | None:
        """Return an answer; None where nobody gave one."""
        return self.said.get(key)

    def attacker(self, name: str) -> Entry:
        """Return what was said of an attacker."""
        return next((entry for entry in self.attackers if entry.get("name") == name), {})

    @property
    def open_questions(self) -> tuple[str, ...]:
        """The questions that nobody answered, by key."""
        found = [question.key for question in QUESTIONS if question.key not in self.said]
        for group, questions in GROUPS.items():
            entries: tuple[Entry, ...] = getattr(self, group)
            # The file that asks has the attackers' names in it already: by a name alone nobody said anything of them.
            if not entries or (group == "attackers" and all(entry.keys() <= {"name"} for entry in entries)):
                found.append(group)
                continue
            for entry in entries:
                optional = ("recipient",) if group == "attackers" else ()
                lacking = (q.key for q in questions if q.key not in entry and q.key not in optional)
                found += [f"{group} {entry['name']}: {key}" for key in lacking]
        return tuple(found)

    def only(self, recipients: Sequence[str]) -> tuple[Entry, ...]:
        """Return the recipients that somebody asked for, all of them if nobody did; raise where one is not known."""
        known = [str(entry["name"]) for entry in self.recipients]
        for name in recipients:
            check_recipient(name, known)
        return tuple(entry for entry in self.recipients if not recipients or entry["name"] in recipients)


def check_recipient(name: str, known: Sequence[str]) -> None:
    """Raise if the answers say nothing of a recipient."""
    if name not in known:
        told = f"They name {', '.join(map(shown, known))}." if known else "They name none: write [[recipients]] with a name."
        raise OptionError(f"The answers know no recipient {shown(name)}. {told}")


def load_answers(path: str | Path) -> SignOffAnswers:
    """Return the answers of a file."""
    return answers_of(read_toml(Path(path), OptionError))


def parse_answers(text: str, name: str = "the answers") -> SignOffAnswers:
    """Return the answers of a document."""
    return answers_of(TomlFile(text, name, OptionError))


def answers_of(document: TomlFile) -> SignOffAnswers:
    """Return the answers that a document has; an empty text is none."""
    content = document.described_by(SCHEMA)
    groups = {name: _entries(document, name, content.pop(name, [])) for name in GROUPS}
    known = {question.key: question for question in QUESTIONS}
    said: dict[str, Answer] = {}
    for key, value in content.items():
        if key not in known:
            raise document.fail(f"no such question; there are {', '.join((*known, *GROUPS))}", key)
        answer = _answer(document, known[key], value, key)
        said |= {key: answer} if answer is not None else {}
    recipients = [str(entry["name"]) for entry in groups["recipients"]]
    for entry in groups["attackers"]:
        if "recipient" in entry:
            check_recipient(str(entry["recipient"]), recipients)
    return SignOffAnswers(said=said, **groups)


def _entries(document: TomlFile, group: str, given: Any) -> tuple[Entry, ...]:
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise document.fail(f"must be tables; write [[{group}]]", group)
    known = {question.key: question for question in GROUPS[group]}
    found: list[dict[str, Answer]] = []
    for i, entry in enumerate(given):
        for key in entry:
            if key not in known:
                raise document.fail(f"no such question; there are {', '.join(known)}", f"{group}.{key}", entry=i)
        answers = {key: _answer(document, known[key], value, f"{group}.{key}", i) for key, value in entry.items()}
        made = {key: answer for key, answer in answers.items() if answer is not None}
        if not made:
            continue
        if "name" not in made:
            raise document.fail("must be said first", f"{group}.name", entry=i)
        if made["name"] in [other["name"] for other in found]:
            raise document.fail("stands there twice", f"{group}.name", entry=i)
        found.append(made)
    return tuple(found)


def _answer(document: TomlFile, question: Question, value: Any, key: str, entry: int | None = None) -> Answer | None:
    if value in ("", []):
        return None
    if question.kind == "date":
        # Whoever fills in between the quotes that stand there has said it as well.
        said = _date(value) if isinstance(value, str) else value
        if type(said) is not date:
            raise document.fail("must be a date, such as 2027-06-30", key, entry=entry)
        return said
    if question.kind == "share":
        value = _number(value) if isinstance(value, str) else value
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise document.fail("must be a number from 0 to 1", key, entry=entry)
        return float(value)
    if question.kind == "list":
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise document.fail('must be a list of texts, such as ["a", "b"]', key, entry=entry)
        return tuple(value)
    if not isinstance(value, str) or not value.strip():
        raise document.fail("must be text", key, entry=entry)
    if question.choices and value not in question.choices:
        raise document.fail(f"must be one of {', '.join(question.choices)}", key, entry=entry)
    return value


def questions_text(scenarios: Sequence[str] = ("default",)) -> str:
    """Return the file that asks what only people know; the attackers of the roles stand in it by name."""
    lines = [
        f'schema = "{SCHEMA}"',
        "# What only people know about a release. What stays empty is shown as not stated; nothing is ever filled in.",
    ]
    for question in QUESTIONS:
        lines += ["", *_asked(question)]
    for group, questions in GROUPS.items():
        for i, name in enumerate(scenarios if group == "attackers" else ("",)):
            lines += ["", f"[[{group}]]" + (" # repeat for each" if i == 0 else "")]
            for question in questions:
                lines += _asked(question, name if question.key == "name" else "")
    return "\n".join(lines) + "\n"


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _asked(question: Question, filled: str = "") -> list[str]:
    choices = f" One of: {', '.join(question.choices)}." if question.choices else ""
    if question.key == "rules":
        choices = f" There are: {', '.join(law.name for law in laws())}."
    form = {"list": "[]", "date": '""', "share": '""', "text": f'"{_escaped(filled)}"'}[question.kind]
    hint = {"date": " A date without quotes: 2027-06-30.", "share": " A number without quotes: 0.3."}.get(question.kind, "")
    return [f"# {question.asks}{choices}{hint}", f"{question.key} = {form}"]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
