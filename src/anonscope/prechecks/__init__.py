"""A look at a table before a pseudonymisation level is chosen: marginals, sparsity of classes, and what each level would cost."""

from anonscope.prechecks.marginal import Marginal
from anonscope.prechecks.preview import Preview, Sample
from anonscope.prechecks.run import SEED, PreCheckFindings, Sparsity, run
from anonscope.transform.levels import KINDS

__all__ = ["KINDS", "SEED", "Marginal", "PreCheckFindings", "Preview", "Sample", "Sparsity", "run"]
