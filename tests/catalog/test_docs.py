"""The examples of the reference pages are files that load."""

import re
from pathlib import Path

import pytest

from linkworth.catalog import fabrics, prices
from linkworth.catalog.fabric_file import FabricFile, PathTable

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def example(page, folder):
    (text,) = re.findall(
        r"```toml\n(.*?)```", (REFERENCE / page).read_text(encoding="utf-8"), flags=re.DOTALL
    )
    path = folder / "example.toml"
    path.write_text(text)
    return str(path)


def test_the_fabric_of_the_page_loads(tmp_path):
    assert fabrics.get(example("fabrics.md", tmp_path)).name == "campus"


def test_the_prices_of_the_page_load(tmp_path):
    assert prices.get_catalog(example("prices.md", tmp_path))[0].fabric == "ib-hdr"


@pytest.mark.parametrize(
    "field", [*FabricFile.__struct_fields__, *(f"link.{name}" for name in PathTable.__struct_fields__)]
)
def test_the_page_explains_every_field(field):
    page = (REFERENCE / "fabrics.md").read_text(encoding="utf-8")
    assert f"`{field}`" in page or field == "link"
