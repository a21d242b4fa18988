"""The recipe of what a search found: identifiers dropped, quasi-identifiers recoded, ids in other names; it makes the release again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.roles import Roles
from anonscope.risk.policy import Policy, as_rules, load, preset_names
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.beside import save_all
from anonscope.transform.search.methods import Solved
from anonscope.transform.search.prepare import SearchSettings
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.pseudonymise import Pseudonymise
from anonscope.transform.steps.recode import Recode
from anonscope.transform.transformation import Transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What is searched for: a policy, its rules that a search can aim at, the roles, what else was asked, and who else counts."""

    policy: Policy
    aim: Policy
    roles: Roles
    settings: SearchSettings
    population: Any = None  # a source, where a rule is about everybody whom the records may belong to
    population_columns: Mapping[str, str] = field(default_factory=dict)

    def step(self, solved: Solved | None = None) -> Recode:
        """Return the step of the recipe: what was asked, and what was found."""
        roles, settings = self.roles, self.settings
        assert settings.suppressed != "unchecked", "classes that nobody looks at are for comparing with others, and for no release"
        preset = self.policy.name in preset_names() and load(self.policy.name) == replace(self.aim, exceptions=())
        bounds = settings.levels or {}
        return Recode(
            quasi_identifiers=roles.quasi_identifiers,
            policy=self.policy.name if preset else None,
            rules=() if preset else as_rules(self.aim),
            exceptions=tuple(e.to_dict() for e in self.policy.exceptions),
            method=solved.method if solved is not None else "local",
            sensitive=roles.sensitive,
            person=roles.person,
            scenarios={s.name: s.quasi_identifiers for s in roles.scenarios},
            distance=dict(roles.distance),
            start=solved.start if solved is not None else None,
            steps=solved.repeat if solved is not None else {},
            levels=dict(zip(roles.attributes, solved.levels, strict=True)) if solved is not None and solved.levels is not None else {},
            lowest={column: low for column, (low, _) in bounds.items() if low},
            highest={column: high for column, (_, high) in bounds.items()},
            weights=settings.weights or {},
            suppression=settings.suppression,
            suppressed=settings.suppressed,
            population=str(Path(self.population).absolute()) if isinstance(self.population, str | Path) else None,
            population_columns=dict(self.population_columns),
        )

    def recipe(
        self, steps: Sequence[Transformation], ladders: Mapping[str, Hierarchy], folder: Path, source: str, numbering: Sequence[str]
    ) -> Recipe:
        """Return the recipe of a release of `source`; until somebody writes it, its hierarchies wait in a private folder.

        `numbering` are the columns that only number the records, and are left out for it.
        """
        folder.mkdir()
        named = save_all({column: ladder for column, ladder in ladders.items() if ladder.leaves}, folder)
        return Recipe(
            tuple(replace(step, hierarchies=named) if isinstance(step, Recode) else step for step in steps),
            tuple(self._why(step, numbering) for step in steps),
            f"Made by anonscope anonymise from {source}.",
            folder,
        )

    def _why(self, step: Transformation, numbering: Sequence[str]) -> str:
        """Return why the recipe has a step."""
        if isinstance(step, DropColumn):
            return "It only numbers the records." if step.column in numbering else "A direct identifier."
        return "Whose records they are, without who that is." if isinstance(step, Pseudonymise) else f"What meets {self.policy.title}."
