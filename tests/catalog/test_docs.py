"""The examples of the reference pages are files that load."""

import re
from pathlib import Path

from linkworth.catalog import fabrics, prices

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def example(page, folder):
    """All blocks of a page are one file, whose sources come last."""
    blocks = re.findall(r"```toml\n(.*?)```", (REFERENCE / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    path = folder / "example.toml"
    path.write_text("\n".join(blocks))
    return str(path)


def test_the_files_of_the_page_load(tmp_path):
    found = fabrics.get(example("fabrics.md", tmp_path))
    assert found.name == "campus"
    assert [level.nodes_per_group for level in found.topology.levels] == [16, 64]
    assert found.tcp.port_buffer_bytes == 512_000
    assert prices.get_catalog(example("prices.md", tmp_path))[0].fabric == "ib-hdr"
