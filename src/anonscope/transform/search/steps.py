"""How far a search may go: counted in tuples it looks at, so that the same question has the same answer on every machine.

A clock may end a search as well, if somebody asks for that; the steps that it had taken by then are what a recipe repeats.
"""

from collections.abc import Callable
from time import monotonic

# What each method of a portfolio may look at, which takes some seconds.
SHARE = 50_000_000
# What each may look at in a plan, which is to be there at once: alone, and where local recoding goes on from what another found.
IN_A_PLAN = {"mondrian": 6_000_000, "local": 22_000_000, "subtree": 2_000_000, "global": 2_000_000}
GOING_ON = 2_000_000


def in_a_plan(method: str, start: str | None = None) -> dict[str, int]:
    """Return the budgets of a method in a plan, and of those it starts from."""
    first = start or method
    found = {name: IN_A_PLAN[name] for name in ("global", first)} if first == "subtree" else {first: IN_A_PLAN[first]}
    return found if start is None else {**found, method: GOING_ON}


class Steps:
    """A budget under way; without a number it never ends, and without seconds no clock is looked at.

    `now` is the clock of the seconds: on the wall, unless a busy machine must not be left with less than a quiet one.
    """

    def __init__(
        self, most: float | None = None, seconds: float | None = None, *, deep: bool = False, now: Callable[[], float] = monotonic
    ) -> None:
        self._most, self._taken = most, [0]
        self.deep = deep  # whether somebody gave time for more than a method does by itself
        self._now, self._ends = now, None if seconds is None else now() + seconds
        self.late = False  # whether the clock ended the search
        self.until: int | None = None  # the steps that were taken when the clock ended it; finishing takes more

    @property
    def spent(self) -> int:
        """The tuples that were looked at."""
        return self._taken[0]

    def spend(self, tuples: int) -> None:
        """Take note that so many tuples were looked at."""
        self._taken[0] += tuples

    def repeat(self, method: str) -> dict[str, int]:
        """Return the budget by which a method does the same again; nothing where it had no other than its share."""
        if self.until is not None:
            return {method: self.until}
        if self._most is not None and self._most < SHARE and self.spent >= self._most:
            return {method: int(self._most)}
        # One more than it took, so that nothing ends it.
        return {method: self.spent + 1} if self.deep else {}

    @property
    def over(self) -> bool:
        """Whether the search should come to an end; once it should, it always should."""
        if self.late or (self._most is not None and self.spent >= self._most):
            return True
        if self._ends is not None and self._now() > self._ends:
            self.late, self.until = True, self.spent
            return True
        # Asking is a step too, so that no two places where a search may end have the same number.
        self._taken[0] += 1
        return False

    def beside(self, part: float) -> "Steps":
        """Return as large a budget for another search before this one, which may take a part of the time that is left."""
        seconds = None if self._ends is None else max(self._ends - self._now(), 0.0) * part
        return Steps(self._most, seconds, deep=self.deep, now=self._now)

    def at_most(self, tuples: int) -> "Steps":
        """Return this budget for somebody who may not use up more than so much of it.

        How much does not depend on the whole, so that a search that came to its end does the same again with a larger one.
        """
        return _Part(self, tuples)


class _Part(Steps):
    """A part of a budget, whose steps are those of the whole."""

    def __init__(self, whole: Steps, tuples: int) -> None:
        super().__init__(deep=whole.deep)
        self._whole, self._taken, self._last = whole, whole._taken, whole.spent + tuples

    @property
    def over(self) -> bool:
        return self.spent >= self._last or self._whole.over
