"""What a table tells of an original whose records it does not follow: synthetic, shuffled, or of other people altogether."""

from anonscope.utility.unpaired.measures import UNPAIRED, measure_unpaired
from anonscope.utility.unpaired.tables import NOT_PAIRED, Unpaired, follows, unpaired

__all__ = ["NOT_PAIRED", "UNPAIRED", "Unpaired", "follows", "measure_unpaired", "unpaired"]
