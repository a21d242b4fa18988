"""Groups of wishes as bodies of requests: their shapes are pydantic's business, their words and checks stay the group's own."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, field, is_dataclass
from inspect import get_annotations
from pathlib import Path
from types import GenericAlias, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, dataclass_transform, get_args, get_origin

from pydantic import ConfigDict, Field, FiniteFloat
from pydantic.dataclasses import dataclass

from anonscope.operations.wishes.words import AskedWish, wishes_of

_LONGEST = 2000  # characters of a text
_Group = TypeVar("_Group")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field, Field))
def asked(group: type[_Group]) -> type[_Group]:
    """Return a group that a request can have as its body; a word that is not known is a mistake, not something to pass over.

    What the class says of a wish itself, because REST takes less than Python, stands; its words come from the group all the same.
    """
    own: dict[str, Any] = dict(get_annotations(group))
    for wish in _inherited(group):
        told = (own.get(wish.name) or shape(wish), wish, described(wish))
        # How many parts there are is known only now, and for that type checkers have no form.
        own[wish.name] = Annotated.__class_getitem__(told)  # type: ignore[attr-defined]
        if wish.name not in vars(group) and wish.default is not MISSING:
            setattr(group, wish.name, field(default_factory=dict) if wish.default == {} else wish.default)
    group.__annotations__ = own
    return cast("type[_Group]", dataclass(config=ConfigDict(extra="forbid"), frozen=True, kw_only=True)(group))


def _inherited(group: type) -> list[AskedWish]:
    """Return the wishes of all groups that a class is made of."""
    found = {wish.name: wish for base in reversed(group.__mro__[1:]) if is_dataclass(base) for wish in wishes_of(base)}
    return list(found.values())


def shape(wish: AskedWish) -> Any:
    """Return the type of a wish in JSON. What it may be beyond that is checked by the wish, in the words that all faces use."""
    kind = wish.words.reads or wish.plain
    assert kind is not Path, f"{wish.name} is a file of this machine, which is none of a user's business"
    plain = _shape(kind)
    return plain | None if wish.kind is not wish.plain or wish.default is None else plain


def described(wish: AskedWish) -> Any:
    """Return what the document says of a wish: its words, its bounds and its choices."""
    words = wish.words
    bounds = {"minimum": words.least, "exclusiveMinimum": words.above, "maximum": words.most}
    extra: dict[str, Any] = {name: bound for name, bound in bounds.items() if bound is not None}
    if wish.choices:
        extra["enum"] = [*wish.choices, *([None] if wish.kind is not wish.plain else [])]
    return Field(description=words.help.rstrip(".") + ".", json_schema_extra=extra or None)


def _shape(kind: Any) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return Union[tuple(_shape(part) for part in parts)]  # noqa: UP007 (how many there are is known only now)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return GenericAlias(dict, (str, _shape(parts[1])))
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin is not tuple:
        return GenericAlias(list, (_shape(parts[0]),))
    if kind is str or origin is Literal:
        return Annotated[str, Field(max_length=_LONGEST)]
    return FiniteFloat if kind is float else kind
