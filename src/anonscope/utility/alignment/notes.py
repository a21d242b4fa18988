"""What a reader must know of how a release was put beside its original."""

from anonscope.columns.readings import OBSERVED
from anonscope.utility.alignment.aligned import Aligned
from anonscope.utility.alignment.labels import ALTERED


def notes_on(aligned: Aligned) -> list[str]:
    """Return what was left out, lost, not read or read otherwise than it stands."""
    notes = []
    if aligned.left_out:
        notes.append(f"{aligned.left_out:,} of {aligned.records:,} records are not in it; all of their values count as lost.")
    if aligned.dropped:
        notes.append(f"it lacks {', '.join(aligned.dropped)}; all of their values count as lost.")
    for column, records in aligned.unreadable.items():
        notes.append(
            f"{records:,} values of {column} are explained by no notation, no hierarchy and no recipe; they count as lost. "
            "Name the recipe (--recipe), a hierarchy (--hierarchy), or take what they replaced (--unknown observed)."
        )
    for line in aligned.readings:
        if line.how == ALTERED:
            notes.append(
                f"{line.cells:,} values of {line.column} are numbers other than the original's: rounded, shifted or perturbed, and no "
                "recipe tells how; they count as lost. Name the recipe (--recipe), or take what they replaced (--unknown observed)."
            )
    for column, records in aligned.false.items():
        notes.append(f"{records:,} values of {column} say something else than the original; they count as lost.")
    observed = sorted({line.column for line in aligned.readings if line.how == OBSERVED})
    if observed:
        notes.append(f"what labels of {', '.join(observed)} stand for was taken from the original, record by record.")
    return notes
