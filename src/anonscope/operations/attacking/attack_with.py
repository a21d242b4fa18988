"""What a release is attacked with where attacks are part of something else: an audit, an anonymisation, a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from anonscope.attacks.attacker import Attacker
from anonscope.attacks.people import TARGETS
from anonscope.columns.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackWith:
    """Who is attacked, and how; `attack` says what each means.

    `original` is the table that the release was made of: a source, or what `read` returns. An audit needs it; an anonymisation and a
    comparison have it already.
    """

    original: Any = None
    control: Any = None
    external: Any = None
    external_columns: Mapping[str, str] | None = None
    external_only: bool = False
    attackers: Sequence[Attacker] | str | Path | None = None
    attacks: Sequence[str] | None = None
    key: str | None = None
    paired: bool | None = None
    hierarchies: Mapping[str, str | Path | Hierarchy] = field(default_factory=dict)
    targets: int | None = TARGETS
    group: str | None = None
    class_size: int | None = None
    model: bool = False
    seed: int = 1

    def options(self) -> dict[str, Any]:
        """Return what `attack` takes beside the two tables."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "original"}
