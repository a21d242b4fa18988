"""Options of the form NAME=VALUE, which may be repeated."""


def assignments(given: list[str] | None, described: str, *, split_last: bool = False) -> dict[str, str]:
    """Return names and values; `described` says how the option is written, for whoever writes it otherwise.

    With `split_last` a name may hold the sign itself, because the values cannot.
    """
    from anonscope.errors import OptionError

    found: dict[str, str] = {}
    for text in given or []:
        name, sign, value = text.rpartition("=") if split_last else text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise OptionError(f"{described}, not {text!r}.")
        found[name.strip()] = value.strip()
    return found


def scenarios_of(given: list[str] | None) -> dict[str, list[str]]:
    """Return scenarios from options of the form NAME=COLUMN,COLUMN."""
    written = assignments(given, "A scenario is written NAME=COLUMN,COLUMN (for instance neighbour=age,sex)")
    return {name: [column.strip() for column in columns.split(",") if column.strip()] for name, columns in written.items()}


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


def whole_level_of(text: str, key: str) -> int:
    """Return the one level that an option gives a column."""
    from anonscope.errors import OptionError

    level = level_of(text, key)
    if not isinstance(level, int):
        raise OptionError(f"The level of {key!r} is one whole number here, not {text!r}.")
    return level
