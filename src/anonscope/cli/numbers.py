"""Numbers in options."""


def number_of(text: str, key: str) -> float:
    """Return the number that an option gives something, whole if it is."""
    from anonscope.errors import OptionError

    try:
        number = float(text)
    except ValueError:
        raise OptionError(f"{key!r} must be given a number, not {text!r}.") from None
    return int(number) if number == number and abs(number) < 2**53 and number == int(number) else number


def level_of(text: str, key: str) -> int | tuple[int, int]:
    """Return the level that an option gives a column, or the lowest and the highest one."""
    from anonscope.errors import OptionError

    low, dash, high = text.partition("-")
    if not low.isdecimal() or (dash and not high.isdecimal()):
        raise OptionError(f"The level of {key!r} is a whole number, or two with a hyphen such as 1-3, not {text!r}.")
    return (int(low), int(high)) if dash else int(low)
