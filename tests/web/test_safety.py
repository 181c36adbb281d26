"""What protects the store: headers, host names, the token, sizes, and a connection that cannot write."""

import base64
import socket
from collections.abc import Iterator

import httpx2
import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill import Store, StoreError, StoreUnavailable, UsageError
from dealmill.pipeline.store.database.connections import Database
from dealmill.web.app import application
from dealmill.web.safety import HEADERS, MAX_BYTES, check_address
from tests.doing import a_run
from tests.web.browser import serving
from tests.web.conftest import HOSTS, client_of
from tests.web.shop import PAIRING

TOKEN = "correct horse"  # noqa: S105


@pytest.fixture(scope="module")
def guarded(furnished: str) -> Iterator[TestClient]:
    """A client of an application with a token."""
    with client_of(furnished, token=TOKEN) as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/", "/nothing", "/static/steps.js", "/api/runs", "/api/runs/99", "/runs/1/layouts.csv"]
)
def test_every_response_has_the_policy(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff" and "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("testserver", 200),
        ("TESTSERVER:8000", 200),
        ("127.0.0.1:1", 200),
        ("evil.example", 400),
        ("testserver.evil.example", 400),
        ("testserver@evil.example", 400),
        ("", 400),
    ],
)
def test_only_known_host_names_are_answered(client: TestClient, host: str, code: int) -> None:
    assert client.get("/", headers={"Host": host}).status_code == code


def test_a_token_is_a_password_or_a_bearer_token(guarded: TestClient) -> None:
    refused = guarded.get("/")
    assert refused.status_code == 401 and refused.headers["www-authenticate"].startswith("Basic ")
    assert "content-security-policy" in refused.headers and "Dealmill</a>" not in refused.text
    assert guarded.get("/", auth=("anyone", TOKEN)).status_code == 200
    assert guarded.get("/api/runs", headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN}x",
        f"Token {TOKEN}",
        TOKEN,
        "Basic",
        "Basic !",
        "Basic " + base64.b64encode(TOKEN.encode()).decode(),
        "Basic " + base64.b64encode(f"{TOKEN}:".encode()).decode(),
        "Bearer \u00e9",
    ],
)
@pytest.mark.parametrize("path", ["/", "/static/style.css", "/api/openapi.json", "/nothing"])
def test_requests_without_the_token_are_refused(guarded: TestClient, path: str, authorization: str) -> None:
    assert guarded.get(path, headers={b"Authorization": authorization.encode()}).status_code == 401


def test_a_health_check_needs_no_token_and_learns_nothing_else(
    guarded: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert guarded.get("/api/health").json() == {"database": "available"}

    def away(*_: object, **__: object) -> list[int]:
        raise StoreUnavailable("the database postgresql://me:***@db.example/night?host=/run is not available")

    monkeypatch.setattr(Store, "run_ids", away)
    for path in ("/api/health", "/"):
        refused = guarded.get(path, auth=("anyone", TOKEN))
        assert refused.status_code == 503 and "the log of dealmill web says why" in refused.text
        assert not any(word in refused.text for word in ("me:", "db.example", "night", "/run"))
    assert "db.example" in caplog.text


def test_other_machines_are_served_only_with_a_token() -> None:
    for host in ("0.0.0.0", "::", "192.168.0.7", "example.org"):  # noqa: S104
        with pytest.raises(UsageError, match="set DEALMILL_WEB_TOKEN"):
            check_address(host, None)
        check_address(host, TOKEN)
    for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"):
        check_address(host, None)


@pytest.mark.parametrize("token", ["", " " * 40, "letmein"])
def test_a_guessable_token_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="DEALMILL_WEB_TOKEN is too easy to guess"):
        check_address("0.0.0.0", token)  # noqa: S104
    check_address("127.0.0.1", token)


def test_a_token_is_compared_as_utf_8_and_other_bytes_are_refused(furnished: str) -> None:
    with client_of(furnished, token="tökén") as client:  # noqa: S106
        for sent, code in (("Bearer tökén", 200), ("Bearer token", 401), ("Basic é", 401), ("Basic =", 401)):
            assert client.get("/", headers={b"Authorization": sent.encode()}).status_code == code


def test_a_weak_etag_among_others_is_recognized(client: TestClient) -> None:
    tag = client.get("/log").headers["etag"]
    assert client.get("/log", headers={"If-None-Match": f'"x", W/{tag}'}).status_code == 304
    assert client.get("/log", headers={"If-None-Match": f"{tag[:-1]}x"}).status_code == 200


def test_a_forbidden_method_gets_the_allowed_ones(client: TestClient) -> None:
    assert client.post("/log").headers["allow"] == "GET"


def test_large_bodies_are_refused(client: TestClient) -> None:
    assert client.post("/api/check", content=b" " * (MAX_BYTES + 1)).status_code == 413
    chunked = client.post("/api/check", content=(b" " * 1000 for _ in range(MAX_BYTES // 1000 + 1)))
    assert chunked.status_code == 413
    assert chunked.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


def test_an_unexpected_error_reveals_nothing_and_has_the_headers(
    furnished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_store: dealmill.Store) -> list[str]:
        raise RuntimeError("a secret")

    monkeypatch.setattr(dealmill.Store, "log", fail)
    with dealmill.open(furnished, read_only=True) as store:
        client = TestClient(application(store, hosts=HOSTS), raise_server_exceptions=False)
        got = client.get("/log")
    assert (got.status_code, "secret" in got.text) == (500, False)
    assert got.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_pages_can_only_be_read(client: TestClient, method: str) -> None:
    for path in ("/", "/runs/1", "/check", "/api/runs", "/api/runs/1"):
        assert client.request(method, path).status_code == 405


@pytest.mark.slow
@pytest.mark.parametrize(
    ("site", "mode", "code"),
    [
        ("cross-site", "no-cors", 403),
        ("cross-site", "cors", 403),
        ("cross-site", "navigate", 200),
        ("same-origin", "no-cors", 200),
        ("none", "navigate", 200),
    ],
)
def test_other_sites_can_link_to_pages_but_not_embed_them(client: TestClient, site: str, mode: str, code: int) -> None:
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
    assert client.get("/check?game=memory&layout=ABBA", headers=headers).status_code == code


@pytest.mark.slow
def test_head_has_the_headers_of_get(furnished: str) -> None:
    with serving(furnished) as address:
        for path in ("/log", "/runs/1/layouts", "/api/runs/1/results", "/static/style.css", "/nothing"):
            head, get = httpx2.head(address + path, timeout=60), httpx2.get(address + path, timeout=60)
            assert head.content == b"" and head.status_code == get.status_code
            assert dict(head.headers) | {"date": ""} == dict(get.headers) | {"date": ""}


def test_files_outside_the_folder_are_not_served(client: TestClient) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static"):
        assert client.get(path).status_code == 404


def test_the_database_itself_refuses_writes(database: Database) -> None:
    a_run(database, "memory/two-pass", ["ABBA"])
    url = database.url.render_as_string(hide_password=False)
    with dealmill.open(url, read_only=True) as opened:
        assert [result.value for result in opened.query(run=1)] == [8]
        with pytest.raises(StoreError, match="read-only"):
            opened.retract("memory/two-pass", "1", "no reason")
    with dealmill.open(url) as opened:
        assert opened.status()[0].progress.retracted is None


def test_pages_are_compressed_for_browsers_that_ask_for_it(client: TestClient) -> None:
    plain, packed = (client.get("/", headers={"Accept-Encoding": name}) for name in ("identity", "gzip"))
    assert plain.text == packed.text and packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 3
    rows = client.get(f"/runs/{PAIRING}/layouts.jsonl", headers={"Accept-Encoding": "gzip"})
    assert rows.headers["content-encoding"] == "gzip" and rows.text.splitlines()[-1].startswith('{"end": true')


LENGTHS = {"9" * 20: 400, "9" * 4_400: 400, "70000": 413, "-1": 400, "1e3": 400, "0": 200}
"""What is answered to a request that states the length of its body."""


@pytest.mark.parametrize(
    "path", ["/", "/runs/1", f"/runs/{PAIRING}/layouts.jsonl", "/api/runs", "/static/style.css", "/api/openapi.json"]
)
def test_a_body_of_any_stated_length_is_refused(client: TestClient, path: str) -> None:
    for length, code in LENGTHS.items():
        answer = client.get(path, headers={"Content-Length": length})
        assert answer.status_code == code, length
        assert all(answer.headers[name] == value for name, value in HEADERS.items())


@pytest.mark.slow
def test_the_server_refuses_a_body_by_its_stated_length(furnished: str) -> None:
    with serving(furnished) as address:
        port = int(address.rpartition(":")[2])
        for path in ("POST /api/check", "GET /static/style.css"):
            for length, code in LENGTHS.items():
                request = f"{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n"
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    connection.sendall(request.encode())
                    expected = 422 if (path, code) == ("POST /api/check", 200) else code
                    assert connection.recv(12) == f"HTTP/1.1 {expected}".encode(), (path, length)
