"""Requests for micro-benchmarks, and the sentences that refuse some."""

from pathlib import Path

import pytest

from linkworth.bench import request, settings, tests
from linkworth.errors import UsageError
from linkworth.places.local import LocalPlace


def sized(**texts):
    return request.with_sizes(settings.BenchSettings(), settings.SizeTexts(**texts))


def test_words_are_tests_or_files():
    assert request.split(["latency", "a.json", "collectives"]) == (
        [Path("a.json")],
        ["latency", *tests.COLLECTIVES],
    )
    assert request.split([]) == ([], ["latency", "bandwidth"])
    assert request.split(["runs/osu", "np.out"]) == ([Path("runs/osu"), Path("np.out")], [])
    assert request.split(["a.json"]) == ([Path("a.json")], [])
    assert request.split(["latency", "all"])[1] == [
        "latency",
        *(name for name in tests.TESTS if name != "latency"),
    ]


def test_sizes_are_those_of_the_papers_or_as_asked_for():
    sizes = settings.sizes_of(tests.TESTS["latency"], sized())
    assert (len(sizes), sizes[0], sizes[-1]) == (23, 1, 4 << 20)
    assert sized(least="1K", most="8K").sizes == [1024, 2048, 4096, 8192]
    assert sized(least="8M").sizes == [8 << 20]
    assert sized(sizes="64K,8,8").sizes == [8, 65536]
    assert settings.sizes_of(tests.TESTS["pingpong"], sized(sizes="2,8")) == [2, 5, 8, 11]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sizes": "8,x"}, "`sizes` 'x': no size in bytes"),
        ({"sizes": "8,"}, "`sizes` '': no size in bytes"),
        ({"sizes": "4iB"}, "`sizes` '4iB': no size in bytes"),
        ({"sizes": "8", "least": "1"}, "`min` and `max` are for the default ones"),
        ({"least": "5", "most": "7"}, "no power of two lies between 5 and 7"),
        ({"most": "0"}, "no power of two lies between 1 and 0"),
        ({"sizes": ""}, "`sizes` '': no size in bytes"),
        ({"most": "4G"}, "more than one MPI call can carry"),
        ({"longest": "1K"}, "`longest` 1K: give a size from 8K"),
    ],
)
def test_bad_settings_are_named(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        sized(**given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"asynchronous": True}, "`async` is an option of pingpong, which is not asked for"),
        ({"longest": 1 << 20}, "`longest` is an option of beff"),
    ],
)
def test_options_of_other_tests_are_named(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        request.prepare(
            ["latency"], opened=LocalPlace(), mpi=None, ranks=2, settings=settings.BenchSettings(**given)
        )


@pytest.mark.parametrize(
    ("test", "given", "sentence"),
    [
        ("latency", {"sizes": [0]}, "`sizes`: 0 bytes"),
        ("beff", {"sizes": [1 << 30]}, "1073741824 bytes; give sizes from 1 to 1073741823"),
        ("pingpong", {"asynchronous": True, "bidirectional": True}, "leave `async` out"),
        ("latency", {"pairs": True}, "`pairs` is an option of pingpong"),
        ("latency", {"methods": ["sendrecv"]}, "`methods` is an option of beff"),
    ],
)
def test_bad_arguments_are_named(test, given, sentence):
    with pytest.raises(UsageError, match=sentence):
        settings.arguments(tests.TESTS[test], settings.BenchSettings(**given))


def test_methods_of_beff_are_passed_on():
    words = settings.arguments(
        tests.TESTS["beff"], settings.BenchSettings(methods=["sendrecv", "nonblocking"])
    )
    assert words[words.index("--methods") + 1] == "sendrecv,nonblocking"
    assert "--methods" not in settings.arguments(tests.TESTS["beff"], settings.BenchSettings())
