"""Repair transcripts: an issue that names a function and what is wrong in it, and how an agent finds and repairs it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from trainers.tasks import corpus, tools, wording, words
from trainers.tasks.chat import TOOLS, Message, Messages, call, result
from trainers.tasks.defects import Finder, Site

FOLDER = "/testbed"
SYSTEM = (
    "You are a software engineer. The repository is in {task_folder}. "
    "Find and fix the cause of the issue below, then call submit."
)
SHOWN_CHARS = 560
"""Functions of which an agent would see more than this are left to larger models."""
FAMILIES = {  # how often each is drawn where all of them are there
    "arithmetic": 10,
    "method": 7,
    "constant": 4,
    "variable": 4,
    "comparison": 4,
    "boolean": 4,
    "off_by_one": 2,
    "not": 2,
    "default": 2,
    "text": 2,
    "boolean_literal": 2,
    "index": 4,
}


@dataclass(frozen=True)
class Repair:
    """One generated task: a file with a defect, the issue, and the file as it should be."""

    path: str
    function: str
    """`name` or `Class.name`."""
    family: str
    issue: str
    does: str
    """What the broken code does, as the issue says it."""
    broken: str
    right: str
    start: int
    end: int
    """The defect's place in `broken`."""
    good: str
    """What should stand there."""

    @property
    def name(self) -> str:
        return self.function.rpartition(".")[2]


def repairs(seed: int, split: corpus.Split = "train") -> Iterator[Repair]:
    """Yield tasks without end; the same seed and the same Python give the same ones."""
    rng = Random(f"repairs {split} {seed}")
    pool = corpus.pieces(split)
    while True:
        made = make(corpus.renamed(rng.choice(pool).text, rng), rng)
        if made is not None and commands(made) is not None:
            yield made


def make(text: str, rng: Random) -> Repair | None:
    """Inject one defect into a file, or return none where no place for one was found."""
    sites: dict[str, list[tuple[str, ast.FunctionDef, Site]]] = {}
    found = functions(text)
    for owner, function in rng.sample(found, min(len(found), 4)):
        for site in Finder(text, function, rng).sites():
            sites.setdefault(site.family, []).append((owner, function, site))
    if not sites:
        return None
    family = rng.choices(list(sites), [FAMILIES[name] for name in sites])[0]
    owner, function, site = rng.choice(sites[family])
    broken = text[: site.start] + site.bad + text[site.end :]
    if corpus.parsed(broken) is None or not _plain(broken, function, site):
        return None
    name = f"{owner}.{function.name}" if owner else function.name
    path = words.path(rng)
    clause = site.clause(rng)
    repair = Repair(
        path=path,
        function=name,
        family=family,
        issue=issue_text(name, path, clause, rng),
        does=clause.does,
        broken=broken,
        right=text,
        start=site.start,
        end=site.start + len(site.bad),
        good=text[site.start : site.end],
    )
    return repair if len(shown(repair)) <= SHOWN_CHARS else None


def functions(text: str) -> list[tuple[str, ast.FunctionDef]]:
    """Return the functions of 2 to 13 lines with their class's name; none where the text is not Python."""
    tree = corpus.parsed(text)
    found: list[tuple[str, ast.FunctionDef]] = []
    for node in tree.body if tree else ():
        owner, body = (node.name, node.body) if isinstance(node, ast.ClassDef) else ("", [node])
        found += [(owner, inner) for inner in body if isinstance(inner, ast.FunctionDef)]
    return [(owner, f) for owner, f in found if f.end_lineno and 2 <= f.end_lineno - f.lineno + 1 <= tools.CONTEXT + 1]


def _plain(broken: str, function: ast.FunctionDef, site: Site) -> bool:
    """Whether the wrong code stands about once in its function, so that an issue need not say where."""
    bad = site.bad.strip()
    if not bad:
        return True
    source = "\n".join(broken.splitlines()[function.lineno - 1 : function.end_lineno])
    edge = r"(?<!\w){}(?!\w)" if bad[0].isalnum() else r"(?<![-+*/%<>=!]){}(?![-+*/%<>=])"
    return len(re.findall(edge.format(re.escape(bad)), source)) <= (2 if site.family == "variable" else 1)


def issue_text(function: str, path: str, clause: wording.Clause, rng: Random) -> str:
    subject = rng.choice(("`{f}` in `{p}`", "`{f}` in `{p}`", "In `{p}`, `{f}`", "The function `{f}` in `{p}`"))
    subject = subject.format(f=function, p=path)
    join = rng.choice(
        ("; it should", "; it should", "; it should", ", but it should", ", where it should", "; it has to")
    )
    if rng.random() < 0.1:
        return f"{subject} should {clause.should}, but it {clause.does}."
    return f"{subject} {clause.does}{join} {clause.should}."


def shown(repair: Repair) -> str:
    """Return what an agent sees of the broken function."""
    return tools.grep_function(repair.broken, repair.name)


def fragment(repair: Repair) -> tuple[int, int] | None:
    """Return the span of the fewest words around the defect that stand once in what an agent sees, on one line."""
    text, seen = repair.broken, shown(repair)
    first = text.rfind("\n", 0, repair.start) + 1
    line = text[first : text.find("\n", repair.start)]
    for left, right in _widening(line, repair.start - first, repair.end - first):
        if seen.count(line[left:right]) == 1:
            return first + left, first + right
    return None


def _widening(line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield ever wider spans: to the right as long as the line has words, then to the left."""
    words = tools.word_spans(line)
    around = [s for s, e in words if s < start < e or (start == end and s < start)]
    left = around[-1] if around else start
    right = max([end, *(e for s, e in words if s < end < e)])
    if not around and not line[start : start + 1].isalnum():
        left = len(line[:start].rstrip(" "))
        right += len(line[end:]) - len(line[end:].lstrip(" "))
    if line[left:right].strip():
        yield left, right
    rights = [e for _, e in words if e > right]
    lefts = [s for s, _ in words if s < left][::-1]
    yield from ((left, further) for further in rights)
    right = rights[-1] if rights else right
    yield from ((further, right) for further in lefts)


def change(repair: Repair) -> tuple[str, str] | None:
    """Return the old and the new words of the one substitution that repairs the file."""
    span = fragment(repair)
    if span is None:
        return None
    left, right = span
    old = repair.broken[left:right]
    new = repair.broken[left : repair.start] + repair.good + repair.broken[repair.end : right]
    return (old, new) if tools.substitute(repair.broken, repair.name, old, new) == repair.right else None


def commands(repair: Repair) -> tuple[str, str] | None:
    """Return the two commands of an agent: to see the function, and to repair it."""
    words = change(repair)
    repairing = words and tools.substitute_command(repair.name, repair.path, FOLDER, words)
    return (tools.grep_command(repair.name, repair.path, FOLDER), repairing) if repairing else None


def transcript(repair: Repair) -> Messages:
    """Return the whole conversation, in the chat format."""
    looking, repairing = commands(repair) or ("", "")
    turns: list[Message] = [
        call("bash", command=looking),
        result(shown(repair)),
        call("bash", command=repairing),
        result(""),
    ]
    return [*prompt(repair), *turns, call("submit", answer="done")]


def prompt(repair: Repair) -> Messages:
    return [
        {"role": "system", "content": SYSTEM.format(task_folder=FOLDER)},
        {"role": "user", "content": repair.issue},
    ]


def rows(seed: int) -> Iterator[dict[str, object]]:
    """Yield training rows without end, as `trainers.sft` reads them."""
    for repair in repairs(seed):
        yield {"messages": transcript(repair), "tools": list(TOOLS)}
