"""Who gets in: the page's own files for everybody, the run only for who has the address."""

import http.client
import json
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus

from page_client import connect, run_async, wire_of
from touchback.errors import InputError
from touchback.workbench import Workbench
from touchback.workbench.page_hub import Hub
from touchback.workbench.web_server import Server
from waiting import PATIENCE


def asked(bench: Workbench, path: str, **headers: str) -> http.client.HTTPResponse:
    """The answer to a request whose path goes over the wire as it is."""
    at = urlsplit(bench.url)
    line = http.client.HTTPConnection(at.hostname or "", at.port or 0, timeout=PATIENCE)
    line.putrequest("GET", path, skip_host=True)
    for name, value in ({"Host": at.netloc} | headers).items():
        line.putheader(name, value)
    line.endheaders()
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer


def refused(url: str, **given: object) -> int:
    """The status with which a wire is refused; 0: it isn't."""

    async def run() -> int:
        try:
            async with connect(url, **given):  # type: ignore[arg-type]
                return 0
        except InvalidStatus as error:
            return error.response.status_code

    return run_async(run())


@pytest.mark.parametrize(
    "path",
    [
        "/../bench.py", "/..%2fbench.py", "/%2e%2e/bench.py", "//etc/passwd", "/draw/../errors.py",
        "/draw/scene.py", "/page/index.html", "/./index.html", "/index.html/", "/draw/", "/\\..\\x",
        "/index.html%00.js", "http://elsewhere/../bench.py",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_page(bench: Workbench, path: str) -> None:
    assert asked(bench, path).status == 404


@pytest.mark.parametrize(
    "path", ["//[", "http://[x", "/wire?" + "&".join("a=1" for _ in range(30)), "/wire?run=%ff"]
)
def test_what_is_no_address_is_refused_in_words(bench: Workbench, path: str) -> None:
    assert asked(bench, path).status in (400, 401)


@pytest.mark.parametrize(
    ("host", "words"),
    [("", "host is empty"), (" ", "host is empty"), ("no.such.host.invalid", "Give a host"),
     ("192.0.2.7", "Give a host"), ("a" * 300, "Give a host"), ("a\0b", "Give a host")],
)  # fmt: skip
def test_a_host_that_is_none_of_this_machine_is_refused_with_its_own_mend(
    bench: Workbench, host: str, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        Server(Hub(bench.source), host, 0, None, "index.html").start()


def test_the_page_may_load_nothing_from_elsewhere(bench: Workbench) -> None:
    headers = asked(bench, "/").headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["connect-src"].split()[0] == "'self'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"  # its address holds the token
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("token", ["", "?token=", "?token=wrong", "?tokens=x", "?token=%00"])
def test_without_the_token_nobody_connects(bench: Workbench, token: str) -> None:
    assert refused(wire_of(bench).split("?")[0] + token) == 401


@pytest.mark.parametrize(
    "origin", ["http://elsewhere.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"]
)
def test_a_page_of_another_origin_cannot_connect_even_with_the_token(
    bench: Workbench, origin: str
) -> None:
    assert refused(wire_of(bench), origin=origin) == 403


def test_the_page_itself_connects(bench: Workbench) -> None:
    at = urlsplit(bench.url)
    assert refused(wire_of(bench), origin=f"http://{at.netloc}") == 0


@pytest.mark.parametrize(
    "host", ["elsewhere.example", "127.0.0.1.elsewhere.example", "10.0.0.1", "", "[", "a@b:c"]
)
def test_a_name_that_somebody_elses_name_server_gave_us_is_refused(
    bench: Workbench, host: str
) -> None:
    for path in ("/", "/server_connection.js", f"/wire?token={bench.server.token}"):
        assert asked(bench, path, Host=host).status == 403


def test_names_of_this_machine_are_ours(bench: Workbench) -> None:
    port = bench.server.port
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "LOCALHOST"):
        assert asked(bench, "/", Host=host).status == 200


def test_two_hosts_are_none(bench: Workbench) -> None:
    at = urlsplit(bench.url)
    line = http.client.HTTPConnection(at.hostname or "", at.port or 0, timeout=PATIENCE)
    line.putrequest("GET", "/", skip_host=True)
    line.putheader("Host", at.netloc)
    line.putheader("Host", "elsewhere.example")
    line.endheaders()
    assert line.getresponse().status == 400
    line.close()


def test_what_is_made_when_asked_for_needs_the_token_too(bench: Workbench) -> None:
    bench.server.request_handler.generated_files["/secret.json"] = lambda: (
        "application/json",
        json.dumps([1]).encode(),
    )
    assert asked(bench, "/secret.json").status == 401
    assert asked(bench, f"/secret.json?token={bench.server.token}").status == 200


def test_the_token_is_long_and_another_each_time(bench: Workbench) -> None:
    other = Server(bench.hub, "127.0.0.1", 0, None, "index.html")
    assert len(bench.server.token) >= 32 and other.token != bench.server.token


def test_nothing_of_the_address_is_logged(
    bench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(0):
        assert refused(wire_of(bench)) == 0
    ours = [each for each in caplog.records if not each.name.startswith("websockets.client")]
    assert not [each for each in ours if bench.server.token in each.getMessage()]
