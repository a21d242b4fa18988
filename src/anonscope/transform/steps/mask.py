"""Masking: the characters that tell are covered, the rest stays readable.

ISO/IEC 20889, masking; the de-identification strategy of the same name in appendix 3 of the pipeline paper, where every name
becomes "xxxx" whatever its length.
"""

from dataclasses import dataclass, fields
from typing import ClassVar

from anonscope.columns.images import Everything, Image
from anonscope.engines import Engine
from anonscope.engines.spark.java_pattern import java_pattern
from anonscope.errors import shown
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import AnyValueTransformation, Effect, check_types, whole


@dataclass(frozen=True, slots=True)
class Masked(Image):
    """Texts that begin and end so; with a `length`, only those that are so long, else those that are longer than both ends."""

    start: str
    end: str
    length: int | None
    label: str

    def contains(self, value: str | None) -> bool:
        if value is None or not (value.startswith(self.start) and value.endswith(self.end)):
            return False
        return len(value) == self.length if self.length is not None else len(value) > len(self.start) + len(self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask(AnyValueTransformation):
    """Cover all characters of a column but the `first` and the `last` ones, or what fits a `pattern`."""

    name: ClassVar[str] = "mask"
    title: ClassVar[str] = "Mask"
    standard: ClassVar[str] = "masking"
    effect: ClassVar[Effect] = "suppression"

    first: int = 0
    last: int = 0
    length: int | None = None  # of the covered part, whatever it was
    character: str = "x"
    pattern: str = ""
    replacement: str | None = None  # the character, unless told

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        AnyValueTransformation.__post_init__(self)
        whole(self, "first", self.first, 0)
        whole(self, "last", self.last, 0)
        if self.length is not None:
            whole(self, "length", self.length)
        if len(self.character) != 1:
            raise self.fail("character must be one character")
        if self.pattern and (self.first or self.last or self.length is not None):
            raise self.fail("pattern says what is covered, so first, last and length mean nothing beside it")
        if self.replacement is not None and not self.pattern:
            raise self.fail("replacement stands for what fits a pattern, and there is none")
        if self.pattern:
            self._check_pattern()

    def _check_pattern(self) -> None:
        # Arrow has the regular expressions that the engine has, so a recipe is checked before any table is opened.
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            pc.replace_substring_regex(pa.array([""]), pattern=self.pattern, replacement="")
        except pa.ArrowInvalid:
            raise self.fail("pattern is no regular expression that the engine knows (RE2: no look-around, no back-references)") from None
        try:
            pc.replace_substring_regex(pa.array([""]), pattern=self.pattern, replacement=self._replacement)
        except pa.ArrowInvalid:
            raise self.fail("replacement names a group (\\1, \\2, ...) that the pattern does not have") from None

    def check_engine(self, engine: Engine) -> None:
        AnyValueTransformation.check_engine(self, engine)
        if self.pattern and engine.remote and (java_pattern(self.pattern) is None or self._fits_nothing()):
            raise self.fail(
                f"pattern may mean something else on {engine.title}, which reads regular expressions as Java does. Use plain classes such "
                r"as [A-Za-z] and \d, no flags, no \b, no [:alpha:], and nothing that fits an empty text; or use the engine DuckDB"
            )

    def _fits_nothing(self) -> bool:
        import pyarrow as pa
        import pyarrow.compute as pc

        return bool(pc.match_substring_regex(pa.array([""]), pattern=self.pattern)[0].as_py())

    @property
    def _replacement(self) -> str:
        if self.replacement is not None:
            return self.replacement
        return self.character.replace("\\", "\\\\")

    @property
    def words(self) -> str:
        if self.pattern:
            return f"mask what fits a pattern in {shown(self.column)}"
        kept = [f"{which} {count}" for which, count in (("first", self.first), ("last", self.last)) if count]
        return f"mask {shown(self.column)}" + (f" but the {' and '.join(kept)} characters" if kept else "")

    def expression(self, table: Table) -> Expression:
        text, quoted = table.text(self.column), table.engine.text
        if self.pattern:
            return Expression(f"REGEXP_REPLACE({text}, {quoted(self.pattern)}, {quoted(self._replacement)}, 'g')", "VARCHAR")
        kept = self.first + self.last
        cover = quoted(self.character)
        hidden = self.length if self.length is not None else f"LENGTH({text}) - {kept}"
        partly = [f"REPEAT({cover}, {hidden})"]
        if self.first:
            partly.insert(0, f"SUBSTR({text}, 1, {self.first})")
        if self.last:
            partly.append(f"SUBSTR({text}, LENGTH({text}) - {self.last - 1})")
        # Of a value that is not longer than what may be kept, all would be kept.
        wholly = f"REPEAT({cover}, {self.length if self.length is not None else f'LENGTH({text})'})"
        return Expression(f"CASE WHEN LENGTH({text}) > {kept} THEN {' || '.join(partly)} ELSE {wholly} END", "VARCHAR")

    def image_of(self, released: str) -> Image:
        kept = self.first + self.last
        if self.pattern:
            return Everything()
        if self.length is None and len(released) <= kept:
            return Masked("", "", len(released), released)
        if self.length is not None and (len(released) <= self.length or not kept):
            return Everything()
        end = released[len(released) - self.last :]
        return Masked(released[: self.first], end, len(released) if self.length is None else None, released)
