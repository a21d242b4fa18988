"""Labels that a file has beside its values, looked at as values are: a release carries none that tells who somebody is.

A code that stands for a name is published as the name where its label goes along, and a label of a column is written by somebody who did
not think of a release. One label is enough to reach somebody, so each is looked at alone, then those of a column together, which shows
names that no list has. What is left out wrongly costs a word of documentation, and a note says so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from anonscope.columns.suggestion.by_values import form_of_texts, tells_of_somebody
from anonscope.errors import shown
from anonscope.io.sources.relation import FileLabels

_NAMED = 5


@dataclass(frozen=True, slots=True)
class PublishableLabels:
    """The labels of a file that a release may carry, and the columns of which some may not go along."""

    labels: FileLabels
    columns: tuple[str, ...] = ()  # whose own label looks like an identifier, or holds one
    codes: tuple[str, ...] = ()  # of whose codes some stand for what looks like an identifier

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of labels that are left out, without any of them."""
        told = [f"What codes of {_listed(self.codes)} stand for"] if self.codes else []
        told += [f"What the file says {_listed(self.columns)} is about"] if self.columns else []
        return tuple(f"{what} holds names, addresses or numbers of people, by its look: such labels go into no release." for what in told)


def publishable(labels: FileLabels) -> PublishableLabels:
    """Return the labels that tell of nobody."""
    columns = _left(labels.columns)
    values = {column: _left(known) for column, known in labels.values.items()}
    return PublishableLabels(
        labels=replace(labels, columns=columns, values={column: known for column, known in values.items() if known}),
        columns=tuple(column for column in labels.columns if column not in columns),
        codes=tuple(column for column, known in labels.values.items() if len(values[column]) < len(known)),
    )


def _left(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that tell of nobody, each alone and all together."""
    left = {key: text for key, text in texts.items() if not tells_of_somebody(text)}
    whole = form_of_texts(list(texts.values()))
    # Where the others are names, so is one that no list has.
    if 2 * len(left) < len(texts) or (whole is not None and whole.concept == "names"):
        return {}
    return left if form_of_texts(list(left.values())) is None else {}


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - _NAMED:,} more" if len(known) > _NAMED else ""
    return ", ".join(map(shown, known[:_NAMED])) + more
