"""The explicit models that the experiment runs with: one small model for each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from mechanisms.advertising._instances import Instance
from mechanisms.language_models import InstructedModel, InstructedTable
from mechanisms.language_models.explicit import Explicit
from mechanisms.language_models.topics import question_of
from theory.errors import InvalidInputError, UnknownNameError, nearest

__all__ = ["EXPLICIT", "ByQuestion", "explicit_model"]

EXPLICIT: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "ngram": partial(InstructedModel, order=4, longest=40, named="1/2", unnamed="1/200"),
        "table": partial(InstructedTable, unnamed="1/200"),
    }
)
"""The kinds of explicit models, by name: what makes one that knows these brands."""


class ByQuestion(Explicit):
    """A model that passes a prompt on to that of its question, the prompt's first paragraph.

    Parameters
    ----------
    models : dict
        {question: explicit model}.

    Raises
    ------
    InvalidInputError
        Where there are none, or one of them is not given by its laws; when asked, an
        UnknownNameError for another question.
    """

    def __init__(self, models: Mapping[str, Any]) -> None:
        given: Any = models
        if not isinstance(given, Mapping) or not given:
            raise InvalidInputError("models", models, "are no models", "give {question: model}")
        for question, model in models.items():
            if not isinstance(model, Explicit):
                fix = "give a TableModel, an InstructedModel or the like"
                raise InvalidInputError(f"models[{question!r}]", model, "has no laws", fix)
        self._models = dict(models)

    def reply_law(self, prompt: str) -> Any:
        """Return the law of the model of the question.

        Raises
        ------
        UnknownNameError
            For a question that has no model.
        """
        question = question_of(prompt)
        model = self._models.get(question)
        if model is None:
            problem = "is a question that has no model"
            raise UnknownNameError("prompt", question, problem, nearest(question, self._models))
        return model.reply_law(prompt)

    def __repr__(self) -> str:
        return f"ByQuestion({len(self._models)} questions)"


def explicit_model(kind: str, instances: Sequence[Instance]) -> ByQuestion:
    """Return a model for these instances: for each question one that knows its advertisers.

    Asked the question, it hardly ever mentions an advertiser, and often one that the prompt names.
    The same replies are possible for all prompts on a question.

    Parameters
    ----------
    kind : str
        ``ngram`` for :class:`~mechanisms.language_models.InstructedModel`, word by word; ``table``
        for :class:`~mechanisms.language_models.InstructedTable`, of which all replies are listed.
    instances : sequence of Instance

    Raises
    ------
    InvalidInputError
        Where there is no such kind, or there are no instances, or two of them share a question.

    Examples
    --------
    >>> from mechanisms.advertising import instances
    >>> model = explicit_model("table", instances()[:1])
    >>> len(model.law(instances()[0].query))
    24
    """
    if kind not in EXPLICIT:
        raise UnknownNameError("kind", kind, "is unknown", nearest(kind, EXPLICIT))
    questions = [question_of(instance.query) for instance in instances]
    if len(set(questions)) < len(questions):
        fix = "give one instance a question"
        raise InvalidInputError("instances", questions, "share a question", fix)
    return ByQuestion(
        {
            question: EXPLICIT[kind]({one.name: one.description for one in instance.advertisers})
            for question, instance in zip(questions, instances, strict=True)
        }
    )
