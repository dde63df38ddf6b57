"""Texts as tokens, in such a way that no text can pass for a control token."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from llm_adapters.local._strings import Pieces
from mechanisms.protocols import Message
from theory.errors import InvalidInputError

__all__ = ["Text", "cut"]

_MARK: Final = re.compile("\ue000([0-9]+)\ue001")


class Text:
    """A tokenizer of ``transformers``, used so that what users write stays text.

    The template is rendered around the contents of the messages, which are put in as they are.
    Where a content holds what is written like a control token, such as ``<|im_end|>``, it is cut
    there before it is encoded, so that it becomes ordinary tokens that spell it.

    Attributes
    ----------
    special : frozenset of int
        The control tokens. Of these, replies never hold any.
    """

    def __init__(self, tokenizer: Any, more: Iterable[int] = ()) -> None:
        self._tokenizer = tokenizer
        added: Mapping[int, Any] = tokenizer.added_tokens_decoder
        self.special = frozenset(
            [*tokenizer.all_special_ids, *(i for i, t in added.items() if t.special), *more]
        )
        self._guarded = self.special - {tokenizer.unk_token_id}
        self._names = tuple(sorted({t.content for t in added.values()}, key=len, reverse=True))
        spelled = {t.content for i, t in added.items() if i in self.special}
        self._special_names = tuple(name for name in self._names if name in spelled)

    @property
    def size(self) -> int:
        """The number of tokens that it knows."""
        return len(self._tokenizer)

    @property
    def has_template(self) -> bool:
        """Whether it knows how to write a conversation."""
        return bool(self._tokenizer.chat_template)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens; bytes that are no character become U+FFFD."""
        text: str = self._tokenizer.decode(
            list(tokens), skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return text

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the tokens that the tokenizer makes of a part of a reply."""
        return self._encode(cut(text, [(0, len(text))], self._special_names))

    @cached_property
    def pieces(self) -> Pieces:
        """The text of each token where it follows another; bytes of no character are U+FFFD."""
        before = self.encode('"')[:1]
        begin = len(self.decode(before))
        return Pieces(tuple(self.decode((*before, token))[begin:] for token in range(self.size)))

    def canonical(self, reply: str) -> tuple[int, ...] | None:
        """Return the tokens that the tokenizer makes of a reply; None if they do not spell it."""
        if not _is_unicode(reply):
            return None
        tokens = self.encode(reply)
        return tokens if self.spells(tokens, reply) else None

    def spells(self, tokens: Sequence[int], reply: str) -> bool:
        """Return whether a model that draws these tokens gives the reply."""
        drawn = all(0 <= token < self.size for token in tokens)
        return drawn and not self.special.intersection(tokens) and self.decode(tokens) == reply

    def conversation(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Return the tokens of a conversation, up to where the model's answer begins.

        Raises
        ------
        InvalidInputError
            Where the template refuses the messages or leaves one out, or a content is no Unicode.
        """
        marked = [
            {"role": message.role, "content": f"\ue000{number}\ue001"}
            for number, message in enumerate(messages)
        ]
        try:
            template: str = self._tokenizer.apply_chat_template(
                marked, tokenize=False, add_generation_prompt=True
            )
        except Exception as error:  # a template may raise anything
            problem = f"do not fit the model's template ({error})"
            fix = "let user and assistant take turns, and the user speak last"
            raise InvalidInputError("messages", messages, problem, fix) from error
        places = list(_MARK.finditer(template))
        if {int(place[1]) for place in places} != set(range(len(messages))):
            problem = "are not all told to the model: its template leaves one out"
            fix = "put what it should know into a message of the user"
            raise InvalidInputError("messages", messages, problem, fix)
        return self._fill(template, places, [message.content for message in messages])

    def plain(self, prompt: str) -> tuple[int, ...]:
        """Return the tokens of a text that a model without a template goes on with.

        Raises
        ------
        InvalidInputError
            Where it is no Unicode, or there is nothing to begin with.
        """
        self._check_unicode(prompt)
        tokenizer = self._tokenizer
        begin = list(tokenizer("", add_special_tokens=True)["input_ids"])
        if not begin and not prompt:
            ends = (tokenizer.bos_token_id, tokenizer.eos_token_id)
            begin = [token for token in ends if token is not None][:1]
        tokens = (*begin, *self._encode(cut(prompt, [(0, len(prompt))], self._names)))
        self._check_control(tokens, tuple(begin))
        if not tokens:
            fix = "give a text, or a model with a token that begins a text"
            raise InvalidInputError("prompt", prompt, "is empty", fix)
        return tokens

    def _fill(
        self, template: str, places: Sequence[re.Match[str]], contents: Sequence[str]
    ) -> tuple[int, ...]:
        parts: list[str] = []
        spans: list[tuple[int, int]] = []
        end, length = 0, 0
        for place in places:
            content = contents[int(place[1])]
            self._check_unicode(content)
            parts += [template[end : place.start()], content]
            length += place.start() - end
            spans.append((length, length + len(content)))
            length += len(content)
            end = place.end()
        parts.append(template[end:])
        tokens = self._encode(cut("".join(parts), spans, self._names))
        self._check_control(tokens, self._encode([template]))
        return tokens

    def _encode(self, pieces: Iterable[str]) -> tuple[int, ...]:
        tokenizer = self._tokenizer
        return tuple(
            token
            for piece in pieces
            for token in tokenizer(piece, add_special_tokens=False)["input_ids"]
        )

    def _check_control(self, tokens: Sequence[int], of_template: Sequence[int]) -> None:
        wanted = [token for token in of_template if token in self._guarded]
        there = [token for token in tokens if token in self._guarded]
        if there != wanted:
            problem = "has text that the tokenizer takes for control tokens"
            name = self.decode(there)
            raise InvalidInputError("prompt", name, problem, "take it out")

    def _check_unicode(self, text: str) -> None:
        if not _is_unicode(text):
            problem = "has half of a surrogate pair, which is no character"
            raise InvalidInputError("prompt", text, problem, "give Unicode text")


def cut(text: str, spans: Sequence[tuple[int, int]], names: Sequence[str]) -> list[str]:
    """Cut a text inside each name that stands in it by accident.

    Parameters
    ----------
    text : str
    spans : sequence of pairs
        From where to where the text is not to be trusted, in order.
    names : sequence of str
        What must not be found there, not even in part. What is wholly outside of the spans stays.

    Returns
    -------
    list of str
        The pieces; together they are the text. Names of a single character stay: they cannot be
        cut.

    Examples
    --------
    >>> cut("<end>a<end>", [(0, 6)], ["<end>"])
    ['<', 'end>a<end>']
    """
    places = set()
    for name in names:
        if len(name) < 2:
            continue
        for begin, end in spans:
            at = text.find(name, max(begin - len(name) + 1, 0))
            while 0 <= at < end:
                places.add(min(max(at + 1, begin), at + len(name) - 1))
                at = text.find(name, at + 1)
    ordered = sorted(places)
    return [text[a:b] for a, b in zip([0, *ordered], [*ordered, len(text)], strict=True)]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
