"""What a release must keep, decided class by class or for the table as a whole.

Every limit measures what the metric of the same name measures in an audit; tests hold the two together. What the search may
conclude from one node about others is said here, once for each kind of limit:

* `merging`: classes that keep it keep it when they are merged. So where nothing may be suppressed, a node that fails rules out
  all finer ones.
* `shrinking`: a part of a class that breaks it breaks it as well. So whatever a node must suppress, finer nodes must suppress too.
* Where a limit is merging only, some part of a class that breaks it must be suppressed at finer nodes: at least one record, and
  by convexity a share (`at_least`) that grows with the distance from the limit.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats
from anonscope.risk.metrics import METRICS
from anonscope.risk.rounding import keeping
from anonscope.transform.search.classes import Classes


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit. `measure` gives a number a class, or one for the table; infinity is worse than any number."""

    metric: str
    measure: Callable[[Classes], Floats]
    per: Literal["class", "table"] = "class"
    minimum: float | None = None
    maximum: float | None = None
    strict: bool = False  # a maximum must be undercut
    merging: bool = False
    shrinking: bool = False
    at_least: Callable[[Floats, float], Floats] | None = None
    attributes: tuple[int, ...] | None = None  # whose classes it is about; None is all
    sensitive: int | None = None
    threshold: int | None = None
    about: tuple[str, ...] = ()  # what tells it from others on the same metric: sensitive attribute, variant, attributes

    @property
    def limit(self) -> float:
        limit = self.minimum if self.minimum is not None else self.maximum
        assert limit is not None, "a limit has a minimum or a maximum"
        return limit

    @property
    def name(self) -> str:
        """Return the limit as people write it."""
        about = f" ({', '.join(self.about)})" if self.about else ""
        title = METRICS[self.metric].title
        named = title if title.startswith("Markov") else f"{title[:1].lower()}{title[1:]}"
        return f"{named}{about} {'≥' if self.minimum is not None else '<' if self.strict else '≤'} {self.limit:g}"

    def accepts(self, values: Floats) -> Flags:
        """Return which values keep the limit."""
        return np.asarray(keeping(values, self.minimum, self.maximum, strict=self.strict))

    def keeps(self, classes: Classes) -> Flags:
        """Return which classes keep the limit or, for a limit on the table, whether it does; nothing at all keeps everything."""
        if classes.count == 0:
            return np.ones(0 if self.per == "class" else (), dtype=bool)
        return self.accepts(self.measure(classes))

    def worst(self, classes: Classes) -> float | None:
        """Return what an audit would show: the worst class's value; None where it is unbounded or there is no class."""
        if classes.count == 0:
            return None
        values = self.measure(classes)
        worst = float(values if self.per == "table" else values.min() if self.minimum is not None else values.max())
        return worst if np.isfinite(worst) else None

    def judged(self, classes: Classes) -> tuple[Flags, Floats]:
        """Return which classes keep a limit on classes, and how many records of each are suppressed here and at every finer node."""
        least = np.zeros(classes.count)
        if not classes.count:
            return np.ones(0, dtype=bool), least
        values = self.measure(classes)
        kept = self.accepts(values)
        if kept.all() or not (self.merging or self.shrinking):
            return kept, least
        broken = ~kept
        if self.shrinking:
            least[broken] = classes.n[broken]
            return kept, least
        share = self.at_least(values[broken], self.limit) if self.at_least is not None else np.zeros(int(broken.sum()))
        # A hair less than computed, for the rounding; but never less than a record.
        least[broken] = np.maximum(np.ceil(np.clip(share, 0, 1) * classes.n[broken] - 1e-6), 1)
        return kept, least

    def scoped(self, attributes: tuple[int, ...], names: tuple[str, ...]) -> "Limit":
        """Return the limit for an attacker who knows some attributes only."""
        return replace(self, attributes=attributes, about=(*self.about, *names))


def from_certainty(values: Floats, limit: float) -> Floats:
    """Return the share to suppress where the measure is convex and at most 1: (1 - share) limit + share must reach it."""
    return (values - limit) / (1 - limit) if limit < 1 else np.zeros(len(values))


def from_bits(values: Floats, limit: float) -> Floats:
    """Return the share to suppress where the logarithm of the measure is concave and at least 0, as entropy is."""
    return 1 - np.log(values) / np.log(limit) if limit > 1 else np.zeros(len(values))
