"""Noisy answers in a register: their epsilon is held against the budget before anything is counted, and noted before they are out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from anonscope.io.writing import replacing
from anonscope.operations.answer import Answers
from anonscope.operations.register import registration_of
from anonscope.operations.registering.registration import Registering
from anonscope.operations.wishes.registering import Registered
from anonscope.synthesis.ledger import Loss
from anonscope.synthesis.queries import Asked
from anonscope.transform.release.manifest import file_hash

Write = Callable[[Path | None], None]


@contextmanager
def registering_answers(registered: Registered, asked: Asked) -> Iterator[Callable[[Answers, Path | None, Write], None]]:
    """Give what lets answers out, to a file or to nowhere in particular, and notes them in a register, if one is asked for.

    Raises first where they would cost more than the budget. They are noted before anybody sees them: who reads the first lines and
    closes the pipe has them, and they are spent.
    """
    registration = registration_of(registered)
    if registration is None:
        yield lambda found, path, write: write(path)
        return
    lost = _lost(asked)
    with registration.under_way() as registering:
        registering.check_budget(lost.epsilon if lost is not None else None)

        def out(found: Answers, path: Path | None, write: Write) -> None:
            if path is None:
                _note(registering, found, None, lost)
                write(None)
                return
            with replacing(path) as made:
                write(made)
                _note(registering, found, made, lost)

        yield out


def _lost(asked: Asked) -> Loss | None:
    """Return what these answers lose: what was spent before them is in the register by itself."""
    if asked.ledger is None:
        return None
    return Loss(asked.ledger.promised.epsilon - asked.already_spent, asked.ledger.promised.delta)


def _note(registering: Registering, found: Answers, path: Path | None, lost: Loss | None) -> None:
    exact = {query.name for query in found.queries if not query.noisy}
    # Tables without noise are a release of their own: no epsilon bounds what they tell, and no sum counts it.
    for plain in (False, True):
        queries = sum((query.name in exact) == plain for query in found.queries)
        if not queries:
            continue
        held = lost if not plain and found.guarantee is not None else None
        what = "tables without noise" if plain else f"answers to {queries:,} queries"
        registering.add(
            release=(path.name if path is not None else what) if not plain or path is None else f"{path.name}, {what}",
            sha256=file_hash(path) if path is not None else None,
            made_by="answer",
            records=sum((one.query in exact) == plain for one in found.answers),
            epsilon=_text(held.epsilon if held is not None else None),
            delta=_text(held.delta if held is not None else None),
        )


def _text(loss: Fraction | None) -> str | None:
    return str(loss) if loss is not None else None
