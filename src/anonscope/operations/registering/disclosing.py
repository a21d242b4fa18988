"""What all releases of the same people tell together of their sensitive values: whose is left for sure, and how often a guess is right."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anonscope.attacks.attacker import Attacker
from anonscope.attacks.composed import compose_values
from anonscope.attacks.people import targets
from anonscope.columns.roles import Roles
from anonscope.errors import AttackError, shown
from anonscope.io.figures import per_cent
from anonscope.operations.read import Data
from anonscope.transform.recipe import Recipe

# So many people are looked at: more than any attack draws, because one whose value is left for sure is one too many.
MOST_PEOPLE = 20_000
Described = tuple[Path, Roles, Recipe | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosed:
    """One sensitive column: shares of the people, by the release that tells most and by all of them together."""

    column: str
    people: int  # that were looked at
    sure_alone: float
    sure: float
    guessed_alone: float
    guessed: float

    @property
    def more(self) -> bool:
        """Whether the value of somebody is left for sure by all releases, and by none alone."""
        return self.sure > self.sure_alone

    @property
    def sentence(self) -> str:
        """The result in words."""
        sure, guess = ([per_cent(share) for share in pair] for pair in ((self.sure_alone, self.sure), (self.guessed_alone, self.guessed)))
        return (
            f"Of {shown(self.column)}, the value of {sure[0]} of {self.people:,} people is sure from one release, that of {sure[1]} from "
            f"all; the best guess is right about {guess[0]} and {guess[1]}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def disclosed(releases: Sequence[Described], people: Data) -> tuple[Disclosed, ...]:
    """Return it for every sensitive column of the last release, which is the new one, that an earlier one has too."""
    # Late: they know releases, which are published by what is registered here.
    from anonscope.operations.attacking.tables import Tables
    from anonscope.operations.comparing.versions import Opened

    *_, (_, new, _) = releases
    if not new.sensitive:
        return ()
    if people.engine.remote:
        raise AttackError(f"sensitive values are looked at record by record, and on {people.engine.title} they stay where they are")
    found = []
    with Tables(people, None, None) as tables:
        read = [tables.attacked(Opened(path, recipe, {}), {}, key=None, paired=None, seed=1, group=None)[0] for path, _, recipe in releases]
        known = tuple(dict.fromkeys(column for _, roles, _ in releases for column in roles.attributes if column in people.columns))
        for column in new.sensitive:
            having = [one for one in read if column in one.columns]
            if len(having) < 2 or column not in read[-1].columns:
                continue
            crowd = targets(having[-1], having[-1].original, MOST_PEOPLE, 1)
            sure, *guess = compose_values(having, Attacker(name="all releases", columns=known), crowd, None, column)
            if not guess or sure.success is None or guess[0].success is None:
                raise AttackError(f"of {shown(column)}, {sure.reason}")
            found.append(
                Disclosed(
                    column=column,
                    people=sure.targets,
                    sure_alone=sure.figures["best_release_alone"],
                    sure=sure.success,
                    guessed_alone=guess[0].figures["best_release_alone"],
                    guessed=guess[0].success,
                )
            )
    return tuple(found)
