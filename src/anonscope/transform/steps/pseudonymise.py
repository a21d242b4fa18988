"""Pseudonyms: the same person has the same one everywhere, and only who has the key can tell whose it is.

A keyed hash (HMAC-SHA-256, RFC 2104), never a bare one: of a bare hash of a name, a date of birth or an insurance number the original
is found by hashing all candidates. ISO/IEC 20889, pseudonymisation with pseudonyms derived by a keyed function.
"""

from dataclasses import dataclass, fields, replace
from typing import ClassVar

from anonscope.columns.images import Everything, Image
from anonscope.errors import RecipeError, shown
from anonscope.io.writing import check_absent
from anonscope.transform.randomness.keys import derived_key, keyed_hash, read_key
from anonscope.transform.seeds import Seed, check_seed, drawn_seed
from anonscope.transform.table import Expression, PrivateFile, Table
from anonscope.transform.transformation import AnyValueTransformation, Effect, Transformation, check_types, whole

_SHORTEST, _LONGEST = 8, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonymise(AnyValueTransformation):
    """Replace every value of a column by a pseudonym that depends on it and on a secret key."""

    name: ClassVar[str] = "pseudonymise"
    title: ClassVar[str] = "Pseudonymise"
    standard: ClassVar[str] = "pseudonymisation"
    effect: ClassVar[Effect] = "pseudonymisation"

    key_file: str = ""
    key_variable: str = ""
    domain: str = ""
    length: int = 32
    mapping_file: str = ""
    seed: Seed | None = None  # instead of a key that other tables share

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        AnyValueTransformation.__post_init__(self)
        check_seed(self, self.seed)
        if sum(map(bool, (self.key_file, self.key_variable, self.seed is not None))) > 1:
            raise self.fail("key_file, key_variable or seed must say where the key is: one of them, or none, and then a seed is drawn")
        whole(self, "length", self.length, _SHORTEST)
        if self.length > _LONGEST:
            raise self.fail(f"length must be at most {_LONGEST}, which is all that the hash has")

    @property
    def words(self) -> str:
        return f"pseudonymise {shown(self.column)}"

    def seeded(self) -> Transformation:
        keyed = self.key_file or self.key_variable or self.seed is not None
        return self if keyed else replace(self, seed=drawn_seed())

    @property
    def seeds(self) -> tuple[Seed, ...]:
        return () if self.seed is None else (self.seed,)

    @property
    def reproducible(self) -> bool:
        return bool(self.key_file or self.key_variable or self.seed is not None)

    def expression(self, table: Table) -> Expression:
        secret = (
            read_key(table, self.key_file, self.key_variable)
            if self.key_file or self.key_variable
            else str(self.seed or drawn_seed()).encode()
        )
        key = derived_key(secret, self, self.domain)
        return Expression(f"SUBSTR({keyed_hash(table, key, table.text(self.column))}, 1, {self.length})", "VARCHAR")

    def apply(self, table: Table) -> Table:
        path = table.file(self.mapping_file) if self.mapping_file else None
        if path is not None:
            check_absent(path)
        # Hashed once: it costs more than all else, and what follows looks at the table several times.
        stored = table.computed("p", self.expression(table).sql).stored()
        mapping = f"SELECT DISTINCT {stored.text(self.column)} AS v, p FROM {stored.origin} WHERE NOT {stored.missing(self.column)}"
        values, pseudonyms = stored.engine.rows(f"SELECT COUNT(*), COUNT(DISTINCT p) FROM ({mapping}) AS t")[0]
        if values != pseudonyms:
            raise RecipeError(
                f"The {values:,} values of column {shown(self.column)} have only {pseudonyms:,} different pseudonyms of "
                f"{self.length} characters, so different people would become one. Raise length (up to {_LONGEST})."
            )
        done = stored.replaced({self.column: Expression("p", "VARCHAR")})
        if path is None:
            return done
        select = f"SELECT v AS value, p AS pseudonym FROM ({mapping}) AS t ORDER BY v"
        return replace(done, files=(*done.files, PrivateFile(path, select)))

    def image_of(self, released: str) -> Image:
        # Without the key a pseudonym tells nothing of what it stands for.
        return Everything()


def pseudonym_note(column: str, whose: str = "person") -> str:
    """Say what became of the id of the person or the household in a release, and what a pseudonym does not hide."""
    return (
        f"The id of the {whose}, {column!r}, is replaced by a pseudonym, whose key stays in the archive. "
        "Who knows several records of somebody may still tell which are theirs."
    )
