"""The texts that a release is held against: what each says, its source and date, and where a dossier answers it. Data, never advice.

A text is a TOML file with a version. It has a date by which somebody must have looked whether it still says what holds; after that it
is refused, because nobody should sign by rules that are no longer those in force.
Every point says where in the text it stands, and how it was confirmed: in a copy of the text, only in what others report of it, or not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

from anonscope.errors import PolicyError, shown
from anonscope.io.toml_file import TomlFile, read_toml

SCHEMA = "anonscope/law/1"
_TEXTS = ("name", "title", "kind", "version", "source", "jurisdiction", "summary")
_DATES = ("dated", "written", "valid_until")
SECTIONS = range(1, 14)
Confirmed = Literal["text", "report", "no"]
HELD = {"text": "read in the text", "report": "read in a report", "no": "not confirmed"}


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a text says or asks, in short, and the section of a dossier that answers it."""

    says: str
    section: int
    at: str = ""  # its article, paragraph or section in the text
    confirmed: Confirmed = "no"  # in a copy of the text, only in reports of it, or by nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """One text: a regulation, a judgment, an opinion, a guideline, a doctrine."""

    name: str
    title: str
    kind: str
    version: str
    source: str
    jurisdiction: str
    summary: str
    dated: date
    written: date
    valid_until: date
    points: tuple[Point, ...]
    confirmed: date | None = None  # when the file was last held against its source; None: nobody did
    read_in: tuple[str, ...] = ()  # where the source, or what others say of it, was read; for whoever looks again

    @property
    def provenance(self) -> str:
        """Where it comes from, in a sentence: also whether anybody held it against that."""
        return (
            f"{self.name}: {self.source}; of {self.dated.isoformat()}, file version {self.version} of {self.written.isoformat()}, "
            f"{self._looked}."
        )

    @property
    def _looked(self) -> str:
        if self.confirmed is None:
            return "held against it by nobody yet: read the source"
        counts = {how: sum(point.confirmed == how for point in self.points) for how in HELD}
        told = ", ".join(f"{count} {HELD[how]}" for how, count in counts.items() if count)
        return f"held against it on {self.confirmed.isoformat()}: of {len(self.points)} points {told}"


def laws(further: Sequence[str | Path] = (), *, today: date | None = None) -> tuple[Law, ...]:
    """Return the texts that come with the package, and those of further files, which take the place of one of the same name."""
    folder = resources.files("anonscope.risk.policy").joinpath("laws")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    found = {law.name: law for law in (law_of(TomlFile(f.read_text(encoding="utf-8"), f.name, PolicyError)) for f in files)}
    found |= {law.name: law for law in (law_of(read_toml(Path(path), PolicyError)) for path in further)}
    for law in found.values():
        if law.valid_until < (today or date.today()):
            raise PolicyError(
                f"The text {shown(law.name)} was to be looked at again by {law.valid_until.isoformat()}, and was not. See whether "
                f"{law.source} still says this, and give a file of it with a later valid_until (--law FILE, laws=[...])."
            )
    return tuple(sorted(found.values(), key=lambda law: law.name))


def law_of(document: TomlFile) -> Law:
    """Return the text that a file describes."""
    content = document.described_by(SCHEMA)
    points = content.pop("points", None)
    confirmed = content.pop("confirmed", None)
    if confirmed is not None and type(confirmed) is not date:
        raise document.fail("must be a date, such as 2026-11-17", "confirmed")
    read_in = content.pop("read_in", [])
    if not isinstance(read_in, list) or not all(isinstance(place, str) and place.strip() for place in read_in):
        raise document.fail("must be a list of texts: where the source was read", "read_in")
    for key in content:
        if key not in (*_TEXTS, *_DATES):
            raise document.fail(f"no such key; known are {', '.join((*_TEXTS, *_DATES))}, confirmed, read_in, points", key)
    for key in _TEXTS:
        if not isinstance(content.get(key), str) or not content[key].strip():
            raise document.fail("must be text; a dossier says what it goes by, and where that comes from", key)
    for key in _DATES:
        if type(content.get(key)) is not date:
            raise document.fail("must be a date, such as 2026-11-17", key)
    if not isinstance(points, list) or not points:
        raise document.fail("there must be at least one; write [[points]] with says and section", "points")
    told = tuple(_point(document, i, point) for i, point in enumerate(points))
    if confirmed is None and any(point.confirmed != "no" for point in told):
        raise document.fail("must say when, because points say that they were confirmed", "confirmed")
    return Law(**content, confirmed=confirmed, read_in=tuple(read_in), points=told)


def _point(document: TomlFile, position: int, content: Any) -> Point:
    known = {"says", "section", "at", "confirmed"}
    if not isinstance(content, dict) or not {"says", "section"} <= set(content) <= known or not isinstance(content["says"], str):
        raise document.fail("has says, a text, and section, a number; at and confirmed may be said too", "points.says", entry=position)
    if content["section"] not in SECTIONS:
        raise document.fail(f"must be a section of the dossier, {SECTIONS[0]} to {SECTIONS[-1]}", "points.section", entry=position)
    if not isinstance(content.get("at", ""), str):
        raise document.fail("must be text: the article, paragraph or section", "points.at", entry=position)
    if content.get("confirmed", "no") not in get_args(Confirmed):
        raise document.fail(f"must be one of {', '.join(get_args(Confirmed))}", "points.confirmed", entry=position)
    return Point(**content)
