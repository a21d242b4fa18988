"""Results that stay in their room: whoever reloads it, opens it in another tab or comes back finds what was found last."""

from anonscope.io.progress import Progress
from anonscope.web.desk import Shown
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import Work


def shown_afterwards(workspace: Workspace, table: StoredTable, kind: str, asked: Work) -> Work:
    """Return work whose result a room shows from then on, also to whoever has reloaded it or comes back later."""
    version = table.desk.shown

    def working(progress: Progress) -> str:
        location = asked(progress)
        table.desk.show(kind, Shown(location, version, workspace.kept_at(location)))
        return location

    return working
