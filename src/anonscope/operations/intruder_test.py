"""A motivated intruder test: the questions that a person tries to answer from a release, the sealed answers, and what came of it."""

import csv
import io
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anonscope.errors import IntruderError, OutputError, shown
from anonscope.io.placing import Move, Staging, recover
from anonscope.operations.attacking.tables import Tables
from anonscope.operations.comparing.versions import fetched, opened
from anonscope.operations.read import Data, check_opened, engine_limits
from anonscope.operations.result import Result
from anonscope.operations.signing.intruding import (
    FORM,
    PROTOCOL,
    SCHEMA,
    SEALED,
    SHEET,
    IntruderResult,
    form_text,
    protocol_text,
    read_result,
)
from anonscope.operations.signing.published import published
from anonscope.operations.verify import verify
from anonscope.operations.wishes.intruding import Intruding
from anonscope.transform.release.beside import write_private_bytes
from anonscope.transform.release.manifest import file_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class IntruderTest(Result):
    """A test that was set up, or judged; without any value."""

    release: str
    questions: int
    files: tuple[str, ...]
    result: IntruderResult | None = None  # None: it was not judged yet


def intruder_test(
    release: str | Path, original: Data, folder: str | Path, *, questions: int = 20, key: str | None = None, seed: int | None = None
) -> IntruderTest:
    """Set up a test: write protocol, sheet and form, and the sealed answers, into a new folder that only its owner may open.

    `questions` go from a record to a person, and as many from a person to a record. Which record is whose is known by a `key`, or by the
    order of records where both tables agree in it. The `seed` is drawn unless it is given, and stays with the sealed answers.
    """
    check_opened(original, "an.intruder_test('release.csv', an.read('original.csv'), 'test')")
    Intruding(questions=questions, key=key, seed=seed)
    path, place = Path(release), Path(folder)
    recover([place.parent])
    if place.exists():
        raise OutputError(f"{shown(place)} exists, and is never replaced. Give another name.")
    if not place.parent.is_dir():
        raise OutputError(f"The folder {shown(place.parent)} does not exist.")
    if not (checked := verify(path, **engine_limits(original))).holds:
        raise IntruderError(f"{checked.sentence} A test is about what was published.")
    if published(path).made_of(original.path) is False:
        raise IntruderError(
            f"{shown(path.name)} was made of another table than the original that is given, by the hash in its archive, so nobody would "
            "know whose records were found. Give the table that it was made of."
        )
    with Tables(original, None, key) as tables:
        attacked, _, notes = tables.attacked(opened(path), {}, key=key, paired=None, seed=1, group=None)
    rows = attacked.original.released
    if rows is None:
        raise IntruderError(f"{' '.join(notes)} Name a column that tells records apart in both tables (--key COLUMN, key=...).")
    there = np.flatnonzero(rows >= 0)
    if len(there) < 2 * questions:
        raise IntruderError(
            f"{questions:,} questions each way need {2 * questions:,} people, and {len(there):,} have a record in the release."
        )
    used = secrets.randbits(128) if seed is None else seed
    chosen = np.random.default_rng(used).choice(there, size=2 * questions, replace=False)
    table = fetched(original, original.columns)
    asked = list(_questions(chosen, rows, questions, original, table))
    sealed = {"schema": SCHEMA, "release": path.name, "sha256": file_hash(path), "seed": str(used), "questions": asked}
    numbers = [question["number"] for question in asked]
    texts = {
        PROTOCOL: protocol_text(path.name, attacked.released, len(asked)),
        SHEET: _sheet(asked),
        FORM: form_text(path.name, str(sealed["sha256"]), numbers),
        SEALED: json.dumps(sealed, indent=2, ensure_ascii=False, default=str) + "\n",
    }
    with Staging(place.parent) as staging:
        made = staging.beside(place)
        try:
            made.mkdir(mode=0o700)
            for name, text in texts.items():
                # All of it is private until its owner hands the sheet and the protocol on.
                write_private_bytes(made / name, text.encode())
        except OSError as error:
            raise OutputError(f"{shown(place)} cannot be written: {error.strerror}.") from None
        # The folder with all that is in it, or none: half a test is none, and would stand in the way of the next.
        staging.place([Move(made, place, replaces=False, last=True)])
    return IntruderTest(release=path.name, questions=len(asked), files=tuple(texts))


def judge_intruder_test(folder: str | Path) -> IntruderTest:
    """Return what came of a test, by the form that whoever holds the sealed answers filled in."""
    place = Path(folder)
    try:
        sealed = json.loads((place / SEALED).read_bytes())
        known = [question["number"] for question in sealed["questions"]]
        texts = (*known, sealed["release"], sealed["sha256"])
        if sealed["schema"] != SCHEMA or not known or not all(isinstance(text, str) and text for text in texts):
            raise ValueError("sealed answers have the fields of some")
    except FileNotFoundError:
        raise IntruderError(f"There are no sealed answers in {shown(place)}: {SEALED} is missing.") from None
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        raise IntruderError(f"The sealed answers in {shown(place)} cannot be read.") from None
    found = read_result(place, sealed)
    return IntruderTest(release=found.release, questions=found.questions, files=(FORM,), result=found)


def _questions(chosen: Any, rows: Any, half: int, original: Data, table: Any) -> Iterator[dict[str, Any]]:
    """Yield the questions with their answers: whose record, and which record."""
    for i, row in enumerate(int(one) for one in chosen):
        values = {column: table[column][row].as_py() for column in table.column_names}
        record = int(rows[row]) + 1
        number = f"R{i + 1}" if i < half else f"P{i - half + 1}"
        yield {
            "number": number,
            "record": record,
            "original_record": row + 1,
            "values": values,
            "sensitive": list(original.roles.sensitive),
        }


def _sheet(asked: list[dict[str, Any]]) -> str:
    """Return what the intruder gets: numbers of records and questions, and no value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("question", "record of the release", "what is asked", "your answer", "how sure (0 to 100)", "sources", "minutes"))
    for question in asked:
        if question["number"].startswith("R"):
            line = (question["record"], "Whose record is it? Any designation that fits one person only.")
        else:
            told = f" And what does it say about {', '.join(question['sensitive'])}?" if question["sensitive"] else ""
            line = ("", f"Which record is that of the person whom you are told as {question['number']}?{told}")
        writer.writerow((question["number"], *line, "", "", "", ""))
    return text.getvalue()
