"""Words that have an order by what they mean: steps of scales, answers to questionnaires, and how far somebody went to school.

In English, German, French, Spanish and Dutch, without accents. Education is recognised by parts of words, the highest that fits.
"""

import re
import unicodedata
from collections.abc import Sequence

SCALES: tuple[tuple[str, ...], ...] = (
    ("none", "very low", "low", "medium", "high", "very high"),
    ("none", "minor", "moderate", "major", "extreme"),
    ("none", "mild", "moderate", "severe", "extreme"),
    ("very small", "small", "medium", "large", "very large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("very bad", "bad", "fair", "good", "very good"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very unlikely", "unlikely", "neutral", "likely", "very likely"),
    ("leicht", "mittel", "schwer"),
    ("sehr niedrig", "niedrig", "mittel", "hoch", "sehr hoch"),
    ("sehr schlecht", "schlecht", "mittel", "gut", "sehr gut"),
    ("nie", "selten", "manchmal", "oft", "immer"),
    ("stimme gar nicht zu", "stimme nicht zu", "neutral", "stimme zu", "stimme voll zu"),
    ("trifft nicht zu", "trifft eher nicht zu", "teils teils", "trifft eher zu", "trifft zu"),
    ("tres faible", "faible", "moyen", "eleve", "tres eleve"),
    ("leger", "moyen", "grave"),
    ("jamais", "rarement", "parfois", "souvent", "toujours"),
    ("pas du tout d'accord", "pas d'accord", "neutre", "d'accord", "tout a fait d'accord"),
    ("muy bajo", "bajo", "medio", "alto", "muy alto"),
    ("leve", "moderado", "grave"),
    ("nunca", "rara vez", "a veces", "a menudo", "siempre"),
    ("muy en desacuerdo", "en desacuerdo", "neutral", "de acuerdo", "muy de acuerdo"),
    ("zeer laag", "laag", "gemiddeld", "hoog", "zeer hoog"),
    ("licht", "matig", "ernstig"),
    ("nooit", "zelden", "soms", "vaak", "altijd"),
    ("helemaal oneens", "oneens", "neutraal", "eens", "helemaal eens"),
)
_MOST = 0.8
# Fewer steps than this may be anything: "master" and "bachelor" are also kinds of something else.
_FEWEST = 3
_GRADE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b|\b(?:grade|klasse|year|klas)\s*(\d{1,2})\b")
_SECONDARY_GRADE = 9
# Highest first: what is found first counts.
_EDUCATION: tuple[tuple[float, str], ...] = (
    (8.0, r"doctor|\bph\.?\s?d|promotion|promoviert|\bdrs?\b"),
    (7.5, r"prof(essional)?[\s-]*(school|degree)"),
    (7.0, r"master|post[\s-]*grad|magister|\bdiplom\b|maestria|postgrado|graduate degree"),
    (3.0, r"(lower|less|below|weniger|moins|menos|minder|lager)\b.*(a.level|high.school|secondary|abitur|bac\b|secundaria)"),
    (
        6.0,
        r"bachelor|undergrad|\bhe qualification|hochschul|universit|licence\b|licenciatura|\bgrado\b|\bhbo\b|college degree",
    ),
    (5.5, r"\bassoc"),
    (5.0, r"some[\s-]*college|vocation|apprentic|\blehre\b|ausbildung|formacion profesional|\bmbo\b|\bbep\b|\bcap\b"),
    (4.0, r"high[\s-]*school|\bhs\b|\bhs-|a[\s-]level|abitur|baccal|\bbac\b|bachillerato|\bhavo\b|\bvwo\b|upper secondary|gymnasi|matura"),
    (3.0, r"secondary|middle school|gcse|hauptschul|realschul|mittlere reife|brevet|\beso\b|vmbo|mavo|secundaria|college"),
    (2.0, r"primary|elementary|grundschul|primaire|primaria|basisschool|basisonderwijs"),
    (1.0, r"preschool|kindergarten|nursery|vorschul|maternelle|preescolar|kleuter"),
    (0.0, r"^no\b|^none|^ohne|^kein|^sans|^aucun|^sin\b|^ningun|^geen|illiterate|never attended"),
)
_STEPS = tuple((rank, re.compile(pattern)) for rank, pattern in _EDUCATION)


def scale_order(values: Sequence[str]) -> list[str] | None:
    """Return the values that a scale puts in an order, lowest first; None if no scale knows most of them."""
    folded = {value: fold(value) for value in values}
    for scale in SCALES:
        fitting = [value for value in values if folded[value] in scale]
        if len(fitting) >= max(2, _MOST * len(values)):
            return sorted(fitting, key=lambda value: (scale.index(folded[value]), value))
    ranked = {value: rank for value in values if (rank := _education(folded[value])) is not None}
    if len(ranked) < _MOST * len(values) or len(set(ranked.values())) < _FEWEST:
        return None
    return sorted(ranked, key=lambda value: (ranked[value], value))


def fold(text: str) -> str:
    """Return a text in small letters, without accents and marks that people write in different ways."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.strip().lower()) if not unicodedata.combining(c))
    return plain.replace("\u2019", "'").replace("_", " ")


def _education(text: str) -> float | None:
    if found := _GRADE.search(text):
        grade = int(found[1] or found[2])
        return (2 if grade < _SECONDARY_GRADE else 3) + grade / 100
    return next((rank for rank, pattern in _STEPS if pattern.search(text)), None)
