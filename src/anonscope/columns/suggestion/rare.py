"""Identifiers that only a few records have: addresses and numbers that reach somebody, and names among other values."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonscope.columns.as_seen import SUSPECT, made_plain
from anonscope.columns.suggestion.by_values import IdentifierForm, form_within, names_among, names_beside
from anonscope.columns.suggestion.formats import first_names
from anonscope.columns.suggestion.sampled import Sample
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.statements import FEW
from anonscope.io.sources.unreadable import unreadable

# What reaches somebody and only few records have: typed tables of more records are looked at by their sample alone.
_MOST_RECORDS = 100_000
_CANDIDATES = 20
# Of more values in letters that may only seem to be others, the rest is looked at as written.
_DISGUISED = 5_000
# One statement about all columns is planned in the square of their number.
_ASKED_AT_ONCE = 48
# What cheaply rules out nearly every value, and the form itself, wider than what it is judged by.
_FORMS = (
    ("CONTAINS({v}, '@')", r"[^\s@]@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}"),
    ("LENGTH({v}) BETWEEN 15 AND 42 AND {v} = UPPER({v})", r"\b[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){2,7}( ?[A-Z0-9]{1,3})?\b"),
    ("CONTAINS({v}, '-') AND {v} LIKE '%-__-____%'", r"(^|[^\d-])\d{3}-\d{2}-\d{4}($|[^\d-])"),
    ("CONTAINS({v}, '+')", r"(^|[^\w+])\+\d[\d ()./-]{7,18}\d($|\W)"),
)
# The same of texts: telephone numbers without a plus, and listed first names with a word that may be a family name.
_SPOKEN = (
    (
        "REGEXP_MATCHES({v}, '[0-9]')",
        r"((^|[^\w.,+/-])(\(0[1-9]\d{0,3}\) ?|0[1-9]\d{0,3}[ /-])(\d{5,8}|\d{2,4}([ -]\d{2,5}){2,4}|\d{3,4}[ -]\d{3,5})"
        r"|(^|[^\w-])\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}"
        r"|(?i:tel|phone|telefon|telefono|call|mobile?|mob|cell|handy|fax|whatsapp|sms|rufnummer)\b[^\d\n+(]{0,12}\(?\d[\d ()./-]{5,18}\d)",
    ),
    (
        "CONTAINS({v}, ' ')",
        r"((?i:^(FIRST) ([\p{L}.-]+ )?[\p{L}-]+$)|(?i:^[\p{L}-]+, ?(FIRST)$)|(^|[^\p{L}])(CAPITAL) +\p{Lu}[\p{L}-]+)",
    ),
)
_WORDED = ("category", "free text")
_MOST_SPOKEN = 100
# First and family name, looked for among codes, numbers and days.
_NAMED = r"^\p{Lu}[\p{L}-]+,? (\p{Lu}[\p{L}.-]* )?\p{Lu}[\p{L}-]+$"
_WORDLESS = ("code", "integer", "continuous", "date")


def _has_blank(text: str) -> bool:
    return " " in text


def _has_digit(text: str) -> bool:
    return any(letter.isdecimal() for letter in text)


def _has_first_name(text: str) -> bool:
    """Whether a listed first name may be a word of a text, in whatever case and with whatever accents."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter)).casefold()
    words = "".join(letter if letter.isalpha() else " " for letter in bare).split()
    return not first_names().isdisjoint(words)


# What a value must have that any of the first forms can be found in, one by one.
_MAY_BE: tuple[Callable[[str], bool], ...] = (
    lambda text: "@" in text,
    _has_digit,
    lambda text: "-" in text,
    lambda text: "+" in text,
)


def rarely_held(
    sample: Sample, columns: Sequence[str], kinds: Mapping[str, str], *, known: Mapping[str, Sequence[str]]
) -> dict[str, IdentifierForm]:
    """Return which columns of text hold addresses or numbers that reach somebody, or names, in however few records; none of a large table.

    Among codes and numbers one name is enough. Their form is so plain that an engine finds them by itself, in statements that bring
    back a few candidates of each column. Where all values of a column are `known`, it is not asked about forms that none of them can have:
    an engine takes longer to get ready for a list of names than a small table to be read.
    """
    relation = sample.relation
    positions = [position for column in columns if relation.columns[position := relation.position(column)].type == "VARCHAR"]
    if not positions or (relation.stage and relation.large):
        return {}
    try:
        if not relation.stage and sample.records > _MOST_RECORDS:
            return {}
        texts_of = _in_plain_letters(
            sample, [p for p in positions if relation.names[p] not in known or relation.names[p] in sample.disguised]
        )
        asked = [
            (p, question)
            for p in positions
            for question in _questions(texts_of.get(p, f"c{p}"), kinds.get(relation.names[p], ""), known.get(relation.names[p]))
        ]
        if not asked:
            return {}
        # Most columns have no value that any form can be in, and an engine takes longer to get ready for the forms than to see that.
        may = [whether for part in _batched(asked) for whether in sample.engine.rows(f"SELECT {_possible(part)} FROM {sample.origin}")[0]]
        asked = [question for question, whether in zip(asked, may, strict=True) if whether]
        found = [value for part in _batched(asked) for value in sample.engine.rows(f"SELECT {_candidates(part)} FROM {sample.origin}")[0]]
    except UnreadableLine as error:
        raise unreadable(relation, error) from None
    held: dict[tuple[int, Callable[[Sequence[str]], IdentifierForm | None]], set[str]] = {}
    for (position, question), values in zip(asked, found, strict=True):
        held.setdefault((position, question.judge), set()).update(values or ())
    forms: dict[str, IdentifierForm] = {}
    for (position, judge), texts in held.items():
        if relation.names[position] not in forms and (form := judge(sorted(texts))) is not None:
            forms[relation.names[position]] = form
    return forms


def _in_plain_letters(sample: Sample, positions: Sequence[int]) -> dict[int, str]:
    """Return the SQL of the columns in which some values only seem to have the letters that are looked for, with these letters."""
    if not positions:
        return {}
    may = ", ".join(f"BOOL_OR(REGEXP_MATCHES(c{p}, '{SUSPECT}')) AS v{p}" for p in positions)
    (whether,) = sample.engine.rows(f"SELECT {may} FROM {sample.origin}")
    found: dict[int, str] = {}
    for p in (p for p, some in zip(positions, whether, strict=True) if some):
        rows = sample.engine.rows(f"SELECT DISTINCT c{p} FROM {sample.origin} WHERE REGEXP_MATCHES(c{p}, '{SUSPECT}') LIMIT {_DISGUISED}")
        if pairs := {text: plain for (text,) in rows if (plain := made_plain(text)) != text}:
            # More than are compared one by one: those stand in the statement, which somebody may print.
            pairs |= {f"\0{i}": "" for i in range(FEW)}
            found[p] = f"COALESCE({sample.engine.lookup(f'disguised_{p}', f'c{p}', pairs)}, c{p})"
    return found


@dataclass(frozen=True, slots=True)
class _Question:
    """Whether values of a column have a form: what they must have for it, what it is and of which text, and what judges what is found."""

    judge: Callable[[Sequence[str]], IdentifierForm | None]
    when: str
    text: str
    form: str
    most: int = _CANDIDATES


def _possible(asked: Sequence[tuple[int, _Question]]) -> str:
    """Return the columns of a statement that say whether any value has what a form needs."""
    return ", ".join(f"BOOL_OR({question.when}) AS v{i}" for i, (_, question) in enumerate(asked))


def _candidates(asked: Sequence[tuple[int, _Question]]) -> str:
    """Return the columns of a statement that bring back a few candidates of each form."""
    # No more than what has the form: the text around it may be of any length. Only CASE spares values the search for it.
    return ", ".join(
        f"MIN(DISTINCT CASE WHEN {q.when} THEN NULLIF(REGEXP_EXTRACT({q.text}, '{q.form}'), '') END, {q.most}) AS v{i}"
        for i, (_, q) in enumerate(asked)
    )


def _batched(asked: Sequence[tuple[int, _Question]]) -> Iterator[Sequence[tuple[int, _Question]]]:
    """Yield as many questions as are asked at once."""
    return (asked[i : i + _ASKED_AT_ONCE] for i in range(0, len(asked), _ASKED_AT_ONCE))


def _questions(value: str, kind: str, known: Sequence[str] | None) -> Iterator[_Question]:
    """Yield what is asked about a column of a kind, so that identifiers within it are found."""

    def possible(of: Callable[[str], bool]) -> bool:
        return known is None or any(map(of, known))

    for (when, form), may_be in zip(_FORMS, _MAY_BE, strict=True):
        if possible(may_be):
            yield _Question(form_within, when.format(v=value), value, form)
    if kind in _WORDLESS and possible(_has_blank):
        yield _Question(names_among, f"CONTAINS({value}, ' ')", value, _NAMED)
    if kind in _WORDED:
        first = sorted(first_names())
        judges = (form_within, names_beside)
        for judge, (when, form), may_be in zip(judges, _SPOKEN, (_has_digit, _has_first_name), strict=True):
            if possible(may_be):
                written = form.replace("FIRST", "|".join(first)).replace("CAPITAL", "|".join(map(str.capitalize, first)))
                yield _Question(judge, when.format(v=value), f"STRIP_ACCENTS({value})", written, _MOST_SPOKEN)
