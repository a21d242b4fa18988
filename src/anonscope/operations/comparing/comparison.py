"""What a comparison of versions found, as one frozen result."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonscope.operations.audit import Audit
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.operations.result import Result
from anonscope.risk.policy import Policy
from anonscope.risk.policy.verdict import EXCEPTED
from anonscope.utility.balance import WEIGHT_PRESETS, BalanceForm, BalanceWeights, Sweep, WeightChoice

DEFAULT_PRESET = "balanced"
YOURS = "your weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
    """Versions of a table side by side; renders itself as text, JSON, Markdown or HTML."""

    source: str
    policy: Policy
    columns: tuple[str, ...]
    versions: tuple[ComparedVersion, ...]
    sweep: Sweep | None  # of the releases; None where none of them has a balance
    choice: WeightChoice | None
    notes: tuple[str, ...]
    form: BalanceForm
    # Columns without a role that the utility does not see, and whether a release changed them (None where that was not looked at).
    unweighed: Mapping[str, bool | None]

    @property
    def releases(self) -> tuple[ComparedVersion, ...]:
        """The versions that may be chosen: all but the original, which is here to be compared with."""
        return self.versions[1:]

    @property
    def met(self) -> tuple[str, ...]:
        """The releases that meet the policy, and of which nobody has to say a word before they go out."""
        return tuple(v.name for v in self.releases if not v.findings.verdict.exit_code)

    @property
    def waiting(self) -> tuple[ComparedVersion, ...]:
        """The releases that keep every limit and are withheld all the same, because a word is due."""
        return tuple(v for v in self.releases if v.findings.verdict.met and v.name not in self.met)

    @property
    def exit_code(self) -> int:
        """That of the best release, as an audit gives it: 0 if one meets the policy, 4 if one may go by stated exceptions, else 1."""
        return min((v.findings.verdict.exit_code for v in self.releases), key=(0, EXCEPTED, 1).index)

    @property
    def pareto(self) -> tuple[str, ...]:
        """The releases that no other one beats in both risk and utility."""
        known = [(v.name, v.balance.risk, v.balance.utility) for v in self.releases if v.balance is not None]
        return tuple(
            name for name, risk, utility in known if not any(r <= risk and u >= utility and (r, u) != (risk, utility) for _, r, u in known)
        )

    @property
    def weightings(self) -> dict[str, BalanceWeights]:
        """The weights by name under which versions are balanced: yours first, if you gave any, and those of the presets."""
        alpha = self.form.utility_weight
        return ({YOURS: BalanceWeights(alpha)} if alpha is not None else {}) | dict(WEIGHT_PRESETS)

    @property
    def usual(self) -> str:
        """The name of the weights that count where none are named: yours, else those of balanced."""
        return YOURS if self.form.utility_weight is not None else DEFAULT_PRESET

    def best(self, preset: str | None = None) -> str | None:
        """Return the release with the highest balance under weights by name, among those that meet the policy."""
        weights = self.weightings[preset or self.usual]
        chosen = [v for v in self.releases if v.name in self.met]
        known = [(v.balance.rut(weights), v.name) for v in chosen if v.balance is not None]
        if not known:
            return None
        value, name = max(known, key=lambda pair: pair[0])
        # A version whose labels were not all read may be better than it seems; then nobody knows which is best.
        rivals = (v.balance_at_most.rut(weights) for v in chosen if v.balance_at_most is not None and v.name != name)
        return name if all(rival <= value for rival in rivals) else None

    audits: Mapping[str, Audit] = field(repr=False)
