"""Commands whose parameters are groups of wishes: every wish becomes an option, and the command gets the groups."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, wraps
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from anonscope.cli.arguments import assignments, level_of, list_of, number_of, one_or_each, whole_of
from anonscope.operations.wishes.words import AskedWish, Words, wishes_of

_KEYWORD = inspect.Parameter.KEYWORD_ONLY


@dataclass(frozen=True, slots=True)
class _Option:
    """An option of the command line, and the wish that it is about."""

    asked: AskedWish
    parameter: inspect.Parameter
    value: str | None = None  # what a name gets that is said here, where a wish has an option for each value


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that typer can read: a parameter that is a group is replaced by an option for each of its wishes."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        kind = hints[parameter.name]
        if isinstance(kind, type) and is_dataclass(kind):
            groups[parameter.name] = kind
            parameters += [option.parameter for group in _groups(kind).values() for option in _options(group)]
        else:
            parameters.append(parameter.replace(annotation=kind, kind=_KEYWORD))
    assert len({p.name for p in parameters}) == len(parameters), f"two groups of {command.__name__} ask for the same"

    @wraps(command)
    def call(**given: Any) -> None:
        asked = {name: _made(kind, given) for name, kind in groups.items()}
        own = {name: value for name, value in given.items() if name in hints and name not in groups}
        command(**asked, **own)

    # Required ones first: a signature wants them so, and typer shows them as they come.
    ordered = sorted(parameters, key=lambda p: p.default is not p.empty)
    call.__dict__["__signature__"] = inspect.Signature(ordered)
    call.__annotations__ = {p.name: p.annotation for p in ordered}
    call.__dict__["groups"] = tuple(group for kind in groups.values() for group in _groups(kind).values())
    return call


@cache
def _groups(kind: type) -> dict[str, type]:
    """Return the groups that several commands ask for together, by the names of the fields that hold them; a group itself is one."""
    hints = get_type_hints(kind)
    held = {one.name: hints[one.name] for one in fields(kind) if is_dataclass(hints[one.name])}
    return held or {"": kind}


def _made(kind: type, given: Mapping[str, Any]) -> Any:
    """Return a group, or groups together, made of what the command line read."""
    groups = _groups(kind)
    if kind in groups.values():
        return kind(**_values(kind, given))
    return kind(**{name: group(**_values(group, given)) for name, group in groups.items()})


@cache
def _options(kind: type) -> tuple[_Option, ...]:
    """Return the options of a group."""
    found: list[_Option] = []
    for asked in wishes_of(kind):
        if asked.words.each:
            found += [_Option(asked, _parameter(asked, words, f"--{value}"), value) for value, words in asked.words.each]
        else:
            found.append(_Option(asked, _parameter(asked, asked.words, f"--{asked.name.replace('_', '-')}")))
    return tuple(found)


def _parameter(asked: AskedWish, words: Words, usual: str) -> inspect.Parameter:
    flags = words.flags or (usual,)
    choices, repeated = asked.choices, asked.many or asked.named or asked.either
    option = typer.Option(
        *flags,
        metavar=f"<{'|'.join(choices)}>" if choices else words.metavar,
        # So that a word that is none is refused by our sentence, as everywhere.
        parser=asked.checked if choices else None,
        rich_help_panel=asked.panel,
        help=words.help + words.also + (" Repeat for several." if repeated and "epeat" not in words.help else ""),
        show_default=words.shown,
    )
    name = flags[0].partition("/")[0].strip("-").replace("-", "_")
    name += "_" if iskeyword(name) else ""
    default = inspect.Parameter.empty if asked.default is MISSING else None if repeated else asked.default
    shape = list[str] | None if repeated else str | None if choices else _shape(asked)
    return inspect.Parameter(name, _KEYWORD, default=default, annotation=Annotated[shape, option])


def _shape(asked: AskedWish) -> Any:
    """Return the type that typer reads."""
    plain = asked.words.reads or asked.plain
    assert plain in (str, int, float, bool, Path), f"the command line cannot read {asked.name}, a {plain}"
    return plain | None if asked.kind is not asked.plain or asked.default is None else plain


def _values(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a group takes for what the command line read."""
    found: dict[str, Any] = {}
    for option in _options(kind):
        asked, text = option.asked, given[option.parameter.name]
        if option.value is not None:
            found[asked.name] = (found.get(asked.name) or {}) | dict.fromkeys(text or (), option.value)
        elif asked.either:
            found[asked.name] = one_or_each(text, option.parameter.name) if text else asked.default
        elif asked.named:
            written = _each(text, asked) if asked.words.split else assignments(text, asked.words.entry, split_last=asked.words.split_last)
            read = _reader(get_args(asked.plain)[1])
            found[asked.name] = {name: read(value, name) for name, value in written.items()} if written else asked.default
        elif asked.many:
            several = get_origin(get_args(asked.plain)[0]) is not None
            found[asked.name] = tuple(list_of(one) if several else one for one in text) if text else asked.default
        else:
            found[asked.name] = text
    return found


def _each(given: list[str] | None, asked: AskedWish) -> dict[str, str]:
    """Return names and values that are told apart in a way of their own."""
    found: dict[str, str] = {}
    for text in given or ():
        assert asked.words.split is not None, "it is known how"
        name, value = asked.words.split(text)
        if name in found:
            raise asked.error(f"{asked.words.entry} {name} is stated twice.")
        found[name] = value
    return found


def _reader(kind: Any) -> Callable[[str, str], Any]:
    """Return how the value that a name is given is read, by its type."""
    if kind is float:
        return number_of
    if kind is int:
        return whole_of
    if int in get_args(kind):
        return level_of
    if get_origin(kind) is Iterable:
        return lambda text, name: list_of(text)
    return lambda text, name: text
