"""Folders of a user who has no home."""

import os

import pytest

from linkworth.catalog import prices, user_prices
from linkworth.errors import EnvironmentLacksError
from linkworth.mpi.cache import cache_folder


@pytest.fixture
def without_home(monkeypatch):
    for variable in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for a user number without a name


def test_a_missing_home_folder_is_one_sentence(without_home):
    with pytest.raises(EnvironmentLacksError, match="no home folder; set XDG_CACHE_HOME"):
        cache_folder()
    with pytest.raises(EnvironmentLacksError, match="no home folder; set XDG_DATA_HOME"):
        user_prices.folder()
    assert "azure" in prices.names()


def test_an_empty_home_is_none(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "")
    with pytest.raises(EnvironmentLacksError, match="no home folder; set XDG_CACHE_HOME"):
        cache_folder()
