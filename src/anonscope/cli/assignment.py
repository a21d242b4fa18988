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
