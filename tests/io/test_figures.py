"""Numbers as people read them: every share and every fraction is written the same way, and none hides a few people."""

import pytest

from anonscope.io.figures import decimals, different, figure, per_cent, typed


@pytest.mark.parametrize(
    ("part", "digits", "written"),
    [
        (0, 1, "0 %"),
        (0.0004, 1, "under 0.1 %"),
        (0.354, 1, "35.4 %"),
        (0.5, 1, "50.0 %"),
        (0.9996, 1, "over 99.9 %"),
        (1, 1, "100 %"),
        (-1e-17, 1, "0 %"),
        (0.004, 0, "under 1 %"),
        (0.354, 0, "35 %"),
        (0.996, 0, "over 99 %"),
        (0.00004, 2, "under 0.01 %"),
        (0.35416, 2, "35.42 %"),
        (0.99996, 2, "over 99.99 %"),
    ],
)
def test_a_share_never_hides_a_few_behind_none_or_all(part, digits, written):
    """A few are not none, and most are not all, with however many decimals."""
    assert per_cent(part, digits) == written


@pytest.mark.parametrize(
    ("value", "digits", "written"), [(1234567.25, 1, "1,234,567.2"), (0.12345, 4, "0.1235"), (1999.6, 0, "2,000"), (-0.00001, 3, "0.000")]
)
def test_decimals_stand_below_each_other(value, digits, written):
    """Thousands have commas here too, and nothing has no sign."""
    assert decimals(value, digits) == written


def test_a_number_is_told_from_a_limit():
    """By as few digits as that takes."""
    assert [different(0.7, 0.7), different(0.70400001, 0.7), different(0.7000004, 0.7), different(1e-12, 0.5)] == [
        "0.7",
        "0.704",
        "0.7000004",
        "0",
    ]


def test_digits_that_count_can_be_more():
    """Losses that are nearly the same are told apart."""
    assert (figure(0.123456789), figure(0.123456789, 6)) == ("0.1235", "0.123457")


def test_what_is_typed_again_has_no_digits_of_rounding():
    """0.1 + 0.2 is 0.3 to whoever types it."""
    assert (typed(0.1 + 0.2), typed(5.0)) == ("0.3", "5")
