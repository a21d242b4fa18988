"""Carry a regular expression of RE2, which DuckDB and Arrow read, over to Java, which Spark is written in.

Most signs mean the same in both. Where one does not (`.`, `$`, `\\s`), it is written otherwise; where nothing in Java means the same
for certain (word boundaries, flags, named classes such as [:digit:], Unicode classes), there is no translation: a mask that covers
something else than it should is worse than none.

RE2: https://github.com/google/re2/wiki/Syntax. Java: the documentation of java.util.regex.Pattern.
"""

import re

_BLANKS = r"\t\n\f\r "
_SAME = frozenset("dDwWntrfAz")
_COUNT = re.compile(r"\{[0-9]+(,[0-9]*)?\}")


def java_pattern(pattern: str) -> str | None:
    """Return the expression that finds in Java what this one finds in RE2, or None if there may be a difference."""
    made, i = "", 0
    while i < len(pattern):
        sign = pattern[i]
        if sign == "[":
            found = _class(pattern, i)
        elif sign == "\\":
            found = _escape(pattern, i, within=False)
        elif sign == "(":
            found = _group(pattern, i)
        elif sign == "{":
            count = _COUNT.match(pattern, i)
            found = (count[0], count.end()) if count else (r"\{", i + 1)
        else:
            # Java takes a line end of many kinds for the end of a line, and lets $ stand before the last one.
            found = {".": r"[^\n]", "^": r"\A", "$": r"\z", "]": r"\]", "}": r"\}"}.get(sign, sign), i + 1
        if found is None:
            return None
        made, i = made + found[0], found[1]
    return made


def java_replacement(replacement: str) -> str:
    r"""Return in Java's words what stands for a match: a group is \1 in RE2 and $1 in Java."""
    return re.sub(r"\\(.)([0-9]?)|\$", _replaced, replacement, flags=re.DOTALL)


def _replaced(found: re.Match[str]) -> str:
    if found[0] == "$":
        return r"\$"
    if not found[1].isdigit():
        return f"\\{found[1]}{found[2]}"
    # A digit behind would be read as one of the group's.
    return f"${found[1]}" + (f"\\{found[2]}" if found[2] else "")


def _group(pattern: str, i: int) -> tuple[str, int] | None:
    if pattern[i + 1 : i + 2] != "?":
        return "(", i + 1
    # Flags and names differ.
    return ("(?:", i + 3) if pattern[i + 1 : i + 3] == "?:" else None


def _escape(pattern: str, i: int, *, within: bool) -> tuple[str, int] | None:
    sign = pattern[i + 1 : i + 2]
    if sign == "s":
        return (_BLANKS if within else f"[{_BLANKS}]"), i + 2
    if sign == "S" and not within:
        return f"[^{_BLANKS}]", i + 2
    if sign in _SAME and not (within and sign in "Az"):
        return f"\\{sign}", i + 2
    # Before any other letter or digit a backslash means something of its own.
    return (f"\\{sign}", i + 2) if sign and sign.isascii() and not sign.isalnum() else None


def _class(pattern: str, i: int) -> tuple[str, int] | None:
    """Return a class of characters; in Java a bracket or an ampersand within one has a meaning that it has not in RE2."""
    made, i = "[", i + 1
    if pattern[i : i + 1] == "^":
        made, i = "[^", i + 1
    first = True
    while i < len(pattern) and (first or pattern[i] != "]"):
        first = False
        if pattern[i : i + 2] == "[:":
            return None
        if pattern[i] == "\\":
            found = _escape(pattern, i, within=True)
            if found is None:
                return None
            made, i = made + found[0], found[1]
        else:
            made, i = made + (f"\\{pattern[i]}" if pattern[i] in "[]&^" else pattern[i]), i + 1
    return f"{made}]", i + 1
