"""What the table says of a column that says nothing itself: its neighbours, the answers it shares with others, what the table is about.

Columns that share the beginning of their names and their answers are the items of a questionnaire. An unknown column whose answers,
other than yes and no, are those of several known columns is about what they are about. A weight in a table with heights or illnesses is
a body's, not a survey's.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from anonscope.columns.suggestion.clues import Clues
from anonscope.columns.suggestion.meaning import Meaning, of_concept
from anonscope.columns.suggestion.terms import concepts, plain

_FEWEST_ITEMS = 4
_MOST_ANSWERS = 12
_ALIKE = 0.6
_STEM = re.compile(r"^(.*?[a-z])[_.\- ]?(?:item|q)?(\d+[a-z]?|[a-z])(?:[_.\- ]?\w{0,3})?$")
# So many columns, and so large a share of those whose meaning is known, make a table one about health.
_HEALTH_COLUMNS = 3
_HEALTH_SHARE = 0.25
_HEALTH = ("diagnosis", "treatment", "measurement", "care_pathway", "length_of_stay", "medical_record")
_YES_OR_NO = frozenset(
    ["yes", "no", "y", "n", "0", "1", "2", "true", "false", "ja", "nein", "oui", "non", "si", "nee", "sim", "nao", "tak", "nie", "nej"]
)
# Kilograms that no body has and no survey weight passes that is scaled to one on average.
_LIGHTEST = 15
_WEIGHTS = ("weight", "wt", "wgt", "poids")
# So many columns that plainly hold what nobody should learn make it likely that one that nobody recognises does so too.
_SECRET_COLUMNS = 2
_SECRET_SHARE = 0.25
_MOST_UNKNOWN = 1 / 3
# What numbers no household: values so few, or so small that they count its members.
_FEWEST_HOUSEHOLDS = 10
_MOST_MEMBERS = 30
# What a column cannot be that only says yes or no: a place, a house, a language, a day.
_NEVER_YES_OR_NO = ("institution", "language", "small_area", "large_area", "event_date", "birth_date", "birth_year")


def in_table(clues: Sequence[Clues]) -> list[Clues]:
    """Return the clues with what the table as a whole adds to them."""
    found = _body_weights(_ages([_few_households(_doubted(clue)) for clue in clues]))
    about_health = _about_health(found)
    secrets = _holds_secrets(found)
    found = _batteries(_neighbours(found))
    return [replace(clue, health=about_health, secrets=secrets) for clue in found]


def _holds_secrets(clues: Sequence[Clues]) -> bool:
    """Whether several columns plainly hold what nobody should learn, in a table whose names are mostly understood."""
    known = [clue.meaning for clue in clues if clue.meaning is not None]
    secrets = sum(meaning.sure and meaning.concept.role == "sensitive" for meaning in known)
    return secrets >= max(_SECRET_COLUMNS, _SECRET_SHARE * len(known)) and sum(clue.unknown for clue in clues) <= _MOST_UNKNOWN * len(clues)


def _doubted(clue: Clues) -> Clues:
    """Return a column without the meaning of its name, if yes and no cannot be values of that; 0 and 1 may be codes if it is plain."""
    meaning = clue.meaning
    if meaning is None or meaning.by_values or meaning.codebook or meaning.concept.name not in _NEVER_YES_OR_NO:
        return clue
    answers = _answers(clue)
    if meaning.concept.domain == "temporal" and clue.type.kind == "category" and answers and not any(_has_digit(a) for a in answers):
        # An entry through the wrist is no day.
        return replace(clue, meaning=None)
    said = answers <= _YES_OR_NO and not (meaning.sure and any(answer.isdigit() for answer in answers))
    return replace(clue, meaning=None) if answers and said else clue


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _few_households(clue: Clues) -> Clues:
    """Return a column called after households as one of families where it has too few values, or too small ones, to number any."""
    meaning = clue.meaning
    if meaning is None or meaning.concept.role != "household" or meaning.codebook or clue.plainly:
        return clue
    counted = clue.type.numeric and clue.type.high is not None and clue.type.high <= _MOST_MEMBERS
    if not (counted or clue.profile.values < _FEWEST_HOUSEHOLDS):
        return clue
    return replace(clue, meaning=of_concept(concepts()["family"], clue.profile, by_name=meaning.by_name, by_values=False, sure=False))


def _ages(clues: list[Clues]) -> list[Clues]:
    """Take numbers that spread as ages do for ages only where no other column is called one: blood values spread so too."""
    called = any(clue.meaning is not None and clue.meaning.concept.name == "age" and clue.meaning.by_name is not None for clue in clues)
    if not called:
        return clues
    return [replace(clue, meaning=None) if clue.meaning is not None and _spread_alone(clue.meaning) else clue for clue in clues]


def _spread_alone(meaning: Meaning) -> bool:
    return meaning.concept.name == "age" and meaning.by_name is None and not meaning.by_labels


def _about_health(clues: Sequence[Clues]) -> bool:
    known = [clue.meaning.concept.name for clue in clues if clue.meaning is not None]
    health = sum(name in _HEALTH for name in known)
    return health >= max(_HEALTH_COLUMNS, _HEALTH_SHARE * len(known)) or any(_of_patients(clue) for clue in clues)


def _of_patients(clue: Clues) -> bool:
    """Whether a column says whose record it is, and calls them patients: then it is one of their health."""
    return (clue.person is not None or clue.identifier is not None) and "patient" in clue.words


def _body_weights(clues: list[Clues]) -> list[Clues]:
    """Take a plain "weight" for a body's where heights or matters of health stand beside it, or where its values are bands."""
    bodies = any(clue.meaning is not None and clue.meaning.concept.name in ("physique", "measurement") for clue in clues)
    bodies = bodies or _about_health(clues)
    changed = []
    for clue in clues:
        meaning = clue.meaning
        if meaning is not None and meaning.concept.name == "measurement" and _too_light(clue, meaning):
            about = of_concept(concepts()["survey_weight"], clue.profile, by_name=meaning.by_name, sure=False)
            changed.append(replace(clue, meaning=about))
            continue
        plainly = meaning is not None and meaning.concept.name == "survey_weight" and meaning.by_name in _WEIGHTS
        if meaning is not None and plainly and not meaning.codebook and (bodies or clue.type.kind == "ordinal"):
            about = of_concept(concepts()["measurement"], clue.profile, by_name=meaning.by_name, by_values=False, sure=False)
            changed.append(replace(clue, meaning=about))
        else:
            changed.append(clue)
    return changed


def _too_light(clue: Clues, meaning: Meaning) -> bool:
    """Whether a column called no more than a weight has values around one: nobody weighs that, and weights of surveys do."""
    named = len(clue.words) > 1 and "weight" in clue.words and " " not in (meaning.by_name or " ")
    low, high = clue.type.low, clue.type.high
    return named and clue.type.kind == "continuous" and low is not None and high is not None and 0 < low < 1 < high < _LIGHTEST


def _answers(clue: Clues) -> frozenset[str]:
    """Return the answers of a column of few, without what stands for a missing one."""
    if not 1 <= clue.profile.values <= _MOST_ANSWERS or not clue.profile.complete:
        return frozenset()
    return frozenset(plain(v.text.strip()) for v in clue.profile.telling)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and len(one & other) >= _ALIKE * min(len(one), len(other))


def _neighbours(clues: list[Clues]) -> list[Clues]:
    """Let an unknown column be about what several others with its answers are about, unless the answers are those of anything."""
    answers = [_answers(clue) for clue in clues]
    changed = []
    for clue, own in zip(clues, answers, strict=True):
        if not clue.unknown or not own - _YES_OR_NO or all(answer.replace(".", "").isdigit() for answer in own):
            changed.append(clue)
            continue
        alike = [
            other.meaning.concept.name
            for other, theirs in zip(clues, answers, strict=True)
            if other is not clue and other.meaning is not None and len(own & theirs) >= 2
        ]
        name, count = Counter(alike).most_common(1)[0] if alike else ("", 0)
        if count >= _FEWEST_ITEMS - 1 and count >= _ALIKE * len(alike):
            because = f"{count} other columns with the same answers"
            changed.append(replace(clue, meaning=of_concept(concepts()[name], clue.profile, by_table=because, sure=False)))
        else:
            changed.append(clue)
    return changed


def _batteries(clues: list[Clues]) -> list[Clues]:
    """Call unknown columns that share the beginning of their names and their answers items of a questionnaire."""
    stems: dict[str, list[Clues]] = {}
    named: Counter[str] = Counter()
    for clue in clues:
        found = _STEM.match(plain(clue.profile.name))
        if found is None:
            continue
        named[found.group(1)] += 1
        if (clue.unknown or (clue.meaning is not None and not clue.meaning.sure)) and _answers(clue):
            stems.setdefault(found.group(1), []).append(clue)
    items: set[str] = set()
    for stem, members in stems.items():
        if named[stem] == len(clues):
            # All columns are only numbered: their names say nothing.
            continue
        answers = [_answers(clue) for clue in members]
        # Items of one questionnaire have the same few answers, so that lists of answers are held against each other, not columns.
        kinds = Counter(answers)
        sharing = {own: sum(count for theirs, count in kinds.items() if _alike(own, theirs)) for own in kinds}
        alike = [clue for clue, own in zip(members, answers, strict=True) if sharing[own] > len(members) / 2]
        if len(alike) >= _FEWEST_ITEMS:
            items |= {clue.profile.name for clue in alike}
    because = "Other columns that share the beginning of its name and its answers"
    concept = concepts()["questionnaire_item"]
    return [
        replace(clue, meaning=of_concept(concept, clue.profile, by_table=because, sure=False)) if clue.profile.name in items else clue
        for clue in clues
    ]
