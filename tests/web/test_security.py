"""Nobody comes in without the token or the password, from another site, or under another name."""

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.errors import OptionError
from anonscope.web.settings import Password, ServerSettings
from support.served import API, sent, served

PEOPLE = b"age,sex\n" + b"34,f\n35,m\n" * 20
SECRET = "correct horse battery"


@pytest.fixture(scope="module")
def server():
    with served() as found:
        yield found


def test_the_token_becomes_a_cookie_that_scripts_cannot_read(server):
    """The address is left at once, and the cookie is HttpOnly and SameSite=Strict."""
    answer = server.client().get("/enter", params={"token": server.settings.token})

    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and server.settings.token.lower() not in cookie


@pytest.mark.parametrize(
    "path", ["/", "/table/x", "/table/x/results", f"{API}/tables", f"{API}/openapi.json", f"{API}/docs", f"{API}/jobs/x"]
)
def test_nothing_answers_without_the_cookie(server, path):
    """Pages and interface alike."""
    assert server.client().get(path).status_code == 401


def test_whoever_may_not_come_in_is_told_how_and_sent_in_no_circle(server):
    """No link of the page leads to where the same is said again, and a command is written as one."""
    page = server.client(headers={"Accept": "text/html"}).get("/").text
    assert "<code>anonscope serve</code>" in page and "`" not in page and "/glossary" not in page
    assert page.count('href="/"') == 1  # the name of the house


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_a_wrong_token_opens_nothing(server, token):
    """Neither in the address nor in a header."""
    assert server.client().get("/enter", params={"token": token}).status_code == 401
    headers = {"Authorization": f"Bearer x{token}".encode()}
    assert server.client().get(f"{API}/tables", headers=headers).status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.evil.example", ""])
def test_a_foreign_host_is_refused_even_with_the_cookie(server, host):
    """A name that was bent to point to this machine (DNS rebinding) reaches nothing."""
    browser = server.browser()
    answer = browser.get(f"{API}/tables", headers={"Host": host.format(port=server.settings.port)})
    assert answer.status_code in (400, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "{base}", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "{base}", "Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost:1"},
        {},
    ],
)
def test_what_changes_anything_must_come_from_our_own_pages(server, headers):
    """Another site, another port, and a browser that says nothing are refused, whatever cookie they bring."""
    browser = server.browser()
    cookies = {name: browser.cookies[name] for name in browser.cookies}
    other = server.client(cookies=cookies)
    given = {name: value.format(base=server.base) for name, value in headers.items()}
    assert other.post(f"{API}/tables", files={"sample": (None, "hospital")}, headers=given).status_code == 403
    assert other.delete(f"{API}/tables/x", headers=given).status_code == 403


def test_our_own_pages_may(server):
    """The same request with our own origin is done."""
    browser = server.browser()
    assert sent(browser, PEOPLE).status_code == 201


def test_one_session_never_reaches_the_tables_of_another(server):
    """Table, downloads, jobs and pages of another session are as good as none."""
    mine, other = server.browser(), server.browser()
    table = sent(mine, PEOPLE).json()["id"]
    job = mine.post(f"{API}/tables/{table}/suggest").json()["id"]
    for path in (
        f"{API}/tables/{table}",
        f"{API}/tables/{table}/suggestion",
        f"{API}/jobs/{job}",
        f"{API}/jobs/{job}/events",
        f"/table/{table}",
    ):
        assert other.get(path).status_code == 404
    assert other.delete(f"{API}/tables/{table}").status_code == 404
    assert other.post(f"{API}/jobs/{job}/cancel").status_code == 404
    assert other.post(f"{API}/compare", json={"original": table, "releases": [table]}).status_code == 404
    assert other.get(f"{API}/tables").json() == {"tables": []}
    assert mine.get(f"{API}/tables/{table}").status_code == 200


@pytest.mark.parametrize("path", ["/", f"{API}/tables", "/static/style.css", "/nothing", "/enter"])
def test_every_answer_carries_the_strict_headers(server, path):
    """Errors and files too: nothing is stored, framed, sniffed, or loaded from elsewhere."""
    browser = server.browser()
    headers = browser.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy and "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


def test_an_error_of_ours_and_a_defect_hold_no_data(server, monkeypatch):
    """What a request said is not repeated, and neither is the message of an error that we did not foresee."""
    browser = server.browser()
    table = sent(browser, PEOPLE).json()["id"]
    answer = browser.post(f"{API}/tables/{table}/audit", json={"roles": {"person": {"secret-value": 1}}})
    assert answer.status_code == 422 and "secret-value" not in answer.text and list(answer.json()) == ["error"]

    def broken(*_):
        raise ValueError("secret-value")

    monkeypatch.setattr("anonscope.web.rest.load", broken)
    answer = browser.get(f"{API}/policies")
    assert answer.status_code == 500 and "secret-value" not in answer.text and "ValueError" in answer.json()["error"]

    def exhausted(*_):
        raise MemoryError("secret-value")

    monkeypatch.setattr("anonscope.web.rest.load", exhausted)
    answer = browser.get(f"{API}/policies")
    assert answer.status_code == 503 and answer.json()["error"].startswith("There is not enough memory") and "--" not in answer.text


def test_beyond_this_machine_a_password_is_demanded():
    """There is no server for others without one, and a short one is none."""
    with pytest.raises(OptionError, match=r"password.*TLS"):
        ServerSettings(host="192.0.2.1")
    with pytest.raises(OptionError, match="12 characters"):
        Password.of("short")
    with pytest.raises(OptionError, match="public-name"):
        ServerSettings(host="0.0.0.0", password=Password.of(SECRET))
    printed = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--no-browser"], env={"ANONSCOPE_PASSWORD": None})
    assert isinstance(printed.exception, OptionError)


def test_each_login_has_a_session_of_its_own():
    """The right password lets in, a wrong one and the token do not, and two logins do not see each other's tables."""
    with served(public_name="127.0.0.1", password=Password.of(SECRET)) as found:
        clients = [found.client(headers={"Origin": found.base}) for _ in range(2)]
        assert clients[0].get("/").headers["location"] == "/login"
        assert clients[0].get("/enter", params={"token": found.settings.token}).status_code == 401
        assert clients[0].post("/login", data={"password": "wrong"}).status_code == 401
        assert clients[0].get(f"{API}/tables").status_code == 401
        for client in clients:
            assert client.post("/login", data={"password": SECRET}).status_code == 303
        table = sent(clients[0], PEOPLE).json()["id"]
        assert clients[1].get(f"{API}/tables/{table}").status_code == 404
        assert clients[0].post("/leave").status_code == 204
        assert clients[0].get(f"{API}/tables").status_code == 401


def test_passwords_cannot_be_tried_for_long():
    """After ten wrong ones the door is shut, even to the right one."""
    with served(public_name="127.0.0.1", password=Password.of(SECRET)) as found:
        client = found.client(headers={"Origin": found.base})
        answers = [client.post("/login", data={"password": f"wrong {i}"}).status_code for i in range(11)]
        assert answers == [401] * 10 + [429]
        assert client.post("/login", data={"password": SECRET}).status_code == 429


def test_a_program_may_send_the_token_in_a_header(server):
    """No page of another site can, so its origin is not asked."""
    program = server.client(headers={"Authorization": f"Bearer {server.settings.token}"})
    assert sent(program, PEOPLE).status_code == 201
    assert len(program.get(f"{API}/tables").json()["tables"]) == 1
