"""The set-up scripts of `make`: what they find, and the sentence they leave where something is missing."""

import hashlib
import http.server
import os
import subprocess
import sys
import threading
import zipfile
from functools import partial
from pathlib import Path

import fake_installation as fake
import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


def run(script, *arguments, **environment):
    return subprocess.run(
        ["sh", str(SCRIPTS / script), *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_this_python_is_found_by_name():
    done = run("find_python.sh", PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).exists()


@pytest.mark.parametrize(
    ("script", "variable", "words"),
    [("find_python.sh", "PYTHON", "old"), ("find_compiler.sh", "CXX", "C++20")],
)
def test_an_old_python_or_compiler_is_refused_in_one_sentence(tmp_path, script, variable, words):
    # Stands for one whose comparison of versions, or whose compilation, ends with 1.
    old = fake.script(tmp_path / "old", "exit 1")
    done = run(script, **{variable: str(old)})
    assert done.returncode == 3
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_cpp20_compiler_is_found():
    done = run("find_compiler.sh", CXX="")
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert Path(done.stdout.strip()).exists()


def test_missing_headers_are_named_with_their_package(tmp_path):
    bare = fake.script(
        tmp_path / "python", 'case "$2" in *version*) echo 3.99;; *) echo /nonexistent/include;; esac'
    )
    fake.script(tmp_path / "apt-get", "exit 1")
    done = subprocess.run(
        ["sh", str(SCRIPTS / "python_headers.sh"), str(bare)],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "python3.99-dev" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.fixture
def index(tmp_path):
    """Serve a folder as a package index; give the folder of its `pip` project and its address."""
    project = tmp_path / "simple" / "pip"
    project.mkdir(parents=True)
    handler = partial(QuietHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield project, f"http://127.0.0.1:{server.server_port}/simple"
        server.shutdown()
        thread.join()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def publish(project, versions, *, spoil=False):
    """Put wheels into the index whose `pip` writes the version it was run from into a file beside the index."""
    links = []
    for version in versions:
        wheel = project / f"pip-{version}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            note = project.parent / "installed"
            archive.writestr("pip/__main__.py", f"open({str(note)!r}, 'w').write({version!r})\n")
        digest = hashlib.sha256(b"another" if spoil else wheel.read_bytes()).hexdigest()
        links.append(f'<a href="{wheel.name}#sha256={digest}">{wheel.name}</a>')
    (project / "index.html").write_text("<html>" + "".join(links) + "</html>")


def bootstrap(address):
    environment = os.environ | {"PIP_INDEX_URL": address, "no_proxy": "127.0.0.1"}
    command = [sys.executable, str(SCRIPTS / "bootstrap_pip.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_pip_installs_its_newest_release_from_the_index(index):
    project, address = index
    publish(project, ["9.0.3", "26.1", "24.3.1", "27.0b1"])
    done = bootstrap(address)
    assert done.returncode == 0, done.stderr
    assert (project.parent / "installed").read_text() == "26.1"


def test_a_connection_that_breaks_is_made_again(index, monkeypatch):
    project, address = index
    publish(project, ["26.1"])
    whole, broken = QuietHandler.do_GET, []

    def broken_once(handler):
        if handler.path in broken:
            whole(handler)
        else:
            broken.append(handler.path)
            handler.send_response(200)
            handler.send_header("Content-Length", "100")
            handler.end_headers()

    monkeypatch.setattr(QuietHandler, "do_GET", broken_once)
    done = bootstrap(address)
    assert (done.returncode, len(broken)) == (0, 2), done.stderr


def test_a_wheel_that_does_not_match_its_checksum_is_not_run(index):
    project, address = index
    publish(project, ["26.1"], spoil=True)
    done = bootstrap(address)
    assert done.returncode == 3
    assert "checksum" in done.stderr
    assert not (project.parent / "installed").exists()


def test_an_index_that_cannot_be_reached_is_one_sentence(index):
    _, address = index
    done = bootstrap(f"{address}/nowhere")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
