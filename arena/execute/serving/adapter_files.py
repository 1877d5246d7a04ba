"""Whether a peft adapter fits a base, told from the files of both. Loads no torch and no peft."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ServeError
from arena.execute.serving.tokenizer_files import read_json
from arena.spec.weights import TensorInfo, WeightsDigest

PREFIX = "base_model.model."

DECIDING = (
    "alpha_pattern",
    "bias",
    "fan_in_fan_out",
    "layers_to_transform",
    "lora_alpha",
    "modules_to_save",
    "peft_type",
    "r",
    "rank_pattern",
    "target_modules",
    "use_dora",
    "use_rslora",
)
"""What of an adapter's configuration decides what it does; the rest says how it was made."""


@dataclass(frozen=True)
class AdapterFacts:
    """What an adapter is over its base."""

    base_name: str | None
    """The base that the adapter's configuration names."""
    rank: int | None
    changes: tuple[str, ...]
    """Base tensors that it changes, sorted."""
    inert: bool
    """Every change is zero: the base acts alone."""
    unchecked: tuple[str, ...]
    """Tensors of kinds that only peft understands."""
    config_digest: str
    """Of what of its configuration decides what it does: its scale, say."""


def read_adapter(folder: Path, adapter: WeightsDigest, base: WeightsDigest) -> AdapterFacts:
    """Return what the adapter changes.

    Raises
    ------
    ServeError
        It was made for another model: it names a module that the base does not have, or its shapes do not fit.
    """
    config = read_json(folder / "adapter_config.json") or {}
    shapes = _shapes(base)
    changes: set[str] = set()
    unchecked = []
    for tensor in adapter.tensors:
        found = _target(tensor, config)
        if found is None:
            unchecked.append(tensor.name)
            continue
        target, dimension, size = found
        if target not in shapes:
            raise ServeError(
                f"{folder}: the adapter changes {target}, which the base does not have; it was made for another model"
            )
        fits = shapes[target] == tensor.shape if dimension is None else shapes[target][dimension] == size
        if not fits:
            raise ServeError(
                f"{folder}: {tensor.name} has shape {list(tensor.shape)}, which does not fit the base's {target} of "
                f"shape {list(shapes[target])}; it was made for another model"
            )
        changes.add(target)
    rank = config.get("r")
    return AdapterFacts(
        base_name=config.get("base_model_name_or_path"),
        rank=rank if isinstance(rank, int) else None,
        changes=tuple(sorted(changes)),
        inert=not unchecked and _inert(adapter),
        unchecked=tuple(unchecked),
        config_digest=_config_digest(config),
    )


def _target(tensor: TensorInfo, config: Mapping[str, Any]) -> tuple[str, int | None, int] | None:
    """Return the base tensor that an adapter's tensor changes, which of its dimensions must have which size.

    No dimension means that the whole shape must be equal. None is a tensor that is not understood.
    """
    name = tensor.name.removeprefix(PREFIX)
    transposed = bool(config.get("fan_in_fan_out"))
    sides = {
        ".lora_A.weight": (0 if transposed else 1, -1),
        ".lora_B.weight": (1 if transposed else 0, 0),
        ".lora_embedding_A": (0, -1),
        ".lora_embedding_B": (1, 0),
    }
    for ending, (dimension, side) in sides.items():
        if name.endswith(ending):
            if len(tensor.shape) != 2:
                return None
            return f"{name.removesuffix(ending)}.weight", dimension, tensor.shape[side]
    return (name, None, 0) if name.endswith((".weight", ".bias")) and ".lora_" not in name else None


def _shapes(base: WeightsDigest) -> Mapping[str, tuple[int, ...]]:
    """Return the base's shapes by name; a head that is tied to the embedding is not stored, and has its shape."""
    shapes = {tensor.name: tensor.shape for tensor in base.tensors}
    if "lm_head.weight" not in shapes and "model.embed_tokens.weight" in shapes:
        shapes["lm_head.weight"] = shapes["model.embed_tokens.weight"]
    return shapes


def _inert(adapter: WeightsDigest) -> bool:
    """Tell whether every B is zero, as a new adapter's is; A times zero changes nothing."""
    kinds = [(tensor, "lora_A" in tensor.name or "lora_embedding_A" in tensor.name) for tensor in adapter.tensors]
    return all(is_a or ("lora_" in tensor.name and _is_zero(tensor)) for tensor, is_a in kinds)


def _is_zero(tensor: TensorInfo) -> bool:
    return tensor.sha256 == hashlib.sha256(bytes(tensor.size)).hexdigest()


def _config_digest(config: Mapping[str, Any]) -> str:
    deciding = {name: config.get(name) for name in DECIDING}
    if isinstance(deciding["target_modules"], list):
        deciding["target_modules"] = sorted(deciding["target_modules"])
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()
