"""Which column goes into which fragment of a table, what a fragment sees of it, and what it must keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from anonscope.columns.roles import left_of
from anonscope.errors import ColumnNotFound, OptionError, PolicyError, shown
from anonscope.operations.read import Data
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import Policy


@dataclass(frozen=True, slots=True)
class Split:
    """Which column goes where."""

    data: Data
    common: tuple[str, ...]
    target: str | None
    sensitive_in: int | Literal["all"]

    def check(
        self, fragments: Sequence[Sequence[str]] | None, number: int, per_column: Mapping[str, Mapping[str, Any]], *, assemble: bool
    ) -> None:
        """Say what is wrong with the wishes before any work is done."""
        roles, columns = self.data.roles, self.data.columns
        roles.check(columns)
        for column in (
            *self.common,
            *([self.target] if self.target is not None else []),
            *(c for given in per_column.values() for c in given),
        ):
            if column not in columns:
                raise ColumnNotFound(column, columns)
        for name, given in per_column.items():
            for column in given:
                if column not in roles.attributes and not (name == "hierarchies" and column in roles.sensitive):
                    raise OptionError(f"Column {shown(column)} is no quasi-identifier, so it is not recoded.")
        taken = (*roles.attributes, *roles.direct_identifiers, roles.person, roles.household, roles.weight)
        if self.target is not None and self.target in taken:
            raise OptionError(f"The target {shown(self.target)} must be sensitive or without a role: it is released as it is.")
        for column in self.common:
            if column in (*roles.direct_identifiers, *roles.sensitive, roles.person, roles.household, roles.weight):
                raise OptionError(f"Column {shown(column)} cannot be common to all fragments: it would tie them together, or is sensitive.")
        if self.common and assemble:
            raise OptionError("Assembled fragments belong together row by row; they need no common columns.")
        many = len(fragments) if fragments is not None else number
        if self.sensitive_in != "all" and not 1 <= self.sensitive_in <= many:
            raise OptionError(f'Sensitive attributes go to fragment 1 to {many} or to "all", not to {self.sensitive_in}.')
        if fragments is not None:
            placed = {column for fragment in fragments for column in fragment}
            for column in roles.attributes:
                if column not in placed and column not in self.common:
                    raise OptionError(f"Quasi-identifier {shown(column)} is in no fragment. Every one must be in one.")
            for column in placed:
                if column in columns and column not in roles.attributes:
                    raise OptionError(f"Column {shown(column)} is no quasi-identifier; fragments are made of those, the rest is placed.")

    def has_sensitive(self, number: int) -> bool:
        return self.sensitive_in in ("all", number)

    def recoded(self, fragment: Sequence[str], number: int) -> tuple[str, ...]:
        """Return the columns of a fragment that hierarchies, weights and levels may be about."""
        roles = self.data.roles
        shared = [c for c in self.common if c in roles.attributes]
        return (*fragment, *shared, *(roles.sensitive if self.has_sensitive(number) else ()))

    def view(self, fragment: Sequence[str], number: int) -> Data:
        """Return the table as a fragment sees it: what it does not have is dropped, and the person serves for counting only."""
        data, roles = self.data, self.data.roles
        elsewhere = {*roles.attributes, *roles.sensitive, *roles.direct_identifiers, roles.person, self.target, *self.common}
        rest = [c for c in data.columns if c not in elsewhere] if number == 1 else []
        everywhere = [*self.common, *([self.target] if self.target is not None and self.target not in roles.sensitive else [])]
        held = {*fragment, *everywhere, *rest, *(roles.sensitive if self.has_sensitive(number) else ())}
        counting = {*held, *([roles.person] if roles.person is not None else [])}
        narrowed = replace(
            left_of(roles, [c for c in data.columns if c in counting]),
            direct_identifiers=tuple(c for c in data.columns if c not in counting),
            hierarchies={c: file for c, file in roles.hierarchies.items() if c in held},
        )
        view = Data(data.relation, data.engine, narrowed, data.rows, data.outside)
        view.path, view.perturbed, view.privacy_loss = data.path, data.perturbed, data.privacy_loss
        view.acknowledged = data.acknowledged
        view.named = roles.direct_identifiers
        return view

    def policy(self, policy: Policy, number: int) -> Policy:
        """Return what a fragment must keep: without a sensitive attribute, nothing that is about one."""
        if self.has_sensitive(number) or not self.data.roles.sensitive:
            return policy
        rules = tuple(rule for rule in policy.rules if "sensitive" not in METRICS[rule.metric].needs and rule.variant != "inference")
        if not rules:
            raise PolicyError("All limits are about sensitive attributes, so a fragment without one has nothing to keep: put them in all.")
        return policy if rules == policy.rules else replace(policy, rules=rules, name=f"{policy.name}, without sensitive attributes")

    def shared(self, number: int) -> tuple[str, ...]:
        """Return the columns that several of so many fragments have."""
        if number < 2:
            return ()
        sensitive = self.data.roles.sensitive
        target = [self.target] if self.target is not None and self.target not in sensitive else []
        return (*self.common, *target, *(sensitive if self.sensitive_in == "all" else ()))
