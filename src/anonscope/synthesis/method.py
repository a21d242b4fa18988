"""What a method of synthesis is: named, cited, with its parameters as fields, and plain about whether it guarantees anything."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from anonscope.errors import OptionError
from anonscope.risk.counting.arrays import Integers
from anonscope.synthesis.curator import Curator
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.ledger import Ledger
from anonscope.synthesis.values import Values

NO_GUARANTEE = "no guarantee: the method learns from the records without noise, so what it gives away must be measured by attacks"


class Model(ABC):
    """What was learnt: records can be drawn from it, as many as anybody likes."""

    __slots__ = ()

    @property
    @abstractmethod
    def total(self) -> float:
        """How many records the table seems to have."""

    @property
    @abstractmethod
    def structure(self) -> tuple[tuple[int, ...], ...]:
        """Which columns were counted together, beyond each by itself."""

    @abstractmethod
    def draw(self, rows: int, chance: np.random.Generator) -> list[Integers]:
        """Return records as cells of the domain, a column at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(ABC):
    """A method of synthesis; its fields are its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    private: ClassVar[bool]
    extra: ClassVar[str | None] = None  # the optional dependency that it needs

    @property
    def parameters(self) -> dict[str, Any]:
        """What was chosen of it, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def check(self, domain: Domain) -> None:
        """Raise if the method cannot work on such a domain; no record is read for it."""
        if not domain.columns:
            raise self.fail("the domain has no column.")

    def fail(self, problem: str) -> OptionError:
        """Return the error for a parameter."""
        return OptionError(f"Method {self.name}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateMethod(Method):
    """A method that sees the table through noisy counts only."""

    private: ClassVar[bool] = True
    extra: ClassVar[str | None] = "dp"

    @abstractmethod
    def fit(self, curator: Curator, domain: Domain, ledger: Ledger) -> Model:
        """Return what was learnt; everything that it cost is in the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordMethod(Method):
    """A method that learns from the records as they are; it guarantees nothing."""

    private: ClassVar[bool] = False

    def doubt(self, records: int) -> str | None:
        """Return why little can be learnt from so few records, in a sentence; None where there are enough."""
        return None

    @abstractmethod
    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        """Return so many records, made of what the given ones are like."""
