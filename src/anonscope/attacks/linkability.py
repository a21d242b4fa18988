"""Linkability: which released record is this person's?

The attacker holds a table of people, the original's own columns with stated errors, and names a record for everybody. Three ways:
*candidates* draws one of all records that the person may be (what `link` counts); *nearest* takes the record that disagrees in the fewest
columns and says most, so it also follows people into perturbed releases; *assignment* knows that nobody has two records and pairs all
people of the table with the records at once, at least cost (`assignment.py`; G. T. Duncan and D. Lambert 1989, JBES 7(2), for the
intruder). Equally good records count by expectation.
Nobody outside the release has a record in it, so the control's success is 0 by construction; what the control shows is how often the
attacker would have claimed a link all the same.
"""

from time import process_time

import numpy as np

from anonscope.attacks.assignment import assign
from anonscope.attacks.attacker import Attacker, as_known
from anonscope.attacks.candidates import Distinct, Pairs, View, agrees, distinct, made_up, unread_records
from anonscope.attacks.people import Attacked, People, group_names, groups_of
from anonscope.attacks.success import Success, Trials, measured, not_measured
from anonscope.errors import shown
from anonscope.risk.counting.arrays import Floats

NAME = "linkability"
ASSUMED = "right_record_assumed"  # the figure of a result that holds only if a person's record is among those that fit


def link_people(attacked: Attacked, attacker: Attacker, people: People, control: People | None) -> tuple[Success, ...]:
    """Return how often the attacker names the right record, in three ways, and how much a single match proves."""
    start = process_time()
    if people.released is None and attacked.perturbed:
        reason = "nobody knows which released record belongs to whom, and values were perturbed"
        return tuple(not_measured(NAME, variant, attacker, reason) for variant in ("candidates", "nearest", "assignment"))
    if people.released is None and (riddles := [name for name in attacker.columns if unread_records(attacked, name)]):
        # Taken for anything such records would be candidates for everybody, and the risk would look smaller than it is.
        reason = f"labels of {', '.join(map(shown, riddles))} are explained by nothing, and nobody knows which record belongs to whom"
        return tuple(not_measured(NAME, variant, attacker, reason) for variant in ("candidates", "nearest", "assignment"))
    groups = groups_of(attacked, people, attacker.columns, inside=True)
    known = as_known(attacker, attacked, people)
    truthful = View(attacked, attacker.columns, attacker.within)
    tuples = distinct(attacked, known, attacker.columns)
    counts = truthful.counts(tuples)[tuples.tuple_of]
    others = None
    outside = np.zeros(0)
    if control is not None:
        strangers = as_known(attacker, attacked, control)
        theirs = distinct(attacked, strangers, attacker.columns)
        outside = truthful.counts(theirs)[theirs.tuple_of]
        others = Trials(np.zeros(control.records), groups_of(attacked, control, attacker.columns, inside=False), control.person)
    found = []
    hits = chosen_by_lot(truthful, tuples, people, counts)
    figures = {"no_candidate": float((counts == 0).mean()), "one_candidate": float((counts == 1).mean())}
    if control is not None:
        figures["control_claims"] = float(np.divide(1, outside, out=np.zeros(len(outside)), where=outside > 0).mean())
        figures["control_one_candidate"] = float((outside == 1).mean())
    notes: tuple[str, ...] = ()
    if people.released is None:
        # Of a drawn table that is not so, and nothing in it says that it was drawn: people of the control have as good a claim then.
        figures[ASSUMED] = 1.0
        notes = ("The right record is taken to be among the candidates, as in a release that is true: an upper bound.",)

    def result(variant: str, hits: Floats, started: float, more: dict[str, float] | None = None) -> Success:
        return measured(
            attack=NAME,
            variant=variant,
            attacker=attacker.name,
            columns=attacker.columns,
            targets=Trials(hits, groups, people.person),
            control=others,
            baseline=1 / attacked.released,
            names=group_names(attacked),
            attempt=attacker.chance,
            figures=more,
            notes=notes,
            cpu_seconds=process_time() - started,
        )

    found.append(result("candidates", hits, start, figures))
    if people.released is None:
        reason = "nobody knows which released record belongs to whom; pair the records by a key or by their order"
        return (*found, *(not_measured(NAME, variant, attacker, reason) for variant in ("nearest", "assignment")))
    start = process_time()
    disturbed = any(made_up(attacked, name) for name in attacker.columns)
    view = View(attacked, attacker.columns, attacker.within, as_written=True) if disturbed else truthful
    pairs = view.nearest(tuples)
    hits = own_among(view, tuples, people, pairs)
    found.append(result("nearest", hits, start))
    start = process_time()
    hits, everybody = assign(view, attacked, attacker, people)
    found.append(result("assignment", hits, start, {"everybody_assigned": float(everybody)}))
    return tuple(found)


def proof(attacked: Attacked, attacker: Attacker, people: People, control: People) -> Success:
    """Return how much more often somebody in the release has exactly one candidate than somebody who is not."""
    start = process_time()
    view = View(attacked, attacker.columns, attacker.within)
    trials = []
    for crowd in (people, control):
        tuples = distinct(attacked, as_known(attacker, attacked, crowd), attacker.columns)
        trials.append(Trials((view.counts(tuples)[tuples.tuple_of] == 1).astype(float), None, crowd.person))
    return measured(
        attack=NAME,
        variant="single match",
        attacker=attacker.name,
        columns=attacker.columns,
        targets=trials[0],
        control=trials[1],
        baseline=None,
        attempt=attacker.chance,
        notes=("How often there is exactly one candidate, right or wrong: what the control has too, a single match does not prove.",),
        cpu_seconds=process_time() - start,
    )


def chosen_by_lot(view: View, tuples: Distinct, people: People, counts: Floats) -> Floats:
    """Return one over the number of candidates where the right record is among them."""
    share = np.divide(1, counts, out=np.zeros(len(counts)), where=counts > 0)
    if people.released is None:
        return share
    right = people.released >= 0
    rows = np.maximum(people.released, 0)
    for i, name in enumerate(view.columns):
        right &= agrees(view, i, view.attacked.release[name].codes[rows], tuples.codes[i][tuples.tuple_of])
    return np.where(right, share, 0.0)


def own_among(view: View, tuples: Distinct, people: People, pairs: Pairs) -> Floats:
    """Return how likely one drawn of the best records is the person's own."""
    assert people.released is not None
    records = np.bincount(pairs.person, weights=view.n[pairs.group], minlength=tuples.count)
    width = len(view.n)
    known = np.sort(pairs.person.astype(np.int64) * width + pairs.group)
    own = np.where(people.released >= 0, view.class_of[np.maximum(people.released, 0)], -1)
    wanted = tuples.tuple_of.astype(np.int64) * width + own
    place = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    right = (own >= 0) & (known[place] == wanted) if len(known) else np.zeros(len(own), dtype=bool)
    every = records[tuples.tuple_of]
    return np.where(right, np.divide(1, every, out=np.zeros(len(every)), where=every > 0), 0.0)
