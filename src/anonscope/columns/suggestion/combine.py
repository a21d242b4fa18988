"""One role for every column, from all kinds of evidence, and where they disagree.

What a column is comes first (a name, an id, a weight), then what it is about (an outsider may know it, or nobody should), and only where
neither the name nor the values tell, what the table and the numbers suggest. That answer is called unknown: its role is a precaution,
never sure. Where the table is about health, or several columns hold what nobody should learn, an unknown column is sensitive: of 42 columns
that nobody recognised in 101 schemas with known roles, six were known to outsiders, and 19 were secrets. Elsewhere one that tells people
apart is proposed as a quasi-identifier: one too many makes a verdict stricter, one too few makes it better than the truth.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from anonscope.columns.suggestion.clues import Clues
from anonscope.columns.suggestion.evidence import ColumnSuggestion, Confidence, Evidence, Role
from anonscope.columns.suggestion.identifiers import Identifier
from anonscope.columns.suggestion.meaning import Meaning
from anonscope.columns.suggestion.person import person_rank
from anonscope.columns.suggestion.separation import Search, distinction, separation
from anonscope.columns.suggestion.value_kinds import ColumnType, Kind
from anonscope.io.figures import decimals, per_cent

# A column that tells fewer pairs of records apart than this hardly narrows anybody down.
_TELLS_APART = 0.3
# Whole numbers with more values than this are quantities unless something says otherwise.
_MOST_GROUPS = 100
# Where digits are codes whose beginnings mean something: areas, diagnoses, treatments, trades.
_CODED = ("small_area", "large_area", "diagnosis", "treatment", "occupation", "institution")
_CODE_WORDS = {
    *("code", "id", "zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "fips"),
    *("icd", "icd9", "icd10", "atc", "nace", "naics", "isco"),
}
# What may be described in words that are the same for many people.
_DESCRIBED = ("diagnosis", "treatment", "occupation", "institution", "education", "crime")
_FINE_DATES = 3
_SAFE_HARBOR = {2: "areas smaller than a state", _FINE_DATES: "dates finer than a year"}
# Words that say of a column that it says something, and not what.
_BARE = frozenset(["code", "description", "value", "values", "result", "text", "item", "concept", "detail"])
# Meanings that are about quantities; a name like "weight" on a column of three words is not a survey weight.
_FEWEST_WEIGHTS = 5
_MOST_SEXES = 12
_FEWEST_HOUSEHOLDS = _FEWEST_THINGS = 10
_OLDEST = 125
# Numbers beyond these are no codes of a few kinds, no stays and no hours; codes of occupations have four digits.
_MOST_KINDS, _MOST_STAYS, _MOST_HOURS, _ISCO = 20, 30, 9_999, 100
# Where nearly every one of so many records has a value of its own, values may be of people, whatever the column is called.
_OWN, _FEWEST_OWN = 0.8, 20
# Texts of so many words on average, of which at least every other is different, are told, not chosen.
_SEVERAL_WORDS, _MANY_TEXTS = 2, 0.5


@dataclass(frozen=True, slots=True)
class _Proposal:
    role: Role
    confidence: Confidence
    reasons: tuple[str, ...]
    kind: Kind | None = None
    unknown: bool = False


def combine(clues: Iterable[Clues], search: Search, *, force: Mapping[str, Role], forbid: frozenset[str]) -> tuple[ColumnSuggestion, ...]:
    """Return the role of every column; at most one is the person, one the household and one the weight."""
    found = [(clue, _forced(clue, force, forbid) or _propose(clue)) for clue in clues]
    for role in ("person", "household", "weight"):
        found = _only_one(found, role, force)
    found = [(clue, proposal if _said(clue, force, forbid) else _seen(clue, proposal)) for clue, proposal in found]
    smallest, follows = _smallest_combinations(search), dict(search.follows)
    return tuple(
        _suggestion(clue, proposal, smallest.get(clue.profile.name), follows.get(clue.profile.name), force) for clue, proposal in found
    )


def _forced(clue: Clues, force: Mapping[str, Role], forbid: frozenset[str]) -> _Proposal | None:
    name = clue.profile.name
    if name in force:
        return _Proposal(force[name], "high", ("You said so.",))
    return _Proposal("insensitive", "high", ("You said it must not have a role.",)) if name in forbid else None


def _said(clue: Clues, force: Mapping[str, Role], forbid: frozenset[str]) -> bool:
    return clue.profile.name in force or clue.profile.name in forbid


def _seen(clue: Clues, proposal: _Proposal) -> _Proposal:
    """Return a proposal, or that somebody must look: a name alone makes no column insensitive whose values may be of people."""
    if proposal.role != "insensitive" or not clue.profile.looked or clue.profile.constant or not (own := _own_values(clue)):
        return proposal
    return _Proposal(
        "insensitive", "low", (f"Unknown: {own}, so they may tell who somebody is. Look at them.", *proposal.reasons), unknown=True
    )


def _own_values(clue: Clues) -> str | None:
    """Return how values differ from record to record, if that is more than those of an insensitive column do; measurements may."""
    profile = clue.profile
    if clue.type.kind == "continuous":
        return None
    if clue.type.kind == "free text":
        return "its values are free text"
    # Words for "unknown" are no values.
    values = profile.values - (len(profile.looked) - len(profile.telling))
    records = profile.records - profile.missing - sum(v.count for v in profile.looked) + sum(v.count for v in profile.telling)
    share = values / records if records >= _FEWEST_OWN else 0.0
    if share >= _OWN:
        return "nearly every record has a value of its own"
    words = sum(len(v.text.split()) for v in profile.telling) / max(1, len(profile.telling))
    return "its values are texts of several words" if words >= _SEVERAL_WORDS and share >= _MANY_TEXTS else None


def _propose(clue: Clues) -> _Proposal:
    profile = clue.profile
    if profile.nested:
        return _Proposal("insensitive", "low", ("It holds nested values, which cannot be counted. Flatten it, then ask again.",))
    if profile.values == 0:
        return _Proposal("insensitive", "high", ("It has no value at all.",))
    listed_household = clue.meaning is not None and clue.meaning.codebook and clue.meaning.concept.role == "household"
    if clue.person is not None and not listed_household and (clue.identifier is None or clue.identifier.concept.person):
        name = clue.identifier.concept.title if clue.identifier else None
        also = (f"It is one of the {name}: replace it by a pseudonym before any release.",) if name else ()
        named = clue.subject in ("person", "someone") or (clue.identifier is not None and clue.identifier.certain)
        sure: Confidence = "high" if named else "medium" if "its name" in clue.person else "low"
        return _Proposal("person", sure, (clue.person[0].upper() + clue.person[1:], *also))
    if clue.identifier is not None:
        return _Proposal("direct identifier", _certainty(clue.identifier), (clue.identifier.reason,))
    if clue.type.kind == "free text" and not _told(clue):
        return _Proposal(
            "direct identifier",
            "medium",
            ("Free text may name anybody, and tabular anonymisation cannot mend it: remove it, or redact it first.",),
        )
    if profile.constant:
        about = (clue.meaning.reason,) if clue.meaning is not None else ()
        return _Proposal("insensitive", "high", ("All records have the same value.", *about))
    if clue.meaning is not None:
        return _by_meaning(clue, clue.meaning)
    return _by_numbers(clue)


def _told(clue: Clues) -> bool:
    """Whether the name of a column of long texts says that they are of one kind, such as descriptions of illnesses."""
    meaning = clue.meaning
    return meaning is not None and meaning.sure and meaning.by_name is not None and meaning.concept.name in _DESCRIBED


def _certainty(identifier: Identifier) -> Confidence:
    if identifier.by_name and identifier.by_form:
        return "high"
    return ("high" if identifier.by_name else "medium") if identifier.certain else "low"


def _by_meaning(clue: Clues, meaning: Meaning) -> _Proposal:
    concept = meaning.concept
    reasons = [meaning.reason]
    confidence = _agreeing(clue, meaning, _confidence(meaning))
    if concept.role == "weight":
        if clue.type.numeric and clue.profile.values >= _FEWEST_WEIGHTS:
            return _Proposal("weight", confidence, (meaning.reason,), "weight")
        return _by_numbers(clue)
    if concept.role == "household":
        return _Proposal("household", confidence, (meaning.reason,))
    if clue.subject == "thing" and concept.role == "quasi-identifier" and clue.profile.values >= _FEWEST_THINGS and not meaning.codebook:
        return _Proposal(
            "insensitive", "low", (meaning.reason, "Its name speaks of an id, so it numbers things, and says little of people.")
        )
    if concept.role == "insensitive" and _says_little(clue, meaning) and not _own_values(clue):
        return _by_numbers(clue)
    if concept.role == "insensitive":
        reasons.append("That says little of who a person is, and is rarely a secret.")
        return _Proposal("insensitive", "medium" if confidence == "high" else "low", tuple(reasons))
    if concept.role == "quasi-identifier":
        reasons.append(f"Others can know it: availability {meaning.availability}, replicability {meaning.replicability}.")
        if concept.article_9:
            reasons.append("It is also a special category of GDPR article 9: judge whether it must be protected as sensitive as well.")
            # What somebody is asked to judge is not sure.
            confidence = "medium" if confidence == "high" else confidence
        if _one_word_alone(clue, meaning):
            confidence = "medium" if confidence == "high" else confidence
        listed = _listed(clue, meaning)
        if listed is not None:
            reasons.append(f"Safe Harbor class {listed}: {_SAFE_HARBOR[listed]}.")
        if meaning.availability == "low":
            confidence = "medium" if confidence == "high" else confidence
        return _Proposal("quasi-identifier", confidence, tuple(reasons))
    secret = "it is a special category of GDPR article 9" if concept.article_9 else "nobody should learn it of a person"
    reasons.append(f"Few can know it (availability {meaning.availability}), and {secret}.")
    return _Proposal("sensitive", confidence, tuple(reasons))


def _one_word_alone(clue: Clues, meaning: Meaning) -> bool:
    """Whether one word of a name is all that speaks for it, where values in words could have: "housing" may be a loan.

    What stays with people and all know of them, such as a city or a nationality, is called so without doubt.
    """
    said = meaning.by_name is not None and len(meaning.by_name.split()) == 1
    plain = meaning.replicability == meaning.availability == "high"
    return said and not (plain or meaning.codebook or meaning.by_values) and clue.type.kind == "category"


def _listed(clue: Clues, meaning: Meaning) -> int | None:
    """Return the class of Safe Harbor that a column is in by its meaning; dates that are years are in none."""
    listed = meaning.concept.safe_harbor
    return None if listed == _FINE_DATES and clue.type.resolution == "year" else listed


def _says_little(clue: Clues, meaning: Meaning) -> bool:
    """Whether "rate", "days" or "type" beside words that nobody knows is all that calls a column harmless, in a table of secrets."""
    if meaning.codebook or not (clue.health or clue.secrets):
        return False
    generic = meaning.concept.domain in ("administration", "quantity")
    return (clue.health and (meaning.vague or _BARE.issuperset(clue.words))) or (generic and meaning.partly)


def _confidence(meaning: Meaning) -> Confidence:
    """A name that says it plainly is sure; telling values alone, or a name that was partly guessed, fairly; neighbours are a hint."""
    if meaning.by_table is not None:
        return "low"
    if meaning.by_name is None:
        return "low" if meaning.concept.name == "age" else "medium"
    if meaning.sure:
        return "high"
    return "medium" if meaning.by_values else "low"


def _agreeing(clue: Clues, meaning: Meaning, confidence: Confidence) -> Confidence:
    """Return less confidence where values do not look like what the name says, where its words disagree, or where all are vague."""
    column, profile, name = clue.type, clue.profile, meaning.concept.name
    if meaning.concept.domain == "temporal" and name != "length_of_stay" and column.numeric and not _like_calendar(column):
        return "low"
    if name == "sex" and profile.values > _MOST_SEXES and not meaning.codebook:
        return "low"
    if name == "age" and column.kind == "continuous" and (column.high or 0) > _OLDEST:
        return "medium" if confidence == "high" else confidence
    if not meaning.codebook and confidence == "high" and _no_amount(clue, meaning):
        return "medium"
    if not meaning.codebook and _counted(column, profile.values, name):
        return "low"
    doubtful = meaning.vague or meaning.contested
    return "medium" if doubtful and confidence == "high" and not meaning.codebook else confidence


def _no_amount(clue: Clues, meaning: Meaning) -> bool:
    """Whether a name speaks of money and its values do not: words without a digit, or no more than yes and no."""
    if meaning.concept.name not in ("money", "income"):
        return False
    telling = clue.profile.telling
    wordy = clue.type.kind == "category" and not any(c.isdigit() for value in telling for c in value.text)
    return wordy or (clue.profile.values == 2 and all(value.text.strip() in ("0", "1") for value in telling))


def _counted(column: ColumnType, values: int, concept: str) -> bool:
    """Whether numbers count what is a name elsewhere: stays in hospital from none on, votes by the dozen, overtime by its pay."""
    if not column.numeric or column.low is None or column.high is None:
        return False
    if concept == "institution":
        return column.kind == "continuous" or (column.low == 0 and column.high <= _MOST_STAYS and values > 2)
    if concept in ("birth_date", "birth_year"):
        return column.high <= 2
    if concept in ("belief", "marital_status", "race", "language"):
        return column.kind == "continuous" or values > _MOST_KINDS
    return (
        concept == "occupation" and column.kind == "integer" and values > _MOST_GROUPS and column.high > _MOST_HOURS and column.low < _ISCO
    )


def _like_calendar(column: ColumnType) -> bool:
    """Whether numbers can be days, months, weeks, hours, years of two digits, or days counted from some day."""
    return column.kind == "integer" and column.low is not None and column.low >= 0


def _by_numbers(clue: Clues) -> _Proposal:
    """Propose by the table and the numbers alone; always with low confidence, because numbers do not say what outsiders know."""
    profile, apart = clue.profile, separation(clue.profile)
    if clue.health:
        role: Role = "sensitive"
        found = "the table is about health, so it may be a matter of health. Check it."
    elif clue.secrets:
        role = "sensitive"
        found = "several other columns hold what nobody should learn, and it may as well. Check it."
    elif clue.type.numeric and profile.values > _MOST_GROUPS:
        role = "sensitive"
        found = f"it is a quantity of {profile.values:,} values, which outsiders rarely know. Check it."
    elif apart >= _TELLS_APART or clue.rate.label == "quasi-identifier":
        role = "quasi-identifier"
        found = f"it tells {per_cent(apart, 0)} of all pairs of records apart. Check whether an outsider can know it."
    else:
        role = "insensitive"
        found = f"it tells only {per_cent(apart, 0)} of all pairs of records apart. Check it."
    return _Proposal(role, "low", (f"Unknown: neither name nor values say what it is about; {found}",))


def _only_one(found: list[tuple[Clues, _Proposal]], role: Role, force: Mapping[str, Role]) -> list[tuple[Clues, _Proposal]]:
    """Keep the best candidate of a role that one column can have; the others lose it, with the reason."""
    candidates = [(clue, proposal) for clue, proposal in found if proposal.role == role]
    if len(candidates) < 2:
        return found
    best = max(candidates, key=lambda pair: _rank(pair[0], pair[1], force))[0].profile.name
    changed: list[tuple[Clues, _Proposal]] = []
    for clue, proposal in found:
        if proposal.role != role or clue.profile.name == best:
            changed.append((clue, proposal))
            continue
        because = f"{best!r} is the better {role}, and a table has one."
        if role == "weight":
            changed.append((clue, _Proposal("insensitive", "medium", (*proposal.reasons, because), "weight")))
        elif role == "household" and clue.profile.values < _FEWEST_HOUSEHOLDS:
            # It counts the households of a dwelling.
            changed.append((clue, _Proposal("insensitive", "low", (*proposal.reasons, because))))
        elif clue.identifier is not None:
            changed.append((clue, _Proposal("direct identifier", "medium", (clue.identifier.reason, because))))
        else:
            changed.append((clue, _Proposal("direct identifier", "low", (*proposal.reasons, because))))
    return changed


def _rank(clue: Clues, proposal: _Proposal, force: Mapping[str, Role]) -> tuple[bool, int, int, int]:
    """Words for people go before other ids, then what is surer, then what has more values."""
    sure = {"low": 0, "medium": 1, "high": 2}[proposal.confidence]
    words = person_rank(clue.subject) if proposal.role == "person" else 0
    return clue.profile.name in force, words, sure, clue.profile.values


def _smallest_combinations(search: Search) -> dict[str, int]:
    """Return, for every column that is in a minimal combination, the size of the smallest."""
    smallest: dict[str, int] = {}
    for combination in search.combinations:
        for column in combination.columns:
            smallest[column] = min(smallest.get(column, len(combination.columns)), len(combination.columns))
    return smallest


def _suggestion(clue: Clues, proposal: _Proposal, smallest: int | None, follows: str | None, force: Mapping[str, Role]) -> ColumnSuggestion:
    profile, meaning = clue.profile, clue.meaning
    concept = clue.identifier.concept if clue.identifier else meaning.concept if meaning else None
    return ColumnSuggestion(
        name=profile.name,
        role=proposal.role,
        confidence=proposal.confidence,
        type=proposal.kind or kind_of(clue),
        reasons=(*proposal.reasons, f"It follows from {follows!r}: records that agree there agree here.") if follows else proposal.reasons,
        unknown=(clue.unknown or proposal.unknown) and not clue.profile.constant and profile.name not in force,
        disagreements=() if profile.name in force else tuple(_disagreements(clue, proposal)),
        evidence=Evidence(
            records=profile.records,
            values=profile.values,
            missing=profile.missing_share,
            unique=profile.alone / profile.records,
            distinction=distinction(profile),
            separation=separation(profile),
            risk_rate=clue.rate.percent,
            risk_rate_label=clue.rate.label,
            concept=concept.name if concept else None,
            domain=concept.domain if concept else None,
            article_9=concept.article_9 if concept else False,
            safe_harbor=clue.identifier.number if clue.identifier else _listed(clue, meaning) if meaning else None,
            resolution=clue.type.resolution,
            replicability=meaning.replicability if meaning else None,
            availability=meaning.availability if meaning else None,
            distinguishability=meaning.distinguishability if meaning else None,
            smallest_combination=smallest,
        ),
    )


def kind_of(clue: Clues) -> Kind:
    """Return the type; whole numbers that are codes by their meaning, such as postal codes, are no quantities."""
    words = set(clue.words)
    coded = clue.meaning is not None and clue.meaning.concept.name in _CODED and bool(words & _CODE_WORDS)
    return "code" if clue.type.kind in ("integer", "category") and coded else clue.type.kind


def _disagreements(clue: Clues, proposal: _Proposal) -> Iterable[str]:
    """Say where a kind of evidence points elsewhere than the role that was chosen."""
    rate = clue.rate
    if rate.label == "set aside":
        if proposal.role in ("quasi-identifier", "sensitive"):
            yield f"The risk rate sets it aside: {per_cent(clue.profile.missing_share, 0)} of the records lack it."
        return
    compared = {"quasi-identifier": "quasi-identifier", "sensitive": "sensitive", "insensitive": "non-sensitive"}.get(proposal.role)
    if compared is None or compared == rate.label:
        return
    printed = f"The risk rate ({decimals(rate.percent, 2)} %) calls it {rate.label}"
    if proposal.role == "quasi-identifier" and rate.label == "non-sensitive":
        yield f"{printed}, because its values are common; what is common can still be known and combined."
    elif proposal.role == "quasi-identifier":
        yield f"{printed}, because rare values single people out; that makes it dangerous in an outsider's hands, not secret."
    elif proposal.role == "sensitive":
        yield f"{printed}; the rate measures how rare values are, not how much they matter."
    elif rate.percent is not None:
        yield f"{printed}; rare values stand out if anybody knows them."
