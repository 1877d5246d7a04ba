"""A plug-in for any harness: start in the task's folder, and say how to go about the work."""

from dataclasses import replace

from arena.execute.harness import Harness

PROCEDURE = (
    "Every command starts in {task_folder}. Work in this order: "
    "look at what is there before you change anything; "
    "make the smallest change that does all that is asked; "
    "run something that shows that it does; "
    "then submit."
)


def plugin(harness: Harness) -> Harness:
    """Return the harness with its commands starting in the task's folder and the procedure after its prompt."""
    return replace(harness, workdir="task", prompt=f"{harness.prompt.rstrip()}\n\n{PROCEDURE}")
