"""How far a search may go: counted in tuples it looks at, so that the same question has the same answer on every machine.

A clock may end a search as well, if somebody asks for that; the steps that it had taken by then are what a recipe repeats.
"""

from time import monotonic

# What each method of a portfolio may look at, which takes some seconds.
SHARE = 50_000_000


class Steps:
    """A budget under way; without a number it never ends, and without seconds no clock is looked at."""

    def __init__(self, most: float | None = None, seconds: float | None = None) -> None:
        self._most, self.spent = most, 0
        self._ends = None if seconds is None else monotonic() + seconds
        self.late = False  # whether the clock ended the search
        self.until: int | None = None  # the steps that were taken when the clock ended it; finishing takes more

    def spend(self, tuples: int) -> None:
        """Take note that so many tuples were looked at."""
        self.spent += tuples

    def repeat(self, method: str) -> dict[str, int]:
        """Return the budget of a method by which it ends where the clock ended it; nothing where no clock did."""
        return {} if self.until is None else {method: self.until}

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
