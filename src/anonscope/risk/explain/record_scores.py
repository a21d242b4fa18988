"""What every record risks, score by score, and by which score records are ordered when somebody asks about a rule.

Nothing here is a value of the data: counts, shares and risks only. Names of columns are those of the metrics.
"""

from typing import TYPE_CHECKING, Any

from anonscope.errors import OptionError, shown
from anonscope.risk.counting import Tuples
from anonscope.risk.explain.effect import EffectTable, entropies, information_terms
from anonscope.risk.explain.tuples import CountedBeside
from anonscope.risk.metrics import METRICS
from anonscope.risk.metrics.markov_chain import worst_chain_risk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_SIZE = ("k_anonymity", "records_at_risk", "average_class_size", "prosecutor", "marketer", "distinction", "separation")
_SHARE = ("correlation", "alpha_k_anonymity", "posterior")
_INFORMATION = (
    *("itpr", "discrimination_rate", "mutual_information", "conditional_privacy", "maximum_information_leakage"),
    *("entropy_l_diversity_risk", "entropy_variation", "entropy_l_diversity"),
)


def record_scores(
    table: EffectTable, known: tuple[int, ...], sensitive: tuple[str, ...], tuple_of: "Array", codes: "dict[str, Array]"
) -> "dict[str, Array]":
    """Return the scores of all records in their own order, for an attacker who knows some attributes."""
    import numpy as np

    classes = table.classes(known)
    group = classes.group[tuple_of]
    n, total, persons = classes.n[group], table.tuples.records, table.tuples.persons
    found: dict[str, Array] = {"class_size": n}
    if persons is not None:
        found["persons_in_class"] = classes.persons[group]
    found["uniqueness"] = np.ones(len(n)) if total == 1 else 1 - np.log(n) / np.log(total)
    found["uniformity"] = _uniformity(table, known, tuple_of, codes)
    for j, name in enumerate(sensitive):
        spread = table.cells[name].spread
        found[f"correlation with {name}"] = _looked_up(*table.spread(known, name), spread, group, codes[f"t{j}"]) / n
    for j, name in enumerate(sensitive):
        code = codes[f"t{j}"]
        of_value = np.bincount(code)[code]
        alone = 1 / of_value if persons is None else _shared(codes["u"], code) / of_value
        missed = (1 - found["uniformity"]) * (1 - found[f"correlation with {name}"]) * (1 - alone)
        found[f"markov with {name}"] = 1 - n / total * missed
    found["markov_chain"] = _chain(table, known)[group]
    for name, terms in (("itpr", information_terms(table, known, None)), *((s, information_terms(table, known, s)) for s in sensitive)):
        if terms is not None:
            found["itpr" if name == "itpr" else f"itpr about {name}"] = terms[group]
    return found | _of_attributes(table, known, sensitive, tuple_of, codes)


def _of_attributes(
    table: EffectTable, known: tuple[int, ...], sensitive: tuple[str, ...], tuple_of: "Array", codes: "dict[str, Array]"
) -> "dict[str, Array]":
    """Return what every attribute alone tells of a record."""
    found: dict[str, Array] = {}
    for place in known if len(known) > 1 else ():
        attribute = table.tuples.attributes[place]
        classes = table.classes((place,))
        group = classes.group[tuple_of]
        found[f"records with the same {attribute}"] = classes.n[group]
        found[f"uniformity of {attribute}"] = _uniformity(table, (place,), tuple_of, codes)
        for j, name in enumerate(sensitive):
            spread = table.cells[name].spread
            shared = _looked_up(*table.spread((place,), name), spread, group, codes[f"t{j}"])
            found[f"correlation of {attribute} with {name}"] = shared / classes.n[group]
    return found


def order_by(metric: str, table: EffectTable, known: tuple[int, ...], scores: "dict[str, Array]", tuple_of: "Array") -> "Array":
    """Return a number for every record, the larger the worse it does in a metric; raise where records have none."""
    import numpy as np

    def worst(*beginnings: str) -> "Array":
        chosen = [v for k, v in scores.items() if any(k == b or k.startswith((f"{b} with", f"{b} of", f"{b} about")) for b in beginnings)]
        if not chosen:
            raise OptionError(f"{METRICS[metric].title} is about a sensitive attribute, and none was named.")
        found: Array = np.max(chosen, axis=0)
        return found

    group = table.classes(known).group[tuple_of]
    if metric in _SIZE:
        return -scores["class_size"].astype(np.float64)
    if metric in ("uniqueness", "uniformity", "markov", "markov_chain"):
        return worst(metric)
    if metric in _SHARE:
        return worst("correlation")
    if metric in _INFORMATION:
        return worst("itpr")
    if metric in ("l_diversity", "t_closeness", "recursive_c_l_diversity") and table.cells:
        least: Array = -np.min([entropies(table, known, name)[0] for name in table.cells], axis=0)[group]
        return least
    raise OptionError(f"Which records a rule about {shown(metric)} is about cannot be told record by record.")


def _uniformity(table: EffectTable, known: tuple[int, ...], tuple_of: "Array", codes: "dict[str, Array]") -> "Array":
    classes = table.classes(known)
    group = classes.group[tuple_of]
    if table.tuples.persons is None:
        alone: Array = 1 / classes.n[group]
        return alone
    return _looked_up(*table.spread(known, None), table.tuples.persons, group, codes["u"]) / classes.n[group]


def _looked_up(group: "Array", code: "Array", n: "Array", beside: CountedBeside, of_group: "Array", of_code: "Array") -> "Array":
    """Return how many records each record shares both its group and a code with; pairs come in ascending order."""
    import numpy as np

    found: Array = n[np.searchsorted(group * beside.codes + code, of_group * beside.codes + of_code)]
    return found


def _shared(one: "Array", other: "Array") -> "Array":
    """Return how many records have both codes of each record."""
    import numpy as np

    _, place, counts = np.unique(one * (int(other.max()) + 1) + other, return_inverse=True, return_counts=True)
    shared: Array = counts[place]
    return shared


def _chain(table: EffectTable, known: tuple[int, ...]) -> "Array":
    """Return the Markov chain risk of every class: the worst over the attributes that an attacker may begin with."""
    import numpy as np

    classes, tuples = table.classes(known), table.tuples
    first = np.zeros(len(classes.n), dtype=np.int64)
    first[classes.group[::-1]] = np.arange(len(tuples))[::-1]
    names = tuple(tuples.attributes[a] for a in known)
    distinct = Tuples(
        names, tuple(tuples.codes[a][first] for a in known), tuple(tuples.radices[a] for a in known), classes.n.astype(np.float64)
    )
    return worst_chain_risk(distinct)
