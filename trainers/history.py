"""The steps of a training, a line each: kept between attempts, thinned and drawn in the end."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.execute.training import TrainStep
from arena.records.files import write_json


@dataclass(frozen=True)
class Line:
    step: int
    loss: float
    tokens: int
    seconds: float


class History:
    """What was logged up to the step from which training goes on; later lines of a killed attempt are dropped."""

    def __init__(self, path: Path, step: int) -> None:
        self._path = path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self.lines = [line for line in map(_line, lines) if line is not None and line.step <= step]
        path.write_text("".join(json.dumps(asdict(line)) + "\n" for line in self.lines), "utf-8")

    def add(self, line: Line) -> None:
        self.lines.append(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(line)) + "\n")

    def measures(self) -> dict[str, float]:
        """Return loss at the start and the end (means of up to 20 steps), tokens, seconds and tokens a second."""
        if not self.lines:
            return {}
        tokens, seconds = sum(x.tokens for x in self.lines), sum(x.seconds for x in self.lines)
        return {
            "first_loss": _mean([line.loss for line in self.lines[:20]]),
            "loss": _mean([line.loss for line in self.lines[-20:]]),
            "tokens": float(tokens),
            "seconds": round(seconds, 3),
            "tokens_per_s": round(tokens / seconds, 1) if seconds else 0.0,
        }

    def steps(self, planned: int | None, most: int = 200) -> tuple[TrainStep, ...]:
        """Return at most `most` reports, evenly spread, the last one among them."""
        every = -(-len(self.lines) // most) or 1
        kept = self.lines[::-1][::every][::-1]
        return tuple(TrainStep(x.step, planned, x.loss, x.tokens / x.seconds if x.seconds else None) for x in kept)

    def draw(self, path: Path) -> None:
        """Write the loss over the steps as a Vega-Lite figure."""
        import altair as alt

        points = [{"step": line.step, "loss": line.loss} for line in self.lines]
        figure = alt.Chart(alt.InlineData(values=points), width=560, height=260).mark_line()
        write_json(path, figure.encode(x="step:Q", y=alt.Y("loss:Q").scale(zero=False)).to_dict())


def _line(text: str) -> Line | None:
    try:
        return Line(**json.loads(text))
    except (ValueError, TypeError):  # the last line of a killed attempt
        return None


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 6)
