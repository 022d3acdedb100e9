"""The written file as text: whole or not at all, nothing fetched, nothing unescaped."""

import re
from html.parser import HTMLParser

import pytest
from report import samples

from linkworth import report
from linkworth.errors import UsageError


class Elements(HTMLParser):
    """Collects the elements that a browser would make."""

    def __init__(self, text):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def test_ids_are_unique_and_nothing_is_fetched(one_program_file):
    elements = Elements(one_program_file.read_text(encoding="utf-8"))
    fetching = {"img", "link", "iframe", "object", "embed", "video", "audio", "base", "form"}
    assert not [tag for tag, _ in elements.tags if tag in fetching]
    assert not [attributes for _, attributes in elements.tags if "src" in attributes or "style" in attributes]
    ids = [a["id"] for _, a in Elements(one_program_file.read_text(encoding="utf-8")).tags if "id" in a]
    assert len(ids) == len(set(ids))


def test_the_policy_allows_this_script_and_style_alone(one_program_file):
    policy = next(
        attributes["content"] or ""
        for tag, attributes in Elements(one_program_file.read_text(encoding="utf-8")).tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert re.search(r"script-src 'sha256-[^']+';", policy)


def test_hostile_names_make_no_element_and_end_no_script(tmp_path, one_program_file):
    name = "".join(samples.HOSTILE)
    hostile_file = tmp_path / "hostile.html"
    report.write([samples.item(name, host=name, command=[name, "--x", name])], hostile_file)

    def structure(path):
        return {tag for tag, _ in Elements(path.read_text(encoding="utf-8")).tags}

    text = hostile_file.read_text(encoding="utf-8")
    assert structure(hostile_file) == structure(one_program_file)
    assert text.count("<script") == text.count("</script>") == 2
    assert "alert(1)" in text
    assert not any(
        name.startswith("on") for _, attributes in Elements(text).tags for name in attributes if name
    )


def test_a_failed_program_is_shown_as_failed_and_has_no_prediction(tmp_path):
    report.write([samples.item(verified=False)], tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "✗ verification failed" in text
    assert "53.3 ms" not in text
    assert 'id="what-if"' not in text


def test_sources_of_fabrics_and_prices_stand_in_the_page(one_program_file):
    text = one_program_file.read_text(encoding="utf-8")
    assert "chosen for the tests (2025-01)" in text
    assert "chosen for the tests, 2025-01-01" in text


def test_recordings_of_one_program_are_named_with_their_ranks(tmp_path):
    report.write([samples.item(), samples.item(ranks=4), samples.item("npb:cg.W")], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    _, _, navigation = page.partition("<nav")
    names = ["npb:ft.W on 16 ranks", "npb:ft.W on 4 ranks", "npb:cg.W"]
    assert re.findall(r'<a href="#p\d"><bdi>(.*?)</bdi></a>', navigation.partition("</nav>")[0]) == names
    assert re.findall(r'<tr data-program="\d"><th scope="row"><bdi>(.*?)</bdi>', page) == names


def test_nothing_to_report_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="at least one"):
        report.write([], tmp_path / "r.html")
