"""Columns that nobody gave a role, or that somebody called insensitive: what they look like, and what was said of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.columns.suggestion.evidence import ColumnLook, LooksLike
from anonscope.errors import ColumnNotFound, ColumnsWithoutRole, ended, shown

Word = Literal["insensitive", "acknowledged"]
# So many columns of a kind are named in a line; reports have a table of all, and who is asked for a word reads of which.
_NAMED = 5
_ASKED = 100
_LIKE: dict[LooksLike, tuple[str, str]] = {
    "direct identifier": ("looks like a direct identifier", "look like direct identifiers"),
    "record number": ("only numbers the records", "only number the records"),
    "quasi-identifier": ("looks like a quasi-identifier", "look like quasi-identifiers"),
    "sensitive": ("looks sensitive", "look sensitive"),
    "household": ("looks like the id of a household", "look like ids of households"),
    "weight": ("looks like a survey weight", "look like survey weights"),
    "unknown": ("cannot be told", "cannot be told"),
    "insensitive": ("says nothing about anybody", "say nothing about anybody"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnassignedColumn:
    """A column that is in no measurement: what it looks like and why, and the word of a person about it, with its reason."""

    column: str
    looks_like: LooksLike
    reason: str
    word: Word | None = None
    said: str | None = None
    seen: str = ""  # the kind of its values, where these were looked at
    key: bool = False  # nearly every record has a value of its own
    unseen: bool = False  # its values could not be looked at: a reason for all the rest says nothing of them
    own: bool = False  # nearly every record has a text of its own that may tell who somebody is: the same goes for such
    person: bool = False  # it looks like the id of a person who has several records, and nobody named another

    @property
    def identifies(self) -> bool:
        """Whether it looks like a direct identifier, and nobody said by its name that it is none."""
        return self.looks_like == "direct identifier" and self.word != "insensitive"

    @property
    def uncertain(self) -> bool:
        """Whether somebody must answer for it, though it does not look like a direct identifier."""
        return self.looks_like not in ("direct identifier", "insensitive") and self.word != "insensitive"

    @property
    def unanswered(self) -> bool:
        """Whether a release needs a word about it that nobody has said."""
        return self.identifies or (self.uncertain and self.word is None)

    @property
    def needless(self) -> bool:
        """Whether it only numbers the records, and nobody said that it is wanted: a release that is searched for leaves it out."""
        return self.looks_like == "record number" and self.word is None

    def to_dict(self) -> dict[str, str | None]:
        """Return the column as plain data."""
        return {
            "column": self.column,
            "looks_like": self.looks_like,
            "why": self.reason,
            "seen": self.seen or None,
            "word": self.word,
            "reason": self.said,
        }


def looked_at(columns: Sequence[str], roles: Roles) -> tuple[str, ...]:
    """Return the columns that are in no measurement: those without a role, and those that were called insensitive."""
    return tuple(column for column in columns if column not in roles.assigned or column in roles.insensitive)


def with_words(
    looks: Iterable[ColumnLook], roles: Roles, acknowledged: Acknowledgements, columns: Sequence[str]
) -> tuple[UnassignedColumn, ...]:
    """Return columns as they look, with what was said of them."""
    for column in acknowledged.columns:
        if column not in columns:
            raise ColumnNotFound(column, columns)
    return tuple(_with_word(look, roles, acknowledged) for look in looks)


def _with_word(look: ColumnLook, roles: Roles, acknowledged: Acknowledgements) -> UnassignedColumn:
    known: dict[str, Any] = {"column": look.column, "reason": look.reason, "person": look.person and roles.person is None}
    known |= {"seen": look.seen, "key": look.key, "unseen": look.unseen, "own": look.own}
    if look.column in roles.insensitive:
        return UnassignedColumn(**known, looks_like=look.looks_like, word="insensitive")
    said = acknowledged.of(look.column)
    # Nobody can answer for everything at once that looks like a name; what says nothing needs no answer.
    of_all = look.looks_like not in ("direct identifier", "insensitive") and not look.unseen and not look.own
    spoken = said is not None and (look.column in acknowledged.columns or of_all)
    return UnassignedColumn(**known, looks_like=look.looks_like, word="acknowledged" if spoken else None, said=said if spoken else None)


def sentences(columns: Sequence[UnassignedColumn], *, options: bool = False) -> tuple[str, ...]:
    """Return what a reader of a verdict must know of these columns; with the options of the command line if that is wanted."""
    found = []
    without = [c for c in columns if c.word != "insensitive" and c.looks_like != "insensitive"]
    if without:
        have = "1 column has no role and is" if len(without) == 1 else f"{len(without):,} columns have no role and are"
        found.append(f"{have} in no measurement: {_named(without)}. {_wanted(without, options=options)}")
    if spoken := [c for c in columns if c.word == "insensitive" and c.looks_like == "direct identifier"]:
        found.append(f"Said to be insensitive: {_named(spoken)}.")
    return tuple(found)


def uncounted_sentence(columns: Sequence[UnassignedColumn]) -> str:
    """Return what stands beside the headline where an outsider may know more than was counted; nothing if no column looks like it."""
    known = [c for c in columns if c.unanswered and c.looks_like == "quasi-identifier"]
    what = "it is" if len(known) == 1 else "they are"
    return f"Not counted, because nobody said what {what}: {_named(known)}." if known else ""


def _wanted(columns: Sequence[UnassignedColumn], *, options: bool) -> str:
    """Return what somebody must say before a release, in one sentence."""
    direct, none, rest, person = (" (-d)", " (-i)", ' (--acknowledge-rest "REASON")', " (-p)") if options else ("", "", "", "")
    if any(c.identifies and c.person for c in columns):
        named = ", ".join(shown(c.column) for c in columns if c.identifies and c.person)
        others = f" Every other is a direct identifier{direct}, or none." if sum(c.identifies for c in columns) > 1 else ""
        return (
            f"Nothing is released until somebody says that people are to be counted by {named}{person}, or that it is no id{none}.{others}"
        )
    if any(c.identifies for c in columns):
        return f"Nothing is released until somebody says that it is a direct identifier{direct}, and drops it, or that it is none{none}."
    if any(c.unanswered and c.own for c in columns):
        named = ", ".join(shown(c.column) for c in columns if c.unanswered and c.own)
        drop, reason = (" (-d)", " (--acknowledge COLUMN=REASON)") if options else ("", "")
        return (
            f"Give each a role, or call it insensitive{none}. Nearly every record has a text of its own in {named}, which may tell who "
            f"somebody is: drop it{drop}, or say by its name why it may be released{reason}."
        )
    if any(c.unanswered for c in columns):
        return f"Give each a role, call it insensitive{none}, or say why it may be released as it is{rest}."
    reasons = list(dict.fromkeys(str(c.said) for c in columns))
    return f"Acknowledged: {ended(reasons[0])}" if len(reasons) == 1 else f"All are acknowledged, for {len(reasons)} reasons."


def left_out(columns: Sequence[UnassignedColumn]) -> tuple[str, ...]:
    """Return the columns that a release leaves out unasked."""
    return tuple(c.column for c in columns if c.needless)


def left_out_note(columns: Sequence[str]) -> list[str]:
    """Return what to say of columns that were left out; nothing if none was."""
    if not columns:
        return []
    named = ", ".join(shown(column) for column in columns)
    only = "only numbers the records and was" if len(columns) == 1 else "only number the records and were"
    return [f"{named} {only} left out of the release. To keep a column, say that it is insensitive (-i COLUMN)."]


def released_as_they_are(columns: Sequence[UnassignedColumn]) -> list[str]:
    """Return the line that names columns of a release of which nobody said anything; none if there are none."""
    silent = [c for c in columns if c.word is None and c.looks_like != "insensitive"]
    return [f"Without a role, not measured, and released as they are: {_named(silent)}."] if silent else []


def check_answered(columns: Sequence[UnassignedColumn], *, steps: bool = False) -> None:
    """Raise unless every column that needs a word of a person has one; what is raised says which words do.

    Where `steps` of a recipe make the release, a step is what drops or changes a direct identifier.
    """
    identifiers = [c for c in columns if c.identifies]
    unseen = [c for c in columns if c.unanswered and c.unseen and not c.identifies]
    own = [c for c in columns if c.unanswered and c.own and not c.identifies and not c.unseen]
    others = [c for c in columns if c.unanswered and not c.identifies and not c.unseen and not c.own]
    if not identifiers and not others and not unseen and not own:
        return
    told = [f"Withheld, and nothing was written: nobody said what {_counted(len(identifiers) + len(others) + len(unseen) + len(own))}."]
    person = next((c.column for c in identifiers if c.person and not steps), None)
    for c in identifiers[:_NAMED]:
        also = " An acknowledgement is not enough." if c.word == "acknowledged" else ""
        told.append(f"Column {shown(c.column)} looks like a direct identifier ({_within(c.reason)}).{also}")
    if len(identifiers) > _NAMED:
        told.append(f"So do {len(identifiers) - _NAMED:,} more.")
    if person is not None:
        told.append(
            f"One person seems to have several records: say that people are to be counted by {shown(person)} (-p COLUMN, person), "
            "or that it is no id of a person (-i COLUMN, insensitive)."
        )
    if steps and identifiers:
        told.append(
            "Add a step to the recipe that leaves nothing of it (drop_column, pseudonymise), name it as a quasi-identifier "
            "(-q COLUMN), so that it is measured, or say that it is none (-i COLUMN, insensitive)."
        )
    elif any(c.column != person for c in identifiers):
        told.append("Say that it is one, and it is dropped (-d COLUMN, direct_identifiers), or that it is none (-i COLUMN, insensitive).")
    if unseen:
        told.append(
            f"Without a role, and not to be looked into: {_named(unseen, limit=_ASKED)}. Drop each (-d COLUMN), say that it is insensitive "
            "(-i COLUMN), or why it, by itself, may be released as it is (--acknowledge COLUMN=REASON; --acknowledge-rest is not enough)."
        )
    if own:
        told.append(
            f"Without a role, and with a text of its own in nearly every record, which may tell who somebody is: "
            f"{_named(own, limit=_ASKED)}. Drop each (-d COLUMN), say that it is insensitive (-i COLUMN), or why it, by itself, may be "
            "released as it is (--acknowledge COLUMN=REASON; --acknowledge-rest is not enough)."
        )
    if others:
        told.append(
            f"Without a role: {_named(others, limit=_ASKED)}. Give each a role, say that it is insensitive (-i COLUMN), or why it "
            "may be released as it is (--acknowledge COLUMN=REASON; for all of them --acknowledge-rest REASON)."
        )
    raise ColumnsWithoutRole(
        " ".join(told),
        [c.column for c in (*identifiers, *unseen, *own)],
        [c.column for c in others],
        person,
        steps=steps,
        quasi_identifiers=[c.column for c in others if c.looks_like == "quasi-identifier"],
        sensitive=[c.column for c in others if c.looks_like == "sensitive"],
    )


def _counted(number: int) -> str:
    return "1 column is" if number == 1 else f"{number:,} columns are"


def _within(reason: str) -> str:
    """Return a sentence as a part of another."""
    return reason.rstrip(".")


def _named(columns: Sequence[UnassignedColumn], limit: int = _NAMED) -> str:
    """Return columns by what they look like, the riskiest kinds first; the first few by name.

    Of what cannot be told it is said what was seen, so that who answers for it knows for what; keys of records come first of these.
    """
    parts: list[str] = []
    for like, (one, several) in _LIKE.items():
        alike = [c for c in columns if c.looks_like == like]
        if like == "unknown":
            kinds = sorted({(not c.key, c.seen) for c in alike})
            told = [([c.column for c in alike if c.seen == seen], f"{one} ({seen})" if seen else one) for _, seen in kinds]
            keys = sum(not other for other, _ in kinds)
            parts = [*(_some(names, said, limit) for names, said in told[:keys]), *parts]
            parts += [_some(names, said, limit) for names, said in told[keys:]]
        elif alike:
            parts.append(_some([c.column for c in alike], one if len(alike) == 1 else several, limit))
    return "; ".join(parts)


def _some(names: Sequence[str], said: str, limit: int) -> str:
    listed = ", ".join(shown(name) for name in names[:limit]) + (f" and {len(names) - limit:,} more" if len(names) > limit else "")
    return f"{listed} {said}"
