"""An audit beside its baseline, in turns, so that a busy machine slows both."""

from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from benchmarks.job import Job, Run, measure
from benchmarks.tables import Table


@dataclass(frozen=True, slots=True)
class Comparison:
    """Pairs of runs taken one after the other."""

    baselines: tuple[Run, ...]
    audits: tuple[Run, ...]

    @property
    def ratio(self) -> float:
        """The median of the pairs' ratios of wall clock."""
        return median(self.ratios)

    @property
    def ratios(self) -> list[float]:
        return [audit.wall / baseline.wall for baseline, audit in zip(self.baselines, self.audits, strict=True)]

    @property
    def cpu_ratio(self) -> float:
        return median(audit.cpu / baseline.cpu for baseline, audit in zip(self.baselines, self.audits, strict=True))

    @property
    def baseline_seconds(self) -> float:
        return median(run.wall for run in self.baselines)

    @property
    def audit_seconds(self) -> float:
        return median(run.wall for run in self.audits)

    @property
    def baseline_peak(self) -> float:
        return max(run.peak for run in self.baselines)

    @property
    def audit_peak(self) -> float:
        return max(run.peak for run in self.audits)

    @property
    def spilled(self) -> float:
        """Megabytes that the audit moved out of memory at most."""
        return max(float(run.facts["spilled"]) for run in self.audits)

    @property
    def baseline_spilled(self) -> float:
        return max(float(run.facts["spilled"]) for run in self.baselines)

    @property
    def classes(self) -> int:
        return int(self.audits[0].facts["classes"])


def job_of(
    table: Table,
    path: Path,
    *,
    kind: str = "audit",
    columns: int | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    only: tuple[str, ...] | None = None,
) -> Job:
    """Return the job of auditing a file of a table, with its first few quasi-identifiers if not all are wanted."""
    return Job(
        kind=kind,
        path=str(path),
        quasi_identifiers=table.quasi_identifiers[:columns],
        sensitive=table.sensitive,
        person=table.person,
        threads=threads,
        memory_limit=memory_limit,
        only=only,
    )


def compare(job: Job, repeat: int) -> Comparison:
    """Measure an audit and its baseline in turns."""
    baselines: list[Run] = []
    audits: list[Run] = []
    for _ in range(repeat):
        baselines.append(measure(replace(job, kind="baseline")))
        audits.append(measure(job))
        assert baselines[-1].facts["rows"] == audits[-1].facts["rows"], "both read the same records"
    return Comparison(tuple(baselines), tuple(audits))
