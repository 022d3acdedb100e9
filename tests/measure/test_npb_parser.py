from hypothesis import given
from hypothesis import strategies as st

from linkworth.measure.parsers import npb

OFFICIAL = """
 FT Benchmark Completed.
 Class           =                        A
 Time in seconds =                     0.87
 Total processes =                        4
 Mop/s total     =                  8203.11
 Mop/s/process   =                  2050.78
 Verification    =               SUCCESSFUL
 Version         =                    3.4.3
"""


def test_the_official_block_is_read():
    report = npb.parse(OFFICIAL)
    assert (report.seconds, report.verified) == (0.87, True)


def test_each_verdict():
    for word, verdict in {
        "SUCCESSFUL": True,
        "UNSUCCESSFUL": False,
        "FAILED": False,
        "NOT PERFORMED": None,
    }.items():
        assert npb.parse(f" Verification    =    {word}\n").verified is verdict


def test_of_several_blocks_the_last_counts_and_no_number_is_none():
    worse = OFFICIAL.replace("0.87", "0.91").replace("SUCCESSFUL", "UNSUCCESSFUL")
    report = npb.parse(OFFICIAL + worse)
    assert (report.seconds, report.verified) == (0.91, False)
    assert all(npb.parse(OFFICIAL.replace("0.87", word)).seconds is None for word in ("*******", "NaN"))
    assert npb.parse("Loop time of 2.3 on 4 procs\nTime in seconds: 4\n") == npb.NpbReport()


@given(st.text())
def test_no_text_can_stop_the_parser(text):
    npb.parse(text)
    npb.parse(f" Time in seconds = {text}\n Verification = {text}\n")
