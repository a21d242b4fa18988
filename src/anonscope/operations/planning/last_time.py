"""A recipe of last time, held against a new delivery: whether it still does, and from where the smallest change starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonscope.errors import AnonscopeError, OptionError
from anonscope.operations.apply import apply
from anonscope.operations.audit import audit
from anonscope.operations.read import Data
from anonscope.risk.policy import Policy
from anonscope.risk.policy.exceptions import called
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.recode import Recode


@dataclass(frozen=True, slots=True, kw_only=True)
class LastTime:
    """What became of a recipe on a new table: whether its release meets the policy, that in words, and the levels it had."""

    holds: bool
    says: str
    change: str | None = None  # the smallest one that was found, where it does not hold
    levels: Mapping[str, int] = field(default_factory=dict)  # of a recipe that has one level a column


def recoding_of(recipe: Recipe) -> Recode:
    """Return the step that recodes until a policy is met; a recipe without one promises nothing that could be held against it."""
    found = [step for step in recipe.steps if isinstance(step, Recode)]
    if len(found) != 1:
        raise OptionError(
            f"The recipe has {len(found)} steps that recode until a policy is met, and a plan like it needs one: take the recipe in the "
            "archive of a release that anonymise made."
        )
    return found[0]


def last_time(data: Data, recipe: Recipe, policy: Policy) -> LastTime:
    """Return whether a recipe, carried out on this table, makes a release that meets a policy."""
    step = recoding_of(recipe)
    levels = {column: int(level) for column, level in step.levels.items()} if step.method == "global" else {}
    try:
        with apply(recipe, data).read() as left:
            verdict = audit(left, policy).verdict
    except AnonscopeError as error:
        return LastTime(holds=False, says=f"The recipe cannot be carried out on this table. {error}", levels=levels)
    if verdict.met:
        return LastTime(holds=True, says=f"The recipe still does: its release of this table meets {called(policy)}.", levels=levels)
    broken = [f"{r.rule.metric} {r.rule.limit_text}" for r in verdict.rules if r.status != "pass"]
    return LastTime(holds=False, says=f"The recipe does no longer: its release of this table breaks {', '.join(broken)}.", levels=levels)


def changed(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    """Return by how many levels which columns become coarser."""
    said = [f"{column} from level {level} to {after[column]}" for column, level in before.items() if after.get(column, level) != level]
    return ", ".join(said) if said else "no column; some records are suppressed"
