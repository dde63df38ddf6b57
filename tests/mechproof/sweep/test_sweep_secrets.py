"""Results files: no key and no password stands in them, wherever a sweep met it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from llm_adapters.secrets import is_secret_name, redact
from mechproof.sweep import Grid, load_sweep, run_sweep
from theory.errors import InvalidInputError

BODY = "q7Zt3Lw9Xb2Nf6Rk8Vd4"
LOOKING = {
    "a key of a server of models": f"sk-{BODY}",
    "another one": f"sk-ant-api03-{BODY}",
    "one of payments": f"sk_live_{BODY}",
    "one of a cloud": "AKIA" + BODY[:16].upper(),
    "one of a forge": f"ghp_{BODY}{BODY}",
    "a newer one of a forge": f"github_pat_{BODY}",
    "another forge": f"glpat-{BODY}",
    "one of a hub": f"hf_{BODY}",
    "one of maps": f"AIza{BODY}{BODY}",
    "one of a chat": f"xoxb-{BODY}",
    "a signed token": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{BODY}.{BODY}",
    "a header": f"Authorization: Bearer {BODY}",
    "a header of a user": "Basic " + BODY + "==",
    "an address": f"https://ann:{BODY}@example.com/v1",
    "a query": f"https://example.com/v1?key={BODY}&x=1",
    "a private key": f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----",
    "an assignment": f"password={BODY}",
    "a dict": f"{{'api_key': '{BODY}', 'x': 1}}",
    "JSON": f'{{"access_token": "{BODY}"}}',
    "a setting": f"AWS_SECRET_ACCESS_KEY: {BODY}",
    "a cookie": f"Set-Cookie: session={BODY}",
}
NAMES = (
    "api_key", "apikey", "openai_api_key", "OPENAI_API_KEY", "password", "passwd", "pwd",
    "passphrase", "secret", "client_secret", "token", "auth_token", "access_token", "credential",
    "credentials", "authorization", "auth", "bearer", "cookie", "private_key", "access_key",
    "signing_key",
)  # fmt: skip
EVERYDAY = ("tokens", "max_tokens", "bidders", "monkey", "keyboard", "author", "tau", "reserve")


def telling(x: int, text: str = "") -> dict[str, Any]:
    if x == 1:
        raise ValueError(f"the server said: {text}")
    return {"said": text, "x2": 2 * x}


def swept(check: Callable[..., Any], path: Path, **options: Any) -> str:
    """Return all that the sweep left: its file, its table, its CSV."""
    found = run_sweep(Grid({"x": [0, 1, 2, 3]}), check, results=path, **(options or {"jobs": 1}))
    assert load_sweep(path) == found
    assert run_sweep(Grid({"x": [0, 1, 2, 3]}), check, results=path, jobs=1) == found
    return f"{path.read_text('utf-8')}{found.table()}{found}{found.to_csv()}"


@pytest.mark.parametrize("kind", sorted(LOOKING))
def test_what_looks_like_a_secret_is_not_kept(kind: str, tmp_path: Path) -> None:
    def check(x: int) -> dict[str, Any]:
        return telling(x, LOOKING[kind])

    left = swept(check, tmp_path / "r.jsonl")
    assert BODY[:16].upper() not in left.upper()
    assert "the server said" in left
    assert "[key]" in left


def test_a_signed_token_is_known_whatever_its_length() -> None:
    """The search looks ahead so far and no farther: what is longer counts without its end."""
    for length in (8, 499, 500, 501, 100_000):
        token = f"eyJ{'a' * length}.{BODY}.{BODY}"
        assert redact(f"it said -{token}, then") == "it said -[key], then"
    assert redact("-eyJaaaaaaaa" * 50_000) == "-[key]"
    assert redact("eyJaaaaaaaa. eyJ-bbb") == "eyJaaaaaaaa. eyJ-bbb"


@pytest.mark.parametrize("kind", sorted(LOOKING))
def test_what_looks_like_a_secret_is_not_kept_as_an_argument_of_the_check(
    kind: str, tmp_path: Path
) -> None:
    left = swept(functools.partial(telling, text=LOOKING[kind]), tmp_path / "r.jsonl")
    assert BODY[:16].upper() not in left.upper()


@dataclass(frozen=True)
class Asking:
    password: str

    def __call__(self, x: int) -> dict[str, Any]:
        return telling(x, f"no {self.password} here")


@pytest.mark.parametrize("name", NAMES)
def test_what_a_check_is_bound_to_under_the_name_of_a_secret_is_kept_nowhere(
    name: str, tmp_path: Path
) -> None:
    word = "correct horse"

    def check(x: int, **given: str) -> dict[str, Any]:
        return {**telling(x, f"no {given[name]} here"), name: word}

    left = swept(functools.partial(check, **{name: word}), tmp_path / "r.jsonl")
    assert word not in left


def test_secrets_of_an_instance_and_of_threads_and_processes(tmp_path: Path) -> None:
    for number, options in enumerate(({"jobs": 1}, {"jobs": 2}, {})):
        with ThreadPoolExecutor(2) as threads:
            more = options or {"executor": threads}
            left = swept(Asking("correct horse"), tmp_path / f"{number}.jsonl", **more)
        assert "correct horse" not in left
        assert "no [key] here" in left


def test_secrets_of_the_environment_are_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SERVICE_TOKEN_PASSWORD", "correct-horse")
    monkeypatch.setenv("HOME_OF_NOTHING", "everyday-word")

    def check(x: int) -> dict[str, Any]:
        return telling(x, "correct-horse, everyday-word")

    left = swept(check, tmp_path / "r.jsonl")
    assert "correct-horse" not in left
    assert "everyday-word" in left


@pytest.mark.parametrize("axis", ["first", "last"])
@pytest.mark.parametrize("name", NAMES)
def test_an_axis_of_secrets_is_refused_where_it_would_be_kept(
    name: str, axis: str, tmp_path: Path
) -> None:
    axes: dict[str, list[Any]] = {name: ["correct horse"]}
    axes = {**axes, "x": [1, 2]} if axis == "first" else {"x": [1, 2], **axes}

    def check(**given: Any) -> int:
        raise AssertionError("nothing is run")

    path = tmp_path / "r.jsonl"
    with pytest.raises(InvalidInputError, match="may hold a key or a password") as caught:
        run_sweep(Grid(axes), check, results=path, jobs=1)
    assert "correct horse" not in str(caught.value)
    assert not path.exists()


@pytest.mark.parametrize("kind", sorted(LOOKING))
def test_an_axis_of_what_looks_like_secrets_is_refused(kind: str, tmp_path: Path) -> None:
    cells = [{"text": "plain"}, {"text": LOOKING[kind]}]
    path = tmp_path / "r.jsonl"
    for grid in (Grid.of(cells), Grid({"text": ["plain", LOOKING[kind]]})):
        with pytest.raises(InvalidInputError, match="may hold a key or a password") as caught:
            run_sweep(grid, lambda text: 1, results=path, jobs=1)
        assert BODY not in str(caught.value)
        assert not path.exists()


def test_everyday_words_stay(tmp_path: Path) -> None:
    text = (
        "Basic research says: unexpected token: '}' (key of C, author Ann) at https://example.com/a"
        " sk-learn; the bearer of news; 1 - sk; a.b.c; 7/3; task-force-of-the-year"
    )
    assert redact(text) == text
    for name in EVERYDAY:
        assert not is_secret_name(name), name
    grid = Grid({"key": ["C major"], "tokens": [100]})
    found = run_sweep(grid, lambda key, tokens: {"headers": key}, results=tmp_path / "r", jobs=1)
    assert found.column("headers") == ("C major",)
    assert load_sweep(tmp_path / "r") == found


@pytest.mark.parametrize("name", NAMES)
def test_names_of_secrets_are_known(name: str) -> None:
    assert is_secret_name(name)
    assert is_secret_name(name.upper().replace("_", "-"))
