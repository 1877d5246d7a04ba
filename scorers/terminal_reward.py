"""The reward that a verifier wrote: a number from 0 to 1, in reward.json or, where there is none, in reward.txt."""

import json
import re

from arena.errors import ScoreError

NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?")


class RewardError(ScoreError):
    """There is a reward and it is none."""


def reward_of(json_text: str | None, txt_text: str | None) -> float | None:
    """Return the reward, or none where neither file was written.

    Raises
    ------
    RewardError
        The file that counts does not hold a number from 0 to 1; the other one is then not asked.
    """
    if json_text is not None:
        return _in_range(_from_json(json_text), "reward.json")
    if txt_text is not None:
        return _in_range(_from_txt(txt_text), "reward.txt")
    return None


def _from_json(text: str) -> float:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise RewardError(f"reward.json is not JSON: {text[:100]!r}") from cause
    reward = said.get("reward") if isinstance(said, dict) else None
    if isinstance(reward, bool) or not isinstance(reward, int | float):
        raise RewardError(f"reward.json has no number under `reward`: {text[:100]!r}")
    return reward


def _from_txt(text: str) -> float:
    if NUMBER.fullmatch(text.strip()) is None:
        raise RewardError(f"reward.txt does not hold a number from 0 to 1: {text[:100]!r}")
    return float(text)


def _in_range(reward: float, file: str) -> float:
    if not 0 <= reward <= 1:
        raise RewardError(f"{file}: a reward is from 0 to 1, got {reward}")
    return float(reward)
