"""A recipe's `with:` as a model of one's own: unknown keys are refused, with the nearest valid one."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from arena.errors import TrainError
from arena.spec.invalid import did_you_mean


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


Chosen = TypeVar("Chosen", bound=Settings)


def settings_of(model: type[Chosen], parameters: Mapping[str, object]) -> Chosen:
    """Return the parameters as `model`.

    Raises
    ------
    TrainError
        A key is unknown or a value is wrong; every problem is named.
    """
    try:
        return model.model_validate(dict(parameters))
    except ValidationError as error:
        said = "; ".join(_said(model, details) for details in error.errors(include_url=False))
    raise TrainError(f"recipe.with: {said}")


def _said(model: type[BaseModel], details: ErrorDetails) -> str:
    path = [str(part) for part in details["loc"]]
    place = ".".join(path)
    if details["type"] == "extra_forbidden":
        return f"{place}: unknown key{did_you_mean(path[-1], _keys(model, path[:-1]))}"
    message = details["msg"].removeprefix("Value error, ")
    return f"{place or 'with'}: {message[0].lower()}{message[1:]}, got {details['input']!r}"


def _keys(model: type[BaseModel], path: list[str]) -> list[str]:
    """Return the keys of the model that `path` leads to; the names of a union's members stand in pydantic's paths."""
    known = dict(model.model_fields)
    for part in path:
        inner = _models(known[part].annotation) if part in known else []
        known = {name: field for kind in inner for name, field in kind.model_fields.items()} or known
    return list(known)


def _models(annotation: object) -> list[type[BaseModel]]:
    members = getattr(annotation, "__args__", (annotation,))
    return [kind for kind in members if isinstance(kind, type) and issubclass(kind, BaseModel)]
