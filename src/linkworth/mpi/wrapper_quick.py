"""List of procedures that only look something up: some nanoseconds, whatever the other ranks do."""

import re

_NAMES = frozenset(
    f"MPI_{name}"
    for name in (
        "Address",
        "Aint_add",
        "Aint_diff",
        "Cart_coords",
        "Cart_get",
        "Cart_rank",
        "Cart_shift",
        "Cartdim_get",
        "Comm_rank",
        "Comm_remote_size",
        "Comm_size",
        "Comm_test_inter",
        "Error_class",
        "Finalized",
        "Get_address",
        "Get_count",
        "Get_count_c",
        "Get_elements",
        "Get_elements_c",
        "Get_elements_x",
        "Get_version",
        "Group_rank",
        "Group_size",
        "Initialized",
        "Is_thread_main",
        "Op_commutative",
        "Query_thread",
        "Test_cancelled",
        "Topo_test",
        "Type_extent",
        "Type_get_extent",
        "Type_get_extent_c",
        "Type_get_extent_x",
        "Type_lb",
        "Type_size",
        "Type_size_c",
        "Type_size_x",
        "Type_ub",
        "Wtick",
        "Wtime",
    )
)


def is_conversion(name: str) -> bool:
    """Return whether a procedure converts a handle or a status of one language into another's."""
    return re.search(r"_(f2c|c2f|f082c|c2f08|f2f08|f082f|fromint|toint)$", name) is not None


def is_quick(name: str) -> bool:
    """Return whether reading the clock a second time would take longer than the procedure itself."""
    return name in _NAMES or is_conversion(name)
