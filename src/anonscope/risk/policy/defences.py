"""What a privacy model by itself defends against: table 3 of Aufschläger et al. 2023, read from `defences.toml`.

The paper rates each model against the three attacks of WP216: singling out, linkability, inference. A rating is about the model and not
about a table: it says what a policy of that kind can be expected to stop, and what must be looked at beside it.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from anonscope.risk.metrics.metric import Attack
from anonscope.risk.policy.guarantee import CHECKLIST as GUARANTEED
from anonscope.risk.policy.policy import Policy

SCHEMA = "anonscope/defences/1"


@dataclass(frozen=True, slots=True)
class Rating:
    """Whether a model can serve as a defence against an attack, and the numbers of the notes that go with it."""

    defends: bool
    notes: tuple[int, ...]

    @property
    def text(self) -> str:
        """The rating as the paper prints it: + (3)."""
        sign = "+" if self.defends else "-"
        return f"{sign} ({','.join(map(str, self.notes))})" if self.notes else sign


@dataclass(frozen=True, slots=True)
class ModelDefence:
    """A privacy model with its rating against each attack, and the metrics by which a policy asks for it."""

    name: str
    title: str
    metrics: tuple[str, ...]
    against: Mapping[Attack, Rating]


@dataclass(frozen=True, slots=True)
class Defences:
    """The whole table, with its legend and its notes."""

    version: str
    source: str
    legend: Mapping[str, str]
    notes: Mapping[int, str]
    models: tuple[ModelDefence, ...]

    def asked_by(self, policy: Policy) -> tuple[ModelDefence, ...]:
        """Return the models that a policy asks for by its rules, or by the guarantee that it wants stated."""
        asked = {rule.metric for rule in policy.rules}
        return tuple(
            model
            for model in self.models
            if asked & set(model.metrics) or (model.name == "differential_privacy" and policy.checklist == GUARANTEED)
        )

    def notes_of(self, models: tuple[ModelDefence, ...]) -> dict[int, str]:
        """Return the notes that ratings of these models refer to."""
        used = {note for model in models for rating in model.against.values() for note in rating.notes}
        return {number: text for number, text in self.notes.items() if number in used}

    def to_dict(self, policy: Policy) -> dict[str, Any]:
        """Return what the table says of the models that a policy asks for, as plain data."""
        models = self.asked_by(policy)
        return {
            "source": self.source,
            "version": self.version,
            "models": [
                {
                    "name": model.name,
                    "title": model.title,
                    "against": {
                        attack: {"defends": rating.defends, "notes": list(rating.notes)} for attack, rating in model.against.items()
                    },
                }
                for model in models
            ],
            "notes": [{"number": number, "text": text} for number, text in self.notes_of(models).items()],
        }


@cache
def defences() -> Defences:
    """Return the table."""
    content = tomllib.loads((resources.files("anonscope.risk.policy") / "defences.toml").read_text(encoding="utf-8"))
    return Defences(
        version=content["version"],
        source=content["source"],
        legend=content["legend"],
        notes={int(number): text for number, text in content["notes"].items()},
        models=tuple(
            ModelDefence(
                name=model["name"],
                title=model["title"],
                metrics=tuple(model["metrics"]),
                against={attack: Rating(model[attack]["defends"], tuple(model[attack]["notes"])) for attack in content["attacks"]},
            )
            for model in content["models"]
        ),
    )
