"""How a synthetic table is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from anonscope.operations.wishes.words import Wish, Words

MethodName = Literal["tree", "adaptive", "private_pca", "cart", "condensation", "hybrid", "svd", "pca", "copula"]
_PANEL = "How it is made"


@dataclass(frozen=True, kw_only=True)
class NoisyThere(Wish):
    """Where noise is added."""

    panel: ClassVar[str | None] = _PANEL

    noise_inside: Annotated[
        bool, Words(help="On Spark: add the noise on its workers, with OpenDP, so that only noisy numbers leave the cluster.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Synthesising(Wish):
    """The method, what it may lose about anybody, and the domain that is declared for it."""

    panel: ClassVar[str | None] = _PANEL

    domain: Annotated[
        str | Path | None,
        Words(help="TOML file that declares the values of every column, and what one person contributes.", metavar="FILE", reads=Path),
    ] = None
    method: Annotated[
        MethodName,
        Words(
            help="tree, adaptive and private_pca: differentially private; all others: no guarantee.",
            wrong="No method is called {}. There are: tree, adaptive, private_pca, cart, condensation, hybrid, svd, pca, copula.",
        ),
    ] = "tree"
    epsilon: Annotated[
        float | None,
        Words(
            help="What may be lost about anybody: by which factor their being in the table changes the probability of any result.",
            metavar="EPSILON",
            above=0,
            wrong="epsilon must be above 0, not {}: at 0, a table may not depend on the data at all.",
        ),
    ] = None
    delta: Annotated[
        float,
        Words(
            help="What is lost beyond that; far below one in the number of people.",
            metavar="DELTA",
            above=0,
            most=0.01,
            wrong="delta must be above 0 and at most 0.01, not {}; it should be far below one in the number of people.",
        ),
    ] = 1e-9
    records: Annotated[
        int | None,
        Words(
            help="How many records to draw. Default: about as many as the table has.",
            flags=("--records",),
            metavar="N",
            least=1,
            shown=False,
            wrong="The number of records to draw is a whole number from 1 on, not {}.",
        ),
    ] = None
    hold_out: Annotated[
        float,
        Words(
            help="Share of the people to keep aside before anything is learnt, as the control of the attack on membership.",
            metavar="SHARE",
            least=0,
            most=0.5,
            wrong="The share to hold out is from 0 to 0.5, not {}.",
        ),
    ] = 0.0
    parameters: Annotated[
        Mapping[str, float] | None,
        Words(
            help="A parameter of the method.",
            flags=("--parameter",),
            metavar="NAME=VALUE",
            entry="A parameter is written NAME=VALUE (for instance leaf=20)",
        ),
    ] = None
    seed: Annotated[
        int | None,
        Words(
            help="For tests only: draw from this seed. Nothing is guaranteed then.",
            metavar="N",
            least=0,
            wrong="A seed is a whole number from 0 on, not {}.",
        ),
    ] = None
