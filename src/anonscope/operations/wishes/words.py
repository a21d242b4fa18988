"""How a wish is spelled, explained and checked, the same for every face."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache, wraps
from inspect import Parameter, Signature, get_annotations
from types import UnionType
from typing import Annotated, Any, ClassVar, Concatenate, Literal, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from anonscope.errors import AnonscopeError, OptionError, shown

_P = ParamSpec("_P")
_Asked = TypeVar("_Asked")
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one wish: what it means, how the command line spells it, which values it takes, and what is said of any other."""

    help: str
    also: str = ""  # what a prompt can say beyond that, such as the file of a policy
    flags: tuple[str, ...] = ()  # as the command line spells it; left out, the field's name with hyphens
    metavar: str | None = None
    entry: str = ""  # of names and values: how one of them is written, for whoever writes it otherwise
    split_last: bool = False  # of names and values: a name may hold the sign between the two itself
    split: Callable[[str], tuple[str, str]] | None = None  # of names and values: how the two are told apart, if not by the first sign
    shown: bool = True  # whether help tells the default
    reads: Any = None  # what the command line reads, where Python takes more than it can
    least: float | None = None
    above: float | None = None
    most: float | None = None
    wrong: str = ""  # what is said of a value that does not fit, {} being the value
    each: tuple[tuple[str, "Words"], ...] = ()  # of names and values: an option for each value, which takes names


@dataclass(frozen=True, slots=True)
class AskedWish:
    """A field of a group, with everything that a face needs to know."""

    name: str
    kind: Any
    words: Words
    default: Any  # MISSING if somebody must say it
    panel: str | None  # the heading that it stands under
    error: type[AnonscopeError]

    @property
    def plain(self) -> Any:
        """The type without None."""
        return without_none(self.kind)

    @property
    def choices(self) -> tuple[Any, ...]:
        """The words that may be said, if they are known."""
        return get_args(self.plain) if get_origin(self.plain) is Literal else ()

    @property
    def many(self) -> bool:
        """Whether it is a list of names, or of lists of them."""
        origin = get_origin(self.plain)
        return isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping)

    @property
    def named(self) -> bool:
        """Whether it is names with values."""
        origin = get_origin(self.plain)
        return isinstance(origin, type) and issubclass(origin, Mapping)

    @property
    def either(self) -> bool:
        """Whether it is one word for all names, or a word for each."""
        return (
            get_origin(self.plain) in (Union, UnionType)
            and any(get_origin(part) is Literal for part in get_args(self.plain))
            and not (self.words.reads)
        )

    def checked(self, value: Any) -> Any:
        """Return the value in the form in which it is kept; raise if it means nothing."""
        if value is None and self.kind is not self.plain:
            return None
        if self.many:
            if isinstance(value, str):
                raise self.error(f"{self.name} takes a list of column names; write [{value!r}], not {value!r}.")
            return tuple(value)
        if self.named:
            return dict(value or {})
        if self.choices and value not in self.choices:
            raise self._wrong(value)
        if self.plain in (int, float) and not self._fits(value):
            raise self._wrong(value)
        return value

    def _fits(self, value: Any) -> bool:
        # Numbers of numpy are numbers too.
        if isinstance(value, bool) or not hasattr(value, "__index__" if self.plain is int else "__float__"):
            return False
        words = self.words
        if words.least is not None and not value >= words.least:  # so that NaN fits no bound
            return False
        return (words.above is None or value > words.above) and (words.most is None or value <= words.most)

    def _wrong(self, value: Any) -> AnonscopeError:
        told = f"{value:g}" if isinstance(value, float) else shown(value) if isinstance(value, str) else repr(value)
        return self.error((self.words.wrong or f"{self.name} takes another value than {{}}.").format(told))


class Wish:
    """A group of wishes; whoever makes one has checked it."""

    panel: ClassVar[str | None] = None  # the heading that it stands under
    error: ClassVar[type[AnonscopeError]] = OptionError

    def __post_init__(self) -> None:
        for asked in wishes_of(type(self)):
            object.__setattr__(self, asked.name, asked.checked(getattr(self, asked.name)))


def wishes_of(group: type) -> tuple[AskedWish, ...]:
    """Return the wishes of a group, in the order in which it defines them."""
    return _found(group)


@cache
def _found(group: type) -> tuple[AskedWish, ...]:
    hints = get_type_hints(group, include_extras=True)
    found: list[AskedWish] = []
    for field in fields(group):
        kind, *extras = get_args(hints[field.name]) if get_origin(hints[field.name]) is Annotated else (hints[field.name],)
        words = next((extra for extra in extras if isinstance(extra, Words)), None)
        # A face that gives a wish another shape says which wish it is.
        found += [extra for extra in extras if isinstance(extra, AskedWish)]
        if words is not None:
            home = next(one for one in group.__mro__ if field.name in get_annotations(one))
            default = field.default_factory() if field.default_factory is not MISSING else field.default
            found.append(AskedWish(field.name, kind, words, default, getattr(home, "panel", None), getattr(home, "error", OptionError)))
    return tuple(found)


def said(*groups: Wish, only: tuple[type, ...] = (), without: Iterable[str] = ()) -> dict[str, Any]:
    """Return the wishes of groups by name, as functions take them; if somebody asked for more at once, `only` those of these groups."""
    left_out = frozenset(without)
    wanted = {asked.name for group in only for asked in wishes_of(group)} if only else None
    found = {asked.name: getattr(one, asked.name) for one in groups for asked in wishes_of(type(one))}
    return {name: value for name, value in found.items() if name not in left_out and (wanted is None or name in wanted)}


def without_none(kind: Any) -> Any:
    """Return a type that may be None as it is when it is not."""
    if get_origin(kind) not in (Union, UnionType):
        return kind
    left = tuple(part for part in get_args(kind) if part is not type(None))
    return Union[left] if len(left) < len(get_args(kind)) else kind  # noqa: UP007 (how many there are is known only now)


def taking(group: Callable[_P, _Asked]) -> Callable[[Callable[[Any, _Asked], _Made]], Callable[Concatenate[Any, _P], _Made]]:
    """Let a function of something and a group of wishes take the wishes as keywords, which type checkers and `help` see."""

    assert isinstance(group, type), "a group of wishes is a dataclass"
    keywords = [Parameter(a.name, Parameter.KEYWORD_ONLY, default=a.default, annotation=a.kind) for a in wishes_of(group)]

    def decorated(function: Callable[[Any, _Asked], _Made]) -> Callable[Concatenate[Any, _P], _Made]:
        first = next(iter(Signature.from_callable(function).parameters.values()))
        signature = Signature([first, *keywords], return_annotation=get_type_hints(function)["return"])

        @wraps(function)
        def call(*given: Any, **asked: Any) -> _Made:
            said = signature.bind(*given, **asked).arguments
            return function(said.pop(first.name), group(**said))

        call.__dict__["__signature__"] = signature
        call.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()} | {"return": signature.return_annotation}
        return cast("Callable[Concatenate[Any, _P], _Made]", call)

    return decorated
