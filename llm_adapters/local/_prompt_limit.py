"""Whether a prompt leaves room for the reply."""

from __future__ import annotations

from collections.abc import Sequence

from llm_adapters.local._loading import LoadedModel
from theory.errors import LimitError

__all__ = ["check_room"]


def check_room(
    loaded: LoadedModel, argument: str, value: object, tokens: Sequence[int], reply: int
) -> None:
    """Refuse what is longer than the model is made for.

    Raises
    ------
    LimitError
        Where the tokens and those of the reply are more than the context.
    """
    context = loaded.engine.context
    if context is None or len(tokens) + reply <= context:
        return
    takes = f"takes {len(tokens):,} tokens"
    if reply:
        takes += f" and the reply {reply:,}"
    problem = f"{takes}, and the model's context is of {context:,}"
    fix = "shorten it, or lower max_tokens" if reply else "shorten it"
    raise LimitError(argument, value, problem, fix)
