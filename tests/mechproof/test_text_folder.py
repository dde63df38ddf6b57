"""A folder of texts on sale: titles, prices, owners, and folders that are hostile or damaged."""

from __future__ import annotations

import os
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.market import Corpus, KeywordBuyer, Market, ValuationBuyer, answer_question
from mechproof import text_folder
from mechproof.text_folder import corpus_from_folder
from theory.errors import (
    InvalidInputError,
    LimitError,
    MechproofError,
    NumberError,
    UnknownNameError,
)


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


TITLES = [
    ("# Leeks\nBoil them.", "Leeks", "Boil them."),
    ("### Leeks\n\nBoil them.\n", "Leeks", "Boil them."),
    ("\ufeffLeeks\r\n\r\nBoil\r\nthem.", "Leeks", "Boil\nthem."),
    ("\n\nLeeks\n \nBoil them.", "Leeks", "Boil them."),
    ("Boil them.\nFor long.", "soup", "Boil them.\nFor long."),
    ("Boil them.", "soup", "Boil them."),
    ("# Leeks", "soup", "# Leeks"),
    ("#\n\nBoil them.", "soup", "#\n\nBoil them."),
    ("x" * 201 + "\n\nBoil them.", "soup", "x" * 201 + "\n\nBoil them."),
]


@pytest.mark.parametrize(("content", "title", "text"), TITLES)
def test_titles_are_first_lines_or_names(
    tmp_path: Path, content: str, title: str, text: str
) -> None:
    [passage] = corpus_from_folder(write(tmp_path, {"soup.txt": content}), price=1).passages
    assert (passage.name, passage.title, passage.text) == ("soup.txt", title, text)


def test_names_prices_and_owners(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "b.md": "bread",
        "a.TXT": "apples",
        "Bob/c/d.txt": "dates",
        "Ann/e.txt": "eggs",
        "skipped.pdf": b"\xff\x00",
        ".hidden.txt": b"\xff",
        ".git/f.txt": b"\xff",
        "prices.toml": '"a.TXT" = 1.10\n"Bob/c/d.txt" = "5/3"\n"b.md" = 3',
    }
    folder = write(tmp_path / "shop", files)
    corpus = corpus_from_folder(folder, price="0.3")
    assert [(p.name, p.owner, p.price, p.text) for p in corpus.passages] == [
        ("Ann/e.txt", "Ann", Fraction(3, 10), "eggs"),
        ("Bob/c/d.txt", "Bob", Fraction(5, 3), "dates"),
        ("a.TXT", "shop", Fraction(11, 10), "apples"),
        ("b.md", "shop", Fraction(3), "bread"),
    ]
    assert {each.owner for each in corpus_from_folder(folder, price=1, owner="Eve").passages} == {
        "Ann",
        "Bob",
        "Eve",
    }
    assert corpus_from_folder(str(folder), price="0.3") == corpus


def test_the_order_in_which_files_were_made_is_nothing(tmp_path: Path) -> None:
    names = [f"{k}.txt" for k in range(20)]
    one = write(tmp_path / "one" / "x", dict.fromkeys(names, "text"))
    other = write(tmp_path / "two" / "x", dict.fromkeys(reversed(names), "text"))
    assert corpus_from_folder(one, price=1) == corpus_from_folder(other, price=1)


def test_twenty_texts_are_on_sale(tmp_path: Path) -> None:
    shop = write(tmp_path, {f"{k}.txt": f"Dish {k}\n\nBoil dish {k} for long." for k in range(20)})
    corpus = corpus_from_folder(shop, price=2)
    market = Market.of(corpus)
    for k in (3, 19):
        buyer = ValuationBuyer(lambda _, texts, k=k: 5 * any(f"dish {k} " in t for t in texts))
        result = answer_question(market, f"How long does dish {k} boil?", buyer, 10)
        assert (result.answer, result.spent) == (f"Boil dish {k} for long.", 2)
    result = answer_question(market, "dish 7", KeywordBuyer(corpus), 3)
    assert result.answer == "Boil dish 7 for long."


def refused(folder: Path, said: str, kind: type[MechproofError] = InvalidInputError) -> None:
    with pytest.raises(kind, match=said):
        corpus_from_folder(folder, price=1)


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"ab\xffc", r"is no UTF-8 at byte 2 \(got '{}'"),
        ("Ilm".encode("utf-16-le"), r"null characters in it \(got '{}'"),
        (b"", r"is empty \(got '{}'"),
        (b"\xef\xbb\xbf \n\n\t", r"is empty \(got '{}'"),
        (b"x" * (1 << 20) + b"x", r"more than 1,048,576 bytes\) \(got '{}'"),
    ],
)
def test_a_text_that_cannot_be_sold_is_named(
    tmp_path: Path, place: int, content: bytes, said: str
) -> None:
    files: dict[str, str | bytes] = {f"{k}.txt": "text" for k in range(3)}
    name = f"{place}.txt"
    refused(write(tmp_path, {**files, name: content}), said.format(name))


PRICE_FILES = [
    (b'"b.txt" = 1', "is no text in the folder.*b.txt.*a.txt", UnknownNameError),
    (b'"a.txt" = ', "prices.toml .*is no TOML", InvalidInputError),
    (b"\xff", "prices.toml .*is no TOML", InvalidInputError),
    (b"a = " + b"[" * 100_000, "prices.toml .*is no TOML", InvalidInputError),
    (b"a.txt = 1", "is no text in the folder .got 'a'", UnknownNameError),
    (b"a" + b".a" * 40_000 + b" = 1", "prices.toml .*is no TOML.*50 parts", InvalidInputError),
    (b'"a.txt" = 0x' + b"f" * 100_000, "prices.toml .*is no TOML.*4000 digits", InvalidInputError),
    (b'"a.txt" = ' + b"7" * 100_000, "prices.toml .*is no TOML.*4000 digits", InvalidInputError),
    (b'"a.txt" = -1', "price of a.txt.*negative", InvalidInputError),
    (b'"a.txt" = nan', "price of a.txt", NumberError),
    (b'"a.txt" = inf', "price of a.txt", NumberError),
    (b'"a.txt" = 1e999999999', "price of a.txt", MechproofError),
    (b'"a.txt" = true', "price of a.txt", NumberError),
    (b'"a.txt" = 2020-01-01', "price of a.txt", NumberError),
    (b'["a.txt"]\nprice = 1', "price of a.txt", NumberError),
    (b'"a.txt" = "cheap"', "price of a.txt", NumberError),
]


@pytest.mark.parametrize(("content", "said", "kind"), PRICE_FILES)
def test_prices_that_are_none_are_refused(
    tmp_path: Path, content: bytes, said: str, kind: type[MechproofError]
) -> None:
    refused(write(tmp_path, {"a.txt": "text", "prices.toml": content}), said, kind)


def test_a_text_without_a_price_is_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.txt": "x", "b.txt": "y", "prices.toml": '"a.txt" = 1'}
    with pytest.raises(InvalidInputError, match=r"has no price \(got 'b.txt'"):
        corpus_from_folder(write(tmp_path, files))


@pytest.mark.parametrize("price", [-1, "x", float("nan"), True, [1]])
def test_a_price_for_all_that_is_none_is_refused(tmp_path: Path, price: Any) -> None:
    with pytest.raises(MechproofError, match=r"price of a\.txt"):
        corpus_from_folder(write(tmp_path, {"a.txt": "x"}), price=price)


def test_a_folder_without_texts_and_what_is_no_folder(tmp_path: Path) -> None:
    refused(tmp_path, "holds no text")
    refused(write(tmp_path, {"a.pdf": b"x"}), "holds no text")
    refused(tmp_path / "missing", "cannot be read.*missing")
    refused(tmp_path / "a.pdf", "cannot be read.*a.pdf")
    for given_path in ("", "a\0b"):
        with pytest.raises(InvalidInputError, match="folder is not a path"):
            corpus_from_folder(given_path, price=1)


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", {"secret.txt": "secret", "prices.toml": ""})
    shop = write(tmp_path / "shop", {"a.txt": "text"})
    within = shop / "b.txt"
    within.symlink_to(shop / "a.txt")
    assert [p.text for p in corpus_from_folder(shop, price=1).passages] == ["text", "text"]
    for name, target, said in [
        ("c.txt", secret / "secret.txt", "leads out.*c.txt"),
        ("c.txt", Path("..", "elsewhere", "secret.txt"), "leads out.*c.txt"),
        ("prices.toml", secret / "prices.toml", "leads out.*prices.toml"),
        ("folder", secret, "is a link to a folder.*folder"),
        ("folder", Path("."), "is a link to a folder.*folder"),
        ("folder.txt", secret, "is a link to a folder.*folder.txt"),
        ("c.txt", Path("c.txt"), "c.txt"),
        ("c.txt", shop / "nothing.txt", "c.txt|nothing.txt"),
    ]:
        link = shop / name
        link.symlink_to(target)
        refused(shop, said)
        link.unlink()
    inner = tmp_path / "shop2"
    inner.symlink_to(shop)  # the folder itself may be a link
    assert corpus_from_folder(inner, price=1) == corpus_from_folder(shop, price=1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    refused(tmp_path, "no regular file.*a.txt")


def test_a_name_that_is_no_unicode_is_refused(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(bytes(tmp_path) + b"/\xff.txt")).write_text("x")
    except OSError:
        pytest.skip("names of files are always Unicode here, as on macOS and Windows")
    refused(tmp_path, "no name in Unicode.*udcff.txt")


def test_limits_on_the_whole_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a/1.txt": "x" * 60, "b/2.txt": "y" * 60})
    with monkeypatch.context() as changed:
        changed.setattr(text_folder, "_LARGEST", 119)
        refused(tmp_path, "more than 119 bytes", LimitError)
        changed.setattr(text_folder, "_LARGEST", 120)
        assert len(corpus_from_folder(tmp_path, price=1).passages) == 2
        changed.setattr(text_folder, "_MOST_ENTRIES", 3)
        refused(tmp_path, "more than 3 files and folders", LimitError)
        changed.setattr(text_folder, "_MOST_ENTRIES", 4)
        assert len(corpus_from_folder(tmp_path, price=1).passages) == 2


FILE_NAMES = st.text(st.characters(exclude_characters="/\0", codec="utf-8"), max_size=8)
CONTENTS = st.one_of(st.binary(max_size=30), st.text(max_size=30).map(str.encode))


@given(st.dictionaries(FILE_NAMES, CONTENTS, max_size=4), st.binary(max_size=20))
def test_any_folder_is_sold_or_refused(
    tmp_path_factory: pytest.TempPathFactory, contents: dict[str, bytes], prices: bytes
) -> None:
    folder = tmp_path_factory.mktemp("shop")
    try:
        for name, content in contents.items():
            (folder / f"{name}.txt").write_bytes(content)
        if prices:
            (folder / "prices.toml").write_bytes(prices)
        corpus: Corpus | MechproofError
        try:
            corpus = corpus_from_folder(folder, price=1)
        except MechproofError as error:
            corpus = error
        if isinstance(corpus, MechproofError):
            assert str(corpus).isprintable()
            return
        sold = {f"{name}.txt" for name in contents if not name.startswith(".")} - {".txt"}
        assert {passage.name for passage in corpus.passages} == sold
        for passage in corpus.passages:
            given_text = contents[passage.name.removesuffix(".txt")].decode("utf-8-sig")
            assert passage.text
            assert (
                given_text.replace("\r\n", "\n").replace("\r", "\n").strip().endswith(passage.text)
            )
    finally:
        shutil.rmtree(folder)
