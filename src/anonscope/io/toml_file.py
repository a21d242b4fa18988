"""Reading TOML so that a mistake can be named by file, line and key."""

import re
import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anonscope.errors import AnonscopeError, shown


class TomlFile:
    """A parsed document that remembers where its keys stand."""

    def __init__(self, text: str, name: str, error: type[AnonscopeError]) -> None:
        self.name = name
        self.error = error
        self._lines = text.splitlines()
        try:
            self.content: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise error(f"{shown(name)} is not valid TOML: {_without_values(str(problem))}.") from None
        except (ValueError, RecursionError):
            # Numbers of thousands of digits, dates that no calendar has, and values inside of values without end.
            raise error(f"{shown(name)} is not valid TOML: a number or a date means nothing, or its values are nested too deep.") from None

    def described_by(self, schema: str) -> dict[str, Any]:
        """Return what a document says beside its schema, which must be this one."""
        if self.content.get("schema") != schema:
            raise self.fail(f'the first line must be: schema = "{schema}"', "schema")
        return {key: value for key, value in self.content.items() if key != "schema"}

    def of_keys(self, known: Collection[str], schema: str) -> dict[str, Any]:
        """Return what a document says that has no other keys than those that are known; it may leave out its schema."""
        for key in self.content:
            if key not in known:
                raise self.fail(f"no such key; known are {', '.join(known)}", key)
        if self.content.get("schema", schema) != schema:
            raise self.fail(f"this version reads {schema}", "schema")
        return self.content

    def fail(self, problem: str, key: str | None = None, entry: int | None = None) -> AnonscopeError:
        """Return the error for a key: file, line, key, problem. `entry` counts the tables of an array, from 0."""
        if key is None:
            return self.error(f"{shown(self.name)}: {problem}")
        line = self._line(key, entry)
        where = f", line {line}" if line else ""
        return self.error(f"{shown(self.name)}{where}: {key}: {problem}")

    def _line(self, key: str, entry: int | None) -> int | None:
        """Return the line on which the key is set; for a key that an entry of an array lacks, the entry's own line."""
        first, last = 0, len(self._lines)
        if entry is not None:
            opening = re.compile(rf"^\s*\[\[\s*{re.escape(key.partition('.')[0])}\s*\]\]")
            starts = [i for i, line in enumerate(self._lines) if opening.match(line)]
            if entry >= len(starts):
                return None
            first, last = starts[entry], (starts[entry + 1 :] or [last])[0]
        name = re.escape(key.rpartition(".")[2])
        pattern = re.compile(rf"""^\s*(\[+\s*([\w.-]+\.)?)?["']?{name}["']?\s*(=|\]|\.)""")
        found = (i for i in range(first, last) if pattern.match(self._lines[i]))
        position = next(found, first if entry is not None else None)
        return None if position is None else position + 1


def read_toml(path: Path, error: type[AnonscopeError]) -> TomlFile:
    """Read a TOML file, or say what is wrong with it."""
    with readable(path, error):
        return TomlFile(path.read_text(encoding="utf-8-sig"), path.name, error)


@contextmanager
def readable(path: Path, error: type[AnonscopeError]) -> Iterator[None]:
    """Let a text file be read inside; where it cannot be, say why."""
    try:
        yield
    except UnicodeDecodeError:
        raise error(f"{shown(path)} is not UTF-8 text.") from None
    except FileNotFoundError:
        raise error(f"No such file: {shown(path)}.") from None
    except OSError as problem:
        raise error(f"{shown(path)} cannot be read: {problem.strerror}.") from None


def _without_values(message: str) -> str:
    """The parser's message names line and column; what it quotes from the file is left out."""
    return re.sub(r"'[^']*'", "…", message).rstrip(".")
