"""Results that may hold a release: what it was made by, and how it is published."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from anonscope.columns.hierarchy import Hierarchy
from anonscope.errors import OptionError
from anonscope.operations.apply import Release, order_of
from anonscope.operations.audit import Audit
from anonscope.operations.publishing.judging import Promise
from anonscope.operations.publishing.publish import publish
from anonscope.operations.publishing.unlinking import counted_before
from anonscope.operations.registering.registration import Registration
from anonscope.operations.result import Result
from anonscope.risk.counting.population import Outside
from anonscope.risk.policy import Policy
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.beside import printed, without_seeds


@dataclass(frozen=True, slots=True, kw_only=True)
class WithRelease(Result):
    """What a search came to: the release if its policy is met, with the audit of it."""

    source: str
    policy: Policy
    after: Audit | None = field(repr=False, default=None)
    release: Release | None = field(repr=False, default=None)
    hierarchies: Mapping[str, Hierarchy] = field(repr=False, default_factory=dict)
    _outside: Outside = field(repr=False, compare=False, default_factory=Outside)  # what other tables tell of the release
    _written: list[Path] = field(repr=False, compare=False, default_factory=list)  # where it was published
    _verb: ClassVar[str] = "anonymise"  # what a register says made it
    _without: ClassVar[str] = "The policy is not met, so there is no release to write."

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that reproduces the release."""
        return self.release.recipe if self.release is not None else None

    def write(self, path: str | Path, *, force: bool = False, formulas: str = "refuse", registration: Registration | None = None) -> Path:
        """Write the release, read it back and judge it, and put it in place with its manifest and its archive: recipe, hierarchies.

        With a `registration` it is held against the earlier releases of its population first, and added to their register.
        """
        if self.release is None:
            raise OptionError(self._without)
        target, kept = Path(path), self.after.verdict if self.after is not None else None
        # Whoever reads it back cannot attack it: what is promised there is what can be measured on the file.
        policy = replace(self.policy, attack_rules=())
        counted = counted_before(self.release, self.after)
        promise = Promise(roles=self.release.roles, policy=policy, kept=kept, outside=self._outside, counted=counted)
        order = order_of(self.release, target, [promise], self._verb)
        publish([order], force=force, formulas=formulas, registration=registration)
        self._written.append(target)
        return target

    @property
    def printed_recipe(self) -> Recipe | None:
        """The recipe with its files where they were written, if they were, and without its seeds: those stay in the archive."""
        if self.recipe is None:
            return None
        return printed(self.recipe, self._written[-1]) if self._written else without_seeds(self.recipe)
