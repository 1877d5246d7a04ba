"""An episode's outcome has two axes: how it ended, and what the grader said.

How an episode ended is `unrecorded` only for one that was imported from records that do not say it.
"""

from typing import Literal

Execution = Literal[
    "completed",
    "limit",
    "interrupted_budget",
    "not_run_budget",
    "harness_error",
    "sandbox_error",
    "provider_error",
    "cancelled",
    "pending",
    "unrecorded",
]
Limit = Literal["message", "token", "turn", "context", "working", "wall", "cost", "operator"]
Grade = Literal["pass", "fail", "unscored"]
FailReason = Literal["tests_failed", "empty_patch", "patch_does_not_apply", "tests_did_not_run"]

FAIL_REASONS: tuple[FailReason, ...] = ("tests_failed", "empty_patch", "patch_does_not_apply", "tests_did_not_run")
