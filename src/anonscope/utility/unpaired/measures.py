"""Every measure of a release whose records are nobody's, in the order reports show them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from anonscope.utility.measure import Better, Found, Scope, UtilityMeasurement, measured
from anonscope.utility.unpaired.analyses import associations_change, impossible_share, model_scores, regression
from anonscope.utility.unpaired.marginals import equivalent_share, of_sets, worst_group
from anonscope.utility.unpaired.matches import disclosed_share, exact_share, unique_share
from anonscope.utility.unpaired.propensity import propensity
from anonscope.utility.unpaired.tables import Unpaired

_NIST = "C. Task, K. Bhagat and G. Howarth (2023), SDNist v2: Deidentified Data Report Tool, NIST"
_FEW = "there are fewer columns than that"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairedUtility:
    """One measure of two tables as wholes: everything that reports and documentation say about it."""

    name: str
    title: str
    question: str
    reading: str
    formula: str
    source: str
    better: Better
    range: tuple[float, float | None]
    scopes: tuple[Scope, ...]
    variants: tuple[str, ...] = ()  # the default comes first
    raw: str | None = None
    measure: Callable[[Unpaired], Iterable[UtilityMeasurement]]

    def __str__(self) -> str:
        return self.name


def _marginal_score(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    for k, variant in ((3, "triples"), (2, "pairs")):
        answer = Found(1000 * (1 - float(of_sets(tables, k)[1].mean()))) if len(tables.names) >= k else _FEW
        yield measured("k_marginal_score", answer, None, variant)


def _worst_group(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    found = {name: worst_group(tables, place) for place, name in enumerate(tables.names)}
    known = {name: Found(1000 * value) for name, value in found.items() if value is not None}
    whole = min(known.values(), key=lambda f: f.value) if known else "no column makes groups that are large enough"
    yield measured("worst_group_score", whole)
    yield from (measured("worst_group_score", answer, name) for name, answer in known.items())


def _variation(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    for k, variant in ((2, "pairs"), (3, "triples"), (1, "columns")):
        if len(tables.names) < k:
            yield measured("marginal_variation", _FEW, None, variant)
            continue
        sets, found = of_sets(tables, k)
        yield measured("marginal_variation", Found(float(found.mean())), None, variant)
        if k == 1:
            for (place,), value in zip(sets, found, strict=True):
                yield measured("marginal_variation", Found(float(value)), tables.names[place], variant)


def _propensity(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    found, expected = propensity(tables)
    yield measured("propensity_ratio", Found(found / expected, found) if expected > 0 else "no column has two values that are not rare")


def _equivalent(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    share = equivalent_share(tables)
    yield measured("equivalent_subsample", Found(share, share * tables.records[0]))


def _regression(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    found = regression(tables)
    for i, variant in enumerate(("overlap", "signs")):
        answer = found if isinstance(found, str) else Found(float(found[i]), float(found[2]))
        yield measured("regression_consistency", answer, tables.target, variant)


def _association(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    found = associations_change(tables)
    yield measured("pairwise_association_change", found if isinstance(found, str) else Found(found))


def _model(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    found = model_scores(tables)
    if isinstance(found, str):
        yield measured("synthetic_model", found, tables.target)
        return
    variant = "held out" if found[2] else "part of the original"
    yield measured("synthetic_model", Found(found[0], found[1]), tables.target, variant)


def _impossible(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    found = impossible_share(tables)
    yield measured("impossible_combinations", found if isinstance(found, str) else Found(found))


def _exact(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    yield measured("exact_matches", Found(exact_share(tables)))


def _unique(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    yield measured("unique_matches", Found(unique_share(tables)))


def _disco(tables: Unpaired) -> Iterable[UtilityMeasurement]:
    if not tables.sensitive:
        yield measured("disco", "no sensitive attribute is named")
    for name in tables.sensitive:
        found = disclosed_share(tables, name)
        yield measured("disco", found if isinstance(found, str) else Found(found), name)


_ALL = (
    UnpairedUtility(
        name="k_marginal_score",
        title="k-marginal score",
        question="How alike are the frequencies of all combinations of three values?",
        reading="1000: as in the original; 0: nothing in common. A bootstrap sample of the original is near 960.",
        formula="1000 · (1 - mean over sets of k columns of TV)",
        source=_NIST,
        better="higher",
        range=(0, 1000),
        scopes=("table",),
        variants=("triples", "pairs"),
        measure=_marginal_score,
    ),
    UnpairedUtility(
        name="worst_group_score",
        title="Score of the worst group",
        question="How alike are the frequencies within the group that fares worst?",
        reading="The k-marginal score over pairs of the group that has the least; far below that of the table, some people are not served.",
        formula="min over groups g of a column: 1000 · (1 - mean over pairs of TV within g)",
        source=_NIST,
        better="higher",
        range=(0, 1000),
        scopes=("table", "attribute"),
        measure=_worst_group,
    ),
    UnpairedUtility(
        name="marginal_variation",
        title="Variation of combinations",
        question="What share of the records would have to change for two columns together to be as frequent as they were?",
        reading="0: as in the original; 1: nothing in common.",
        formula="mean over sets of columns of ½ Σ |share before - share after|",
        source="R. McKenna, G. Miklau and D. Sheldon (2021), Winning the NIST Contest, Journal of Privacy and Confidentiality 11(3)",
        better="lower",
        range=(0, 1),
        scopes=("table", "attribute"),
        variants=("pairs", "triples", "columns"),
        measure=_variation,
    ),
    UnpairedUtility(
        name="propensity_ratio",
        title="Propensity score ratio",
        question="How much better than chance does a model tell released records from original ones?",
        reading="1: as another sample of the same people; below: closer to the original's own records; 10 and more: easily told apart.",
        formula="pMSE / ((p - 1) (1 - c) c / N), pMSE = mean (score - c)², c the share of released records, p coefficients",
        source="J. Snoke, G. Raab, B. Nowok, C. Dibben and A. Slavkovic (2018), General and specific utility measures for synthetic data, "
        "JRSS A 181(3)",
        better="lower",
        range=(0, None),
        scopes=("table",),
        raw="pMSE itself",
        measure=_propensity,
    ),
    UnpairedUtility(
        name="equivalent_subsample",
        title="Equivalent subsample",
        question="A random sample of which share of the original differs from it as much?",
        reading="0.12: as good as releasing a sample of 12 %; 1: as good as the table itself.",
        formula="the share f at which a sample without replacement has the same mean TV over pairs",
        source=_NIST,
        better="higher",
        range=(0, 1),
        scopes=("table",),
        raw="records of such a sample",
        measure=_equivalent,
    ),
    UnpairedUtility(
        name="regression_consistency",
        title="Consistency of a regression",
        question="Does a regression on the release come to the coefficients that it has on the original?",
        reading="1: the same intervals, the same signs; 0: none of them.",
        formula="overlap: mean of ½ (o / l + o / l'), o the common part of two 95 % intervals, l and l' their lengths; signs: share of "
        "significant coefficients with the same sign",
        source="A. Karr, C. Kohnen, A. Oganian, J. Reiter and A. Sanil (2006), A framework for evaluating the utility of data altered to "
        "protect confidentiality, The American Statistician 60(3)",
        better="higher",
        range=(0, 1),
        scopes=("attribute",),
        variants=("overlap", "signs"),
        raw="coefficients compared",
        measure=_regression,
    ),
    UnpairedUtility(
        name="pairwise_association_change",
        title="Change of association over pairs",
        question="How much did what columns say about each other change, records aside?",
        reading="0: every pair is as closely associated as it was.",
        formula="mean over pairs of |V before - V after|, V being Cramér's",
        source="H. Cramér (1946), Mathematical Methods of Statistics",
        better="lower",
        range=(0, 1),
        scopes=("table",),
        measure=_association,
    ),
    UnpairedUtility(
        name="synthetic_model",
        title="Model learnt from the release",
        question="How well does a model that learnt from the release alone predict people of the original kind?",
        reading="The area under the curve: 1 always right, 0.5 guessing. Compare it with what a model learnt from the original reaches.",
        formula="AUC of gradient boosting, learnt from the release, tested on people held out",
        source="C. Esteban, S. Hyland and G. Rätsch (2017), Real-valued (medical) time series generation with recurrent conditional GANs",
        better="higher",
        range=(0, 1),
        scopes=("attribute",),
        variants=("held out", "part of the original"),
        raw="the same of a model learnt from the original",
        measure=_model,
    ),
    UnpairedUtility(
        name="impossible_combinations",
        title="Combinations that the original never has",
        question="How many released records have two values together that nobody had, though by chance five would?",
        reading="0: none; a pregnant man, a married child.",
        formula="share of released records with a pair of values whose count is 0 where n · p · q ≥ 5",
        source=_NIST,
        better="lower",
        range=(0, 1),
        scopes=("table",),
        measure=_impossible,
    ),
    UnpairedUtility(
        name="exact_matches",
        title="Exact matches",
        question="How many released records are records of the original?",
        reading="1 if the original itself is released. Few columns with few values match by chance.",
        formula="share of released records whose values, in all columns compared, some record of the original has",
        source=_NIST,
        better="lower",
        range=(0, 1),
        scopes=("table",),
        measure=_exact,
    ),
    UnpairedUtility(
        name="unique_matches",
        title="Unique exact matches",
        question="How many people whom nobody else equals stand in the release as they are?",
        reading="The share of the original's records; 0 is best. Somebody else may have the same values by chance.",
        formula="share of original records that are unique and whose values some released record has",
        source="G. Raab, B. Nowok and C. Dibben (2024), Practical privacy metrics for synthetic data",
        better="lower",
        range=(0, 1),
        scopes=("table",),
        measure=_unique,
    ),
    UnpairedUtility(
        name="disco",
        title="DiSCO",
        question="Of how many people does the release tell the secret to who knows their quasi-identifiers, and rightly?",
        reading="0: of nobody. It counts what anybody would guess as well: compare it with a control.",
        formula="share of original records whose quasi-identifiers have one value of the secret in the release, which is theirs",
        source="G. Raab, B. Nowok and C. Dibben (2024), Practical privacy metrics for synthetic data",
        better="lower",
        range=(0, 1),
        scopes=("attribute",),
        measure=_disco,
    ),
)
UNPAIRED: dict[str, UnpairedUtility] = {utility.name: utility for utility in _ALL}


def measure_unpaired(tables: Unpaired) -> tuple[UtilityMeasurement, ...]:
    """Return what every measure says of a release whose records are nobody's."""
    return tuple(m for utility in _ALL for m in utility.measure(tables))
