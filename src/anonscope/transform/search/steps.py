"""How far a search may go: counted in tuples it looks at, so that the same question has the same answer on every machine.

A clock may end a search as well, if somebody asks for that; the steps that it had taken by then are what a recipe repeats.
"""

from time import monotonic

# What each method of a portfolio may look at, which takes some seconds.
SHARE = 50_000_000


class Steps:
    """A budget under way; without a number it never ends, and without seconds no clock is looked at."""

    def __init__(self, most: float | None = None, seconds: float | None = None, *, deep: bool = False) -> None:
        self._most, self.spent = most, 0
        self.deep = deep  # whether somebody gave time for more than a method does by itself
        self._ends = None if seconds is None else monotonic() + seconds
        self.late = False  # whether the clock ended the search
        self.until: int | None = None  # the steps that were taken when the clock ended it; finishing takes more

    def spend(self, tuples: int) -> None:
        """Take note that so many tuples were looked at."""
        self.spent += tuples

    def repeat(self, method: str) -> dict[str, int]:
        """Return the budget by which a method does the same again; nothing where it had no other than its share."""
        if self.until is not None:
            return {method: self.until}
        # One more than it took, so that nothing ends it.
        return {method: self.spent + 1} if self.deep else {}

    @property
    def over(self) -> bool:
        """Whether the search should come to an end; once it should, it always should."""
        if self.late or (self._most is not None and self.spent >= self._most):
            return True
        if self._ends is not None and monotonic() > self._ends:
            self.late, self.until = True, self.spent
            return True
        # Asking is a step too, so that no two places where a search may end have the same number.
        self.spent += 1
        return False
