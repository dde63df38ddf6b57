"""A folder of texts becomes a corpus: each file is a passage that is on sale."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from llm_adapters.files import read_path, read_small, real_path
from mechanisms.market import Corpus, Passage
from mechproof.problems.format.reading import WrittenNumber, read_toml
from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest

__all__ = ["corpus_from_folder"]

_PRICES: Final = "prices.toml"
_SUFFIXES: Final = (".txt", ".md")
_MOST_ENTRIES: Final = 200_000
"""The most files and folders that are looked at."""
_LONGEST: Final = 1 << 20
"""The most bytes of a text, or of the prices."""
_LARGEST: Final = 1 << 28
"""The most bytes of all texts."""
_LONGEST_TITLE: Final = 200


def corpus_from_folder(
    folder: str | os.PathLike[str], *, price: Any = None, owner: str | None = None
) -> Corpus:
    """Return the texts of a folder as passages on sale.

    Each file ``*.txt`` or ``*.md`` in the folder, or in folders in it, is a passage. Its name is
    its path from the folder on. Its title is its first line, without the ``#`` of a heading, if it
    is a heading or a blank line follows it, and more text comes after; otherwise the name of the
    file without the ending. A title is free to read, and no part of the text. The file
    ``prices.toml`` in the folder gives prices by name, exactly as they are written there:
    ``"soup.txt" = 1.50``. The passages stand in the order of their names. Hidden files and folders,
    and files of other kinds, are left out.

    Parameters
    ----------
    folder : path
    price : number, optional
        Of each text that ``prices.toml`` does not name.
    owner : str, optional
        Who sells what is directly in the folder, by default the name of the folder. A text in a
        folder in it belongs to who has the name of that folder.

    Returns
    -------
    Corpus
        Without questions and facts: what a text is worth is up to the buyer, such as a
        :class:`~mechanisms.market.ValuationBuyer`.

    Raises
    ------
    InvalidInputError, NumberError
        For a file that is empty, no UTF-8, or cannot be read; for a link that leads out of the
        folder or to a folder; for a text without a price; each names the file.
    LimitError
        For more than 200,000 entries, a text of more than 1 MiB, or 256 MiB of texts.
    UnknownNameError
        For a price of a text that there is not.
    """
    given = read_path("folder", folder, "give the path of a folder")
    try:
        root = real_path(given)
        found = dict(sorted(_find_texts(root)))
        listed = _read_prices(root, found)
    except OSError as error:
        raise _unreadable(str(error.filename or given), error) from error
    if not found:
        fix = f"put texts in it that end in {' or '.join(_SUFFIXES)}"
        raise InvalidInputError("folder", str(given), "holds no text", fix)
    seller = owner if owner is not None else root.name or "owner"
    passages, left = [], _LARGEST
    for name, path in found.items():
        title, text, size = _read_text(name, path)
        left -= size
        if left < 0:
            fix = "sell fewer texts at once"
            raise LimitError("folder", str(given), f"holds more than {_LARGEST:,} bytes", fix)
        asked = listed.get(name, price)
        if asked is None:
            fix = f'write "{name}" = 1.50 in {_PRICES}, or give price=1 for all'
            raise InvalidInputError("file", name, "has no price", fix)
        whose = name.split("/", 1)[0] if "/" in name else seller
        passages.append(Passage(name, whose, asked, title, text))
    return Corpus(tuple(passages))


def _find_texts(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the names of all texts below a folder, and where they are."""
    folders, seen = [root], 0
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > _MOST_ENTRIES:
                    problem = f"holds more than {_MOST_ENTRIES:,} files and folders"
                    raise LimitError("folder", str(root), problem, "sell fewer texts at once")
                if entry.name.startswith("."):
                    continue
                path = Path(entry.path)
                if entry.is_dir() and entry.is_symlink():
                    problem, fix = "is a link to a folder", "put the folder itself there"
                    raise InvalidInputError("file", str(path), problem, fix)
                if entry.is_dir():
                    folders.append(path)
                elif path.suffix.lower() in _SUFFIXES:
                    yield _name_of(path, root), _inside(path, root)


def _name_of(path: Path, root: Path) -> str:
    name = path.relative_to(root).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        fix = "give the file a name in UTF-8"
        raise InvalidInputError("file", ascii(name), "is no name in Unicode", fix) from None
    return name


def _inside(path: Path, root: Path) -> Path:
    """Return the file itself; where a link leads out of the folder, it is refused."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(root):
        fix = "put a copy of the file there"
        raise InvalidInputError("file", str(path), "is a link that leads out of the folder", fix)
    return real


def _read_prices(root: Path, known: Collection[str]) -> Mapping[str, Any]:
    """Return what ``prices.toml`` says; nothing where there is none."""
    path = root / _PRICES
    if not os.path.lexists(path):
        return {}
    real = _inside(path, root)
    try:
        prices = read_toml(read_small(real, _LONGEST).decode("utf-8-sig"))
    except ValueError as error:
        fix = 'write lines such as "soup.txt" = 1.50'
        raise InvalidInputError(_PRICES, str(error), "is no TOML", fix) from error
    for name in prices:
        if name not in known:
            raise UnknownNameError(_PRICES, name, "is no text in the folder", nearest(name, known))
    return {
        name: price.text if isinstance(price, WrittenNumber) else price
        for name, price in prices.items()
    }


def _read_text(name: str, path: Path) -> tuple[str, str, int]:
    """Return the title and the text of a file, and how many bytes it has."""
    try:
        data = read_small(path, _LONGEST)
    except OSError as error:
        raise _unreadable(name, error) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"is no UTF-8 at byte {error.start:,}"
        raise InvalidInputError("file", name, problem, "save it in UTF-8") from error
    if "\0" in text:
        raise InvalidInputError("file", name, "has null characters in it", "save it in UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise InvalidInputError("file", name, "is empty", "write something, or take it away")
    first, _, rest = text.partition("\n")
    heading = first.startswith("#") or not rest.partition("\n")[0].strip()
    title = first.lstrip("#").strip()
    if heading and rest.strip() and 0 < len(title) <= _LONGEST_TITLE:
        return title, rest.strip(), len(data)
    return Path(name).stem, text, len(data)


def _unreadable(where: str, error: OSError) -> InvalidInputError:
    why = error.strerror or type(error).__name__
    fix = "give a folder of texts that you may read"
    return InvalidInputError("file or folder", where, f"cannot be read ({why})", fix)
