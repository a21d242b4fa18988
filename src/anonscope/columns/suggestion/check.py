"""One line of a list of checks, such as the eighteen of HIPAA's Safe Harbor."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One class of identifiers: whether the table is free of it, and which columns are not; or another question, with its limit."""

    number: int
    title: str
    status: Literal["pass", "fail", "not measured"]
    columns: tuple[str, ...] = ()
    reason: str | None = None
    found: str | None = None  # what was found, where that is no number of columns
    limit: str = "0 columns"

    @property
    def label(self) -> str:
        """What is asked."""
        return f"{self.number}: {self.title if self.found is not None else f'no {self.title}'}"
