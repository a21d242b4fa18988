"""A recipe: steps in order, as a TOML document that people read, keep and replay.

schema = "anonscope/recipe/1"

# Ages in years identify; decades hardly do.
[[steps]]
apply = "generalise_interval"
column = "age"
width = 10
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from anonscope.columns.images import Everything, Exactly, Image, Values
from anonscope.errors import RecipeError
from anonscope.io.toml_file import TomlFile, read_toml
from anonscope.risk.privacy_loss import Mechanism, PrivacyLoss, epsilon_of
from anonscope.transform.seeds import Seed
from anonscope.transform.steps import TRANSFORMATIONS
from anonscope.transform.transformation import Transformation, check_types

SCHEMA = "anonscope/recipe/1"
_STEP = re.compile(r"^\s*\[\[\s*steps\s*\]\]")
_COMMENT = re.compile(r"^\s*#[ ]?(.*?)\s*$")
_SETTING = re.compile(r"(?:[^\"'#]|\"(?:\\.|[^\"\\])*\"|'[^']*')*")  # what stands before a comment in its line


@dataclass(frozen=True, slots=True)
class Recipe:
    """Steps in order, with what was remarked about each; `folder` is where the files stand that steps name."""

    steps: tuple[Transformation, ...]
    comments: tuple[str, ...] = ()  # one a step, empty where there is none
    title: str = ""
    folder: Path | None = None
    # The column that tells people apart, and how many records one of them may have: whoever applies the recipe checks it.
    person: str | None = None
    records_per_person: int | None = None

    def __post_init__(self) -> None:
        if not self.steps:
            raise RecipeError("A recipe needs at least one step.")
        if (self.person is None) != (self.records_per_person is None):
            raise RecipeError("person and records_per_person belong together: a column, and how many records one person may have.")
        bound = self.records_per_person
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 1):
            raise RecipeError("records_per_person must be a whole number of at least 1.")
        if self.person is not None and (not isinstance(self.person, str) or not self.person):
            raise RecipeError("person must be the name of a column.")
        if self.comments and len(self.comments) != len(self.steps):
            raise RecipeError(
                f"There are {len(self.comments)} comments for {len(self.steps)} steps; give one a step, empty where there is none."
            )

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The columns whose values were made up, so that classes over them no longer mean what they say."""
        return tuple(dict.fromkeys(column for step in self.steps if step.perturbative for column in step.columns))

    @property
    def seeds(self) -> tuple[Seed, ...]:
        """The seeds of every random step, in order."""
        return tuple(seed for step in self.steps for seed in step.seeds)

    def seeded(self) -> "Recipe":
        """Return the recipe as it is carried out: every step that takes a seed has one, of the operating system unless it was chosen."""
        return replace(self, steps=tuple(step.seeded() for step in self.steps))

    @property
    def epsilons(self) -> tuple[tuple[str, float], ...]:
        """Column and epsilon of every step that is differentially private, in order; a chosen seed makes it a test, which claims none."""
        return tuple((about, _epsilon(step)) for step in self.steps if step.private and not step.seeds for about in _hidden_by(step))

    def privacy_loss(self, person: str | None = None) -> PrivacyLoss:
        """Return what is lost per person; `person` is the column that tells people apart, if the table is known to have one."""
        private = [(i, step) for i, step in enumerate(self.steps) if step.private and not step.seeds]
        found = PrivacyLoss(
            mechanisms=tuple(Mechanism(about, step.name, epsilon_of(_epsilon(step))) for _, step in private for about in _hidden_by(step)),
            tests=tuple(dict.fromkeys(column for step in self.steps if step.for_tests for column in step.columns)),
            flaws=tuple(dict.fromkeys(flaw for i, step in private for column in step.columns for flaw in self._flaws(i, column))),
            person=self.person,
            records_per_person=self.records_per_person,
        )
        return found.judged_by(person)

    def _flaws(self, place: int, column: str) -> Iterator[str]:
        """Yield what tells of a column beside its mechanism: what it does to values it was not made for, and what looked at it before.

        What looks at it after the first mechanism sees what everybody sees.
        """
        if getattr(self.steps[place], "otherwise", None) == "suppress":
            # A star is given for certain to some values and never to the others: no epsilon covers that.
            yield f"{self.steps[place].name} stars values of {column!r} that it was not made for, which tells for certain what they are not"
        for step in self.steps[:place]:
            if step.private and not step.seeds and column in step.columns:
                return
            if step.mixes(column):
                yield f"{step.name} looks at the values of {column!r} before they are made private"

    @property
    def reproducible(self) -> bool:
        """Whether the same table gives the same release again."""
        return all(step.reproducible for step in self.steps)

    @property
    def hash(self) -> str:
        """The SHA-256 of the document without its comments: equal for recipes that do the same."""
        return hashlib.sha256(replace(self, comments=(), title="").to_toml().encode()).hexdigest()

    def image(self, column: str, released: str | None, named: Callable[[str], Image] | None = None) -> Image:
        """Return which original values of a column a released value may stand for, through all steps.

        Where several steps changed the column and no notation says what they do together, the answer may hold more
        values than possible, never fewer. A search recodes along a hierarchy whose labels need not speak for themselves:
        `named` says what they stand for.
        """
        changing = [step.located(self.folder) for step in self.steps if column in step.columns]
        if not changing:
            return Exactly(released)

        def before(step: Transformation, value: str | None) -> Image:
            image = named(value) if named is not None and value is not None and column in getattr(step, "hierarchies", ()) else None
            return image if image is not None and not isinstance(image, Exactly) else step.image(column, value)

        image = before(changing[-1], released)
        for step in reversed(changing[:-1]):
            image = _before(partial(before, step), image)
        return image

    def to_toml(self) -> str:
        """Return the document that `load` reads; reading and writing it again gives the same bytes."""
        import tomli_w

        about = {"person": self.person, "records_per_person": self.records_per_person} if self.person is not None else {}
        parts = [*_remark(self.title), f'schema = "{SCHEMA}"', *([tomli_w.dumps(about).rstrip("\n")] if about else [])]
        for step, comment in zip(self.steps, self.comments or [""] * len(self.steps), strict=True):
            parts += ["", *_remark(comment), _block(step)]
        return "\n".join(parts) + "\n"


def load_recipe(path: str | Path) -> Recipe:
    """Read a recipe file."""
    path = Path(path)
    document = read_toml(path, RecipeError)
    return _read(document, path.read_text(encoding="utf-8-sig"), path.parent)


def parse(text: str, name: str = "recipe") -> Recipe:
    """Read a recipe from its text."""
    return _read(TomlFile(text, name, RecipeError), text, None)


def recipe_of(given: "Recipe | Transformation | Sequence[Transformation] | str | Path") -> Recipe:
    """Return what was given as a recipe: one, a step, steps, or the path of a file."""
    if isinstance(given, Recipe):
        return given
    if isinstance(given, str | Path):
        return load_recipe(given)
    steps = (given,) if isinstance(given, Transformation) else tuple(given)
    if not all(isinstance(step, Transformation) for step in steps):
        raise RecipeError("A recipe is made of transformations, such as anonscope.transform.steps.Round(column=..., to=5).")
    return Recipe(steps)


def _read(document: TomlFile, text: str, folder: Path | None) -> Recipe:
    content = dict(document.content)
    if content.pop("schema", None) != SCHEMA:
        raise document.fail(f'the recipe must begin with: schema = "{SCHEMA}"', "schema")
    steps = content.pop("steps", None)
    about = {key: content.pop(key, None) for key in ("person", "records_per_person")}
    for key in content:
        raise document.fail("no such key; known are schema, person, records_per_person, steps", key)
    if not isinstance(steps, list) or not steps:
        raise document.fail("there must be at least one; write [[steps]] and what to apply", "steps")
    title, comments = _comments(text)
    read = tuple(_step(document, i, step) for i, step in enumerate(steps))
    try:
        return Recipe(read, comments if len(comments) == len(read) and any(comments) else (), title, folder, **about)
    except RecipeError as error:
        raise document.fail(str(error).rstrip("."), str(error).partition(" ")[0]) from None


def _step(document: TomlFile, position: int, content: Any) -> Transformation:
    def fail(problem: str, key: str) -> Exception:
        return document.fail(problem, f"steps.{key}", entry=position)

    if not isinstance(content, dict):
        raise document.fail("must be a table with what to apply", "steps")
    settings = dict(content)
    name = settings.pop("apply", None)
    kind = TRANSFORMATIONS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise fail(f"no such transformation; known are {', '.join(TRANSFORMATIONS)}", "apply")
    known = {f.name: f for f in fields(kind)}
    for key in settings:
        if key not in known:
            raise fail(f"no such key; {name} knows {', '.join(known)}", key)
    for key, f in known.items():
        if f.default is MISSING and f.default_factory is MISSING and key not in settings:
            raise fail(f"{name} needs {key}", key)
    try:
        return _made(kind, {key: _frozen(value) for key, value in settings.items()})
    except RecipeError as error:
        words = str(error).removeprefix(f"{name}: ")
        key = words.partition(" ")[0]
        raise fail(words, key if key in known else "apply") from None


def _made(kind: type[Transformation], settings: dict[str, Any]) -> Transformation:
    """Return the step, or say which setting means nothing: in the step's own words first, and by its type where those are missing."""
    try:
        made = kind(**settings)
    except (TypeError, ValueError, AttributeError):
        check_types(kind, settings)
        raise
    check_types(kind, settings)
    return made


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(entry) for key, entry in value.items()}
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value


def _comments(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the comments above the schema, and those above and within every step: none is lost when the recipe is written again."""
    title: list[str] = []
    comments: list[list[str]] = []
    gathered: list[str] = []
    for line in text.split("\n"):
        if found := _COMMENT.match(line):
            gathered.append(found[1])
        elif _STEP.match(line):
            comments.append(gathered)
            gathered = []
        elif line.strip():
            # A comment above or behind a key belongs to the step, or to the head of the file, that the key is in.
            setting = _SETTING.match(line)
            behind = _COMMENT.match(line[setting.end() :]) if setting else None
            gathered += [behind[1]] if behind else []
            (comments[-1] if comments else title).extend(gathered)
            gathered = []
    (comments[-1] if comments else title).extend(gathered)
    return "\n".join(title), tuple("\n".join(comment) for comment in comments)


def _block(step: Transformation) -> str:
    """Return a step as TOML, its tables below its other settings."""
    import tomli_w

    settings = {"apply": step.name} | step.settings()
    tables = {key: value for key, value in settings.items() if isinstance(value, dict) or _is_tables(value)}
    flat = tomli_w.dumps({key: value for key, value in settings.items() if key not in tables})
    # A table of a step is written with its whole name, which TOML takes for one of the step above it.
    named = ""
    for key, value in tables.items():
        for entry in value if isinstance(value, list) else ():
            named += f"\n[[steps.{key}]]\n{tomli_w.dumps(entry)}"
        if isinstance(value, dict):
            named += f"\n{tomli_w.dumps({'steps': {key: value}})}"
    return f"[[steps]]\n{flat}{named}".rstrip("\n")


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _remark(text: str) -> list[str]:
    """Return a comment as lines, none empty at its ends; what TOML forbids in comments is written as an escape."""
    lines = "\n".join(text.splitlines()).strip().split("\n")
    return [f"# {''.join(c if c.isprintable() else repr(c)[1:-1] for c in line)}".rstrip() for line in lines if lines != [""]]


def _before(step: Callable[[str | None], Image], image: Image) -> Image:
    """Return what stood before a step for what stood after it."""
    if isinstance(image, Exactly):
        return step(image.value)
    if isinstance(image, Values):
        found: set[str | None] = set()
        for value in {*image.values, image.label}:
            part = step(value)
            if not isinstance(part, Exactly | Values):
                return Everything()
            found |= part.values if isinstance(part, Values) else {part.value}
        return Values(frozenset(found), image.label)
    return Everything()


def _epsilon(step: Transformation) -> float:
    found: float = getattr(step, "epsilon")  # noqa: B009 (those that are private have one)
    return found


def _hidden_by(step: Transformation) -> tuple[str, ...]:
    """Return what every epsilon of a step is about: a column each, or all of them together."""
    return (" + ".join(step.columns),) if step.together else step.columns


def columns_of(steps: Iterable[Transformation]) -> tuple[str, ...]:
    """Return every column that steps change, once."""
    return tuple(dict.fromkeys(column for step in steps for column in step.columns))
