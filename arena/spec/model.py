"""The words that cells, goals, studies and claims share: frozen models and the kinds of names."""

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from arena.spec.invalid import wrong

Parameters: TypeAlias = "dict[str, object]"


class Frozen(BaseModel):
    """A part of a file that people write: unknown keys are refused, nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, defer_build=True)


_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_MODULE_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
_PINNED = re.compile(r"[0-9a-f]{40}|sha256:[0-9a-f]{64}")
_CHECKPOINT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def is_module_function(text: str) -> bool:
    return _MODULE_FUNCTION.fullmatch(text) is not None


def _name(text: str) -> str:
    if _NAME.fullmatch(text) is None or len(text) > 100:
        raise wrong(f"expected a name of a-z, 0-9, '.', '_' and '-', got {text!r}")
    return text


def _module_function(text: str) -> str:
    if not is_module_function(text):
        raise wrong(f"expected module:function, such as solvers.react:solver, got {text!r}")
    return text


def _suite(text: str) -> str:
    if _NAME.fullmatch(text) is None and not is_module_function(text):
        raise wrong(f"expected the name of a suite, such as mini_swe, or module:function, got {text!r}")
    return text


def _revision(text: str) -> str:
    if _PINNED.fullmatch(text) is None:
        raise wrong(f"{text!r} can move; give the commit's 40 hex digits, or sha256:<64 hex digits> of the weights")
    return text


def _checkpoint(text: str) -> str:
    if _CHECKPOINT.fullmatch(text) is None:
        raise wrong(f"expected submitted, final or a checkpoint's name, such as step_900, got {text!r}")
    return text


Name = Annotated[str, AfterValidator(_name)]
ModuleFunction = Annotated[str, AfterValidator(_module_function)]
SuiteName = Annotated[str, AfterValidator(_suite)]
Revision = Annotated[str, AfterValidator(_revision)]
CheckpointName = Annotated[str, AfterValidator(_checkpoint)]
Text = Annotated[str, Field(min_length=1, max_length=1000)]
Hours = Annotated[float, Field(ge=0, allow_inf_nan=False)]
