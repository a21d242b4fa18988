"""One line of a list of checks, such as the eighteen of HIPAA's Safe Harbor."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One class of identifiers: whether the table is free of it, and which columns are not."""

    number: int
    title: str
    status: Literal["pass", "fail", "not measured"]
    columns: tuple[str, ...] = ()
    reason: str | None = None
