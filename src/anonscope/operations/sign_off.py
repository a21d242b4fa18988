"""The dossier behind a release, for whoever signs: everything that was measured, what people said, and what nobody did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from anonscope.columns.roles import TITLES
from anonscope.columns.suggestion.suggestion import Suggestion
from anonscope.errors import OptionError, shown
from anonscope.io.progress import Progress, shown_in_notebooks, silent
from anonscope.operations.attack import Attacks
from anonscope.operations.attacking.attack_with import AttackWith
from anonscope.operations.audit import Audit
from anonscope.operations.compare import compare
from anonscope.operations.comparing.comparison import Comparison
from anonscope.operations.comparing.versions import ORIGINAL
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.operations.intruder_test import judge_intruder_test
from anonscope.operations.read import Data, check_opened, engine_limits
from anonscope.operations.result import Result
from anonscope.operations.signing.intruding import IntruderResult
from anonscope.operations.signing.published import Published, published
from anonscope.operations.signing.questions import Entry, SignOffAnswers, load_answers
from anonscope.operations.suggest import suggest
from anonscope.operations.verify import Verification, verify
from anonscope.operations.wishes.signing import Edition, SigningOff
from anonscope.risk.policy import DEFAULT, Policy
from anonscope.risk.policy import load as load_policy
from anonscope.risk.policy.law import Law
from anonscope.risk.policy.law import laws as known_laws
from anonscope.transform.release.manifest import file_hash


@dataclass(frozen=True, slots=True)
class ColumnDecision:
    """One column of the original: its role, who decided it, how sure a proposal is of it, and what was done."""

    column: str
    role: str
    decided_by: str
    confidence: str
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOff(Result):
    """Everything that a dossier says; renders itself as text, JSON, Markdown, HTML or PDF."""

    release: str
    source: str
    edition: Edition
    made: date
    published: Published = field(repr=False)
    verification: Verification = field(repr=False)
    comparison: Comparison = field(repr=False)
    columns: tuple[ColumnDecision, ...] = field(repr=False)
    answers: SignOffAnswers = field(repr=False)
    recipients: tuple[Entry, ...] = field(repr=False)
    laws: tuple[Law, ...] = field(repr=False)
    external: str | None = None
    intruder: IntruderResult | None = None  # what a person found out who tried
    made_of: bool | None = None  # whether it was made of the table that everything is measured against; None: nobody can know

    @property
    def before(self) -> Audit:
        """The audit of the original."""
        return self.comparison.audits[ORIGINAL]

    @property
    def version(self) -> ComparedVersion:
        """The release beside its original."""
        return self.comparison.releases[0]

    @property
    def after(self) -> Audit:
        """The audit of the release."""
        return self.comparison.audits[self.version.name]

    @property
    def attacks(self) -> Attacks | None:
        """What attacks on the release found."""
        return self.after.attacks

    @property
    def policy(self) -> Policy:
        """What it is judged by."""
        return self.after.policy

    @property
    def internal(self) -> bool:
        """Whether the edition holds what only its owner may see."""
        return self.edition == "internal"

    @property
    def private(self) -> bool:
        """An internal edition is written for its owner's eyes only."""
        return self.internal

    @property
    def holds(self) -> bool:
        """Whether the release is what was published, and not measured against another table than it was made of."""
        return self.verification.holds and self.made_of is not False

    @property
    def released(self) -> bool:
        """Whether both files are what they should be, and the release's audit lets it go."""
        return self.holds and self.after.verdict.released

    @property
    def exit_code(self) -> int:
        """That of an audit of the release; 1 where it is not what was published, or was not made of this original."""
        return self.after.verdict.exit_code if self.holds else 1


@shown_in_notebooks
def sign_off(
    release: str | Path,
    original: Data,
    *,
    external: Any = None,
    external_columns: Mapping[str, str] | None = None,
    control: Any = None,
    answers: SignOffAnswers | str | Path | None = None,
    edition: Edition = "internal",
    recipients: Sequence[str] = (),
    laws: Sequence[str | Path] = (),
    policy: str | Path | Policy | None = None,
    intruder_test: str | Path | None = None,
    progress: Progress | None = None,
) -> SignOff:
    """Return the dossier of a release that was published: everything is measured again, before and after, and held against rules.

    `original` is what `read` returns for the table that the release was made of; without roles, those of the manifest are taken.
    `answers` is what only people know, a file that `questions_text` asks for; what nobody answered is shown as not stated. `control`
    is people who are not in the original, `external` a table that an attacker may hold. `policy` is that of the manifest unless another
    is named. The edition `publishable` holds neither hashes of source and recipe nor seeds nor hierarchies. `laws` are files of further
    texts, `intruder_test` the folder of a test that was judged.
    An original that is not the table that the release was made of, by the hash in the archive, is said so, and nothing is released.
    The three questions, the attacks and the verdict are said "by these rules"; what they mean in court no program says.
    """
    check_opened(original, "an.sign_off('release.csv', an.read('original.csv'), answers='answers.toml')")
    SigningOff(edition=edition, recipients=recipients, external_columns=external_columns)
    said = answers if isinstance(answers, SignOffAnswers) else load_answers(answers) if answers is not None else SignOffAnswers()
    known = known_laws(laws)
    _check_rules(said, known)
    chosen = said.only(recipients)
    judged = load_policy(policy) if policy is not None else None
    tell = progress or silent
    if original.engine.remote:
        raise OptionError(f"A dossier looks at records one by one, and on {original.engine.title} they stay where they are. Use DuckDB.")
    path = Path(release)
    tried = judge_intruder_test(intruder_test).result if intruder_test is not None else None
    if tried is not None and path.exists() and tried.sha256 != file_hash(path):
        raise OptionError(f"The intruder test was of another file than {shown(path.name)}.")
    tell("verifying the release", 0, 4)
    verification = verify(path, **engine_limits(original))
    papers = published(path)
    from_manifest = not original.roles.attributes and papers.roles is not None
    if from_manifest and papers.roles is not None:
        original.roles = papers.roles
    judged = judged or papers.policy or load_policy(DEFAULT)
    tell("looking at the columns", 1, 4)
    suggestion = original.suggestion or suggest(original)
    columns = tuple(_decisions(original, suggestion, papers, from_manifest=from_manifest))
    tell("measuring, linking and attacking", 2, 4)
    linked = {"external": external, "external_columns": external_columns}
    compared = compare(original, path, policy=judged, **linked, attacks=AttackWith(control=control))
    return SignOff(
        release=path.name,
        source=original.relation.name,
        edition=edition,
        made=date.today(),
        published=papers,
        verification=verification,
        comparison=compared,
        columns=columns,
        answers=said,
        recipients=chosen,
        laws=known,
        external=Path(external).name if isinstance(external, str | Path) else "a table" if external is not None else None,
        intruder=tried,
        made_of=papers.made_of(original.path),
    )


def _check_rules(answers: SignOffAnswers, known: Sequence[Law]) -> None:
    names = [law.name for law in known]
    for name in answers.of("rules") or ():  # type: ignore[union-attr]
        if name not in names:
            raise OptionError(f"The answers rely on {shown(str(name))}, a text that is not known. There are: {', '.join(names)}.")


def _decisions(original: Data, suggestion: Suggestion, papers: Published, *, from_manifest: bool) -> list[ColumnDecision]:
    """Return every column of the original with its role, and who says so."""
    roles, found = original.roles, []
    singles = {column: title for key, title in TITLES.items() if isinstance(column := getattr(roles, key), str)}
    lists = {column: title for key, title in TITLES.items() if not isinstance(named := getattr(roles, key), str) for column in named or ()}
    scenarios = dict.fromkeys(roles.attributes, TITLES["quasi_identifiers"])
    told = papers.decided_by if from_manifest else original.decided_by
    for column in original.columns:
        proposed = suggestion[column]
        role = singles.get(column) or lists.get(column) or scenarios.get(column)
        by = "nobody" if role is None else told.get(column, "taken from the manifest")
        same = "the same" if proposed.role == role else proposed.role
        found.append(ColumnDecision(column, role or "none", by, f"{same} ({proposed.certainty})", papers.done_to(column)))
    return found
