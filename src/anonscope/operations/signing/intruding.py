"""A motivated intruder test: what is asked of somebody who tries to find people in a release, and what came of it.

The Information Commissioner's Office (United Kingdom) describes the intruder: reasonably competent, with access to the internet, libraries
and public records, who asks people who may know, and starts without any knowledge of the people. The interval is the exact one of
C. J. Clopper and E. S. Pearson (1934), Biometrika 26(4).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from anonscope.attacks.success import LEVEL, Interval
from anonscope.errors import IntruderError, shown
from anonscope.io.figures import per_cent
from anonscope.io.toml_file import TomlFile, read_toml

SCHEMA = "anonscope/intruder-test/1"
SHEET, FORM, PROTOCOL, SEALED = "sheet.csv", "outcome.toml", "protocol.md", "sealed.json"
OUTCOMES = ("right", "wrong", "no claim", "not tried")
_PROTOCOL_KEYS = ("intruder", "skills", "sources", "hours", "judged_by", "done")


@dataclass(frozen=True, slots=True, kw_only=True)
class IntruderResult:
    """What an intruder found out, as whoever holds the sealed answers judged it."""

    release: str
    sha256: str
    questions: int
    tried: int
    claimed: int
    right: int
    interval: Interval | None  # of the share that was right among what was tried; None: nothing was tried
    told: Mapping[str, str]  # who, skills, sources, hours, as the form says

    @property
    def sentence(self) -> str:
        """The result in words."""
        if self.interval is None:
            return "Not measured: no question was tried."
        share = self.right / self.tried
        return (
            f"{self.right:,} of {self.tried:,} questions that were tried were answered rightly ({per_cent(share)}; exact 95 % interval "
            f"{per_cent(self.interval.low)} to {per_cent(self.interval.high)}), of {self.claimed:,} that the intruder claimed; "
            f"{self.questions - self.tried:,} were not tried."
        )


def exact_interval(right: int, tried: int, level: float = LEVEL) -> Interval:
    """Return the exact binomial interval of a share."""
    from scipy.stats import binomtest

    found = binomtest(right, tried).proportion_ci(confidence_level=level, method="exact")
    return Interval(float(found.low), float(found.high))


def form_text(release: str, sha256: str, numbers: Sequence[str]) -> str:
    """Return the form for the outcome, to be filled in by whoever holds the sealed answers."""
    head = [
        f'schema = "{SCHEMA}"',
        "# Filled in by whoever holds the sealed answers, when the intruder is done. The intruder never sees these.",
        f"release = {json.dumps(release, ensure_ascii=False)}",
        f'sha256 = "{sha256}"',
        "",
        "# Who tried, with which skills, from which sources, for how many hours, who judged it, and when.",
        *(f'{key} = ""' for key in _PROTOCOL_KEYS),
        "",
        f"# Of every question: {', '.join(OUTCOMES)}. 'no claim' is tried without a claim.",
        "[outcome]",
    ]
    return "\n".join([*head, *(f'{number} = ""' for number in numbers)]) + "\n"


def read_result(folder: Path, sealed: Mapping[str, Any]) -> IntruderResult:
    """Return what came of a test whose form was filled in; raise where it says nothing."""
    document: TomlFile = read_toml(folder / FORM, IntruderError)
    content = document.described_by(SCHEMA)
    if (content.get("release"), content.get("sha256")) != (sealed["release"], sealed["sha256"]):
        raise document.fail("the form is about another release than the sealed answers", "release")
    for key in _PROTOCOL_KEYS:
        # Hours are a number to most people, and the day a date.
        if isinstance(value := content.get(key, ""), bool) or not isinstance(value, str | int | float | date):
            raise document.fail("must be text, a number or a day", key)
    outcome = content.get("outcome")
    numbers = [question["number"] for question in sealed["questions"]]
    if not isinstance(outcome, dict) or set(outcome) != set(numbers):
        raise document.fail(f"must have every question of the sheet, and no other: {numbers[0]} to {numbers[-1]}", "outcome")
    for number, word in outcome.items():
        if word not in OUTCOMES:
            told = "is not filled in" if word == "" else f"must be one of {', '.join(OUTCOMES)}"
            raise document.fail(told, f"outcome.{number}")
    tried = [word for word in outcome.values() if word != "not tried"]
    right, claimed = tried.count("right"), sum(word in ("right", "wrong") for word in tried)
    return IntruderResult(
        release=str(sealed["release"]),
        sha256=str(sealed["sha256"]),
        questions=len(numbers),
        tried=len(tried),
        claimed=claimed,
        right=right,
        interval=exact_interval(right, len(tried)) if tried else None,
        told={key: str(content[key]) for key in _PROTOCOL_KEYS if content.get(key, "") != ""},
    )


def protocol_text(release: str, records: int, questions: int) -> str:
    """Return the protocol that the intruder and whoever judges agree on before anything is looked at."""
    return f"""# Motivated intruder test of {shown(release)}

**Who.** Somebody reasonably competent who has no prior knowledge of the people in the release, and no access to the original, to the
archive or to the sealed answers. No specialist knowledge, no hacking, no crime.

**What they get.** The release ({records:,} records) with its manifest, and `{SHEET}` with {questions:,} questions, drawn at random.
Nothing else of this folder: the seed of the draw, in the sealed file, would tell whose records were drawn.

**Sources.** The internet, social networks, libraries, public registers, newspapers, and people who may know; all are noted.

**Time.** Agreed on before, and noted in hours.

**Questions.** From a record to a person: whose record is it? Any name or other designation that fits one person only is a claim. From a
person to a record: which record is it, and what does it say? The people are told by whoever holds `{SEALED}`, one after the other, by name
or as they are known in public.

**Success.** A claim is right if it names the very person, or the very record, that the sealed answers have. A claim is stated with how sure
the intruder is; a right guess counts as right. Whoever holds the sealed answers judges, and fills in `{FORM}`.

**Ethics.** People who are found are not approached, told or published; notes are destroyed when the test is judged.

**Result.** `anonscope intruder-test --judge FOLDER` says how many were right of those that were tried, with an exact 95 % interval;
the dossier takes it over: `anonscope sign-off ... --intruder-test FOLDER`.
What was not tried counts for nothing, and none found is no proof of none.
"""
