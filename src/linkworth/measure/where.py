"""Opens the place that the user named for runs."""

from collections.abc import Callable

from linkworth.errors import UsageError
from linkworth.launch.local_site import LocalSite
from linkworth.launch.site import Site
from linkworth.model.where import Where


def open_site(where: Where, say: Callable[[str], None] | None = None) -> Site:
    """Return a place that is ready for runs, for use in `with`. `say` receives the state of a batch job.

    Raises UsageError for a place that does not exist or is too small, and EnvironmentLacksError if this machine lacks
    what the place needs.
    """
    if where.kind == "local":
        if (where.nodes or 1) > 1:
            raise UsageError(
                f"--nodes {where.nodes}: this machine is one node; name more with --lab, --hostfile or --slurm"
            )
        return LocalSite(where.transport, where.binding)
    # Imports are local: a run on this machine needs none of them.
    if where.kind == "lab":
        from linkworth.lab.site import open_lab

        return open_lab(where)
    if where.kind == "hostfile":
        from linkworth.launch.hostfile_site import HostfileSite

        return HostfileSite(where)
    from linkworth.launch import allocation, batch_site

    if where.kind == "slurm" and allocation.inside():
        return allocation.AllocationSite(where)

    return batch_site.open_batch(where, say)
