"""What is written in one word at a prompt: NAME=VALUE, COLUMN,COLUMN, numbers and levels."""


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
        if found.setdefault(name.strip(), value.strip()) != value.strip():
            raise OptionError(f"{name.strip()!r} is given two values, {found[name.strip()]} and {value.strip()}. Give one.")
    return found


def list_of(text: str) -> list[str]:
    """Return the columns of an option of the form COLUMN,COLUMN."""
    return [column.strip() for column in text.split(",") if column.strip()]


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


def whole_of(text: str, key: str) -> int:
    """Return the level that an option gives a column."""
    from anonscope.errors import OptionError

    if not text.isdecimal():
        raise OptionError(f"The level of {key!r} is one whole number here, not {text!r}.")
    return int(text)


def one_or_each(given: list[str], name: str) -> str | dict[str, str]:
    """Return one word for all columns, or one a column (COLUMN=HOW)."""
    from anonscope.errors import OptionError

    if all("=" in word for word in given):
        return {column: how for column, _, how in (word.rpartition("=") for word in given)}
    if len(given) > 1:
        raise OptionError(f"--{name} says one thing for all columns, or COLUMN=HOW for each; not both.")
    return given[0]
