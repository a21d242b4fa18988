"""The commands that write, and what each finds when it begins: for `python -m benchmarks.faults`."""

import csv
import json
import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

from anonscope.operations.registering.chain import read_chain

CANARY = "canary-71c4"
RECIPE = 'schema = "anonscope/recipe/1"\n\n[[steps]]\napply = "round"\ncolumn = "age"\nto = 10\n'
QUERIES = """schema = "anonscope/queries/1"
epsilon = 1
record_is_person = true
[columns.zip]
categories = ["10", "11", "12", "20", "21", "22"]
[[queries]]
name = "by zip"
kind = "histogram"
by = ["zip"]
"""


@dataclass(frozen=True)
class Command:
    """A command that writes: what is said, what it writes, and how it is known whether that is whole."""

    name: str
    options: tuple[str, ...]
    writes: tuple[str, ...]
    verifies: bool = True  # whether `verify` can say so
    fine: tuple[int, ...] = (0,)
    fresh: bool = False  # it never replaces anything, so nothing stands there before
    before: tuple[tuple[str, ...], ...] = ()  # commands that make what it begins with
    beside: tuple[str, ...] = ()  # what those write where it writes
    threads: bool = True  # whether it takes an engine's options
    title: str = ""

    @property
    def called(self) -> str:
        """What a table calls it."""
        return self.title or self.name

    def said(self, source: Path, folder: Path) -> list[str]:
        """Return the command for a source and the folder that it writes to."""
        return self._filled((self.name, *self.options, *(("--threads", "1") if self.threads else ())), source, folder)

    def preparing(self, source: Path, folder: Path) -> list[list[str]]:
        """Return the commands that come before it."""
        return [self._filled(said, source, folder) for said in self.before]

    def _filled(self, said: tuple[str, ...], source: Path, folder: Path) -> list[str]:
        places = {
            "SOURCE": source,
            "RECIPE": source.with_name("recipe.toml"),
            "QUERIES": source.with_name("queries.toml"),
            "RELEASE": source.with_name("release.csv"),
            "KEY": source.with_name("officer.key"),
            "TARGET": folder / self.writes[0],
            "SEALED": folder / "release.csv",
            "FOLDER": folder,
        }
        return [str(places.get(word, word)) for word in said]


_SET = ("release.csv", "release.csv.manifest.json", "release.csv.archive")
_ROLES = ("-q", "age", "-q", "zip", "-s", "ill")
_MADE = ("anonymise", "SOURCE", *_ROLES, "--limit", "k_anonymity=2", "-o", "RELEASE", "--force", "--quiet", "--threads", "1")
_MADE_THERE = tuple("SEALED" if word == "RELEASE" else word for word in _MADE)
COMMANDS = (
    Command("anonymise", ("SOURCE", *_ROLES, "--limit", "k_anonymity=2", "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("apply", ("RECIPE", "SOURCE", *_ROLES, "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("fragment", ("SOURCE", *_ROLES, "--limit", "k_anonymity=2", "--assemble", "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("pipeline", ("SOURCE", *_ROLES, "--policy", "arx-default", "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("synthesise", ("SOURCE", *_ROLES, "--method", "pca", "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("audit", ("SOURCE", *_ROLES, "--no-plan", "-o", "TARGET", "--quiet"), ("report.json",), verifies=False, fine=(0, 1)),
    Command("suggest", ("SOURCE", "--save-roles", "TARGET"), ("roles.toml",), verifies=False),
    Command("answer", ("SOURCE", "QUERIES", "-o", "TARGET", "--quiet"), ("answers.csv",), verifies=False),
    Command("recipe", ("SOURCE", *_ROLES, "--level", "P2", "-o", "TARGET", "--quiet"), ("recipe.toml",), verifies=False),
    Command(
        "hierarchy",
        ("SOURCE", *_ROLES, "--save", "FOLDER", "--force", "--quiet"),
        ("age.hierarchy.csv", "zip.hierarchy.csv"),
        verifies=False,
    ),
    Command("describe", ("RELEASE", "-o", "TARGET"), ("about.json",), verifies=False, before=(_MADE,), threads=False),
    Command(
        "sign-off",
        ("RELEASE", "--original", "SOURCE", "-o", "TARGET", "--quiet"),
        ("dossier.json",),
        verifies=False,
        fine=(0, 1),
        before=(_MADE,),
    ),
    Command(
        "intruder-test",
        ("RELEASE", "--original", "SOURCE", *_ROLES, "--folder", "TARGET", "--questions", "5", "--quiet"),
        ("test",),
        verifies=False,
        fresh=True,
        before=(_MADE,),
    ),
    Command(
        "seal",
        ("sign", "SEALED", "--key", "KEY", "--name", "officer", "--force"),
        ("release.csv.manifest.json.sig",),
        verifies=False,
        before=(_MADE_THERE, ("seal", "keygen", "KEY")),
        beside=_SET,
        threads=False,
    ),
    Command("seal", ("keygen", "TARGET"), ("new.key", "new.key.pub"), verifies=False, fresh=True, threads=False, title="seal keygen"),
    Command(
        "register",
        ("add", "FOLDER", "RELEASE", "--population-name", "town", "--accept-unmeasured", "tried", "--quiet"),
        ("register.jsonl",),
        verifies=False,
        before=(_MADE,),
        beside=(".register.jsonl.lock",),
    ),
)


def source(path: Path, seed: int) -> Path:
    """Write a table that every command can release, and a recipe and queries beside it."""
    draw = random.Random(seed)
    # Other values for another seed, or what is written could not be told from what stood there.
    lines = (f"{20 + seed + draw.randrange(4) * 10},{seed}{draw.randrange(3)},{CANARY}-{draw.randrange(3)}" for _ in range(120))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("age,zip,ill\n" + "\n".join(lines) + "\n")
    path.with_name("recipe.toml").write_text(RECIPE)
    path.with_name("queries.toml").write_text(QUERIES)
    return path


def whole(path: Path) -> bool:
    """Return whether a file, or every file of a folder, is one to its end."""
    try:
        match path.suffix:
            case _ if path.is_dir():
                return {file.name for file in path.iterdir()} == {"protocol.md", "sheet.csv", "outcome.toml", "sealed.json"} and all(
                    whole(file) for file in path.iterdir()
                )
            case ".jsonl":
                chain = read_chain(path.parent)
                return chain.broken is None and bool(chain.entries)
            case ".toml":
                return bool(tomllib.loads(path.read_text()))
            case ".csv":
                lines = list(csv.reader(path.read_text().splitlines(), strict=True))
                return len(lines) > 1 and len({len(line) for line in lines}) == 1 and path.read_text().endswith("\n")
            case ".json" | ".sig":
                return bool(json.loads(path.read_text()))
            case _:
                return path.read_text().endswith("\n")
    except (OSError, ValueError, csv.Error):
        return False
