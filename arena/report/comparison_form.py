"""A comparison as JSON, in the self-play pilot's form and extended, and as Markdown."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from arena.report.attribution import Attribution
from arena.report.interpret import Reason
from arena.report.json_form import Json, json_form
from arena.report.pilot_form import BOOTSTRAP, condition
from arena.report.words import brief, margin, number, p_value, percent, percents, plain, points, table
from arena.spec.factors import Difference

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.report.compare import Comparison, PanelComparison


def comparison_json(comparison: "Comparison") -> Json:
    """Return `conditions`, `comparisons` and `bootstrap` as the pilot's report has them, then what is new."""
    names = _names(comparison)
    return {
        "conditions": {
            panel.suite: {name: condition(arm) for name, arm in zip(names, panel.arms, strict=True)}
            for panel in comparison.panels
        },
        "comparisons": {panel.suite: _panel_json(panel) for panel in comparison.panels},
        "bootstrap": BOOTSTRAP,
        "a": json_form(comparison.a),
        "b": json_form(comparison.b),
        "treatment": comparison.treatment,
        "rules": json_form(comparison.rules),
        "not_compared": json_form(comparison.not_compared),
    }


def comparison_markdown(comparison: "Comparison") -> str:
    a, b = (plain(name) for name in _names(comparison))
    parts = [
        f"# {b} against {a}",
        f"A is {a}, B is {b}; differences are B less A.",
        *(part for panel in comparison.panels for part in _panel_markdown(panel, (a, b))),
        *(f"Not compared: {plain(suite)}, only in {arm.upper()}." for suite, arm in comparison.not_compared.items()),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def comparison_drawn(comparison: "Comparison") -> "RenderableType":
    """Return the comparison for a terminal: the verdict first, then what it rests on."""
    from rich.console import Group
    from rich.text import Text

    names = _names(comparison)
    head = Text(f"{names[1]} (B) against {names[0]} (A)", style="bold")
    return Group(head, *(part for panel in comparison.panels for part in _panel_drawn(panel, names)))


def differing_factors(attribution: Attribution) -> Iterator[tuple[str, Difference]]:
    """Give every factor that differs or is not recorded, with what it means for the attribution."""
    for word, differences in (
        ("treatment", attribution.treated),
        ("confounder", attribution.confounders),
        ("unrecorded", attribution.unrecorded),
        ("consequence", attribution.consequences),
    ):
        yield from ((word, difference) for difference in differences)


def _panel_drawn(panel: "PanelComparison", names: tuple[str, str]) -> "Iterator[RenderableType]":
    from rich.table import Table
    from rich.text import Text

    word = panel.interpretation.replace("_", " ")
    yield Text(f"\n{panel.suite}: {word} ({points(panel.difference)}, exact p {p_value(panel.p_exact)})", style="bold")
    yield Text(f"{panel.attribution.status}: {panel.attribution.reason.replace('`', '')}")
    yield Text(_reportable(panel))
    for claim in panel.claims:
        yield Text(f"Claim {claim.scope} {claim.id}, {claim.says}: {claim.decided} ({claim.why})")
    yield Text(_difference(panel))
    rates = Table("", "run", "rate", "95% (n_eff)", "passed", "unscored", "panel", box=None, header_style="dim")
    for letter, name, arm in zip("AB", names, panel.arms, strict=True):
        figures = (percent(arm.rate), percents(arm.wilson_neff), f"{arm.passed}/{arm.scored}", str(arm.unscored))
        rates.add_row(letter, *(Text(text) for text in (name, *figures, arm.completeness)))
    yield rates
    factors = Table("differs", "as", "A", "B", box=None, header_style="dim")
    for kind, difference in differing_factors(panel.attribution):
        factors.add_row(difference.path, kind, Text(brief(difference.a)), Text(brief(difference.b)))
    if factors.row_count:
        yield factors
    for reason in panel.reasons:
        yield Text(f"{reason.code}: {reason.text}", style="dim")


def _difference(panel: "PanelComparison") -> str:
    return (
        f"Difference {points(panel.difference)}, 95% interval {percents(panel.ci95)}: {panel.improved} improved, "
        f"{panel.regressed} regressed, {panel.unchanged} unchanged of {panel.paired_tasks} paired tasks. "
        f"Exact p {p_value(panel.p_exact)}, mid-p {p_value(panel.p_midp)}. "
        f"Score interval {percents(panel.score_interval)}. Noise band {margin(panel.noise.band)}. "
        f"Detectable at 80%: {margin(panel.mde80)}. Bracket of the difference {percents(panel.bracket)}."
    )


def _names(comparison: "Comparison") -> tuple[str, str]:
    """Return a name for each arm; a run compared with itself still has two."""
    a, b = comparison.a.run, comparison.b.run
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def _panel_json(panel: "PanelComparison") -> Json:
    form = json_form(panel)
    del form["suite"]
    attribution, reportable = form.pop("attribution"), form.pop("reportable")
    return form | {
        "reportable": reportable["reportable"],
        "not_reportable_because": reportable["reasons"],
        "attribution": attribution | {"reason": panel.attribution.reason},
    }


def _factors(attribution: Attribution) -> str:
    rows = [
        [f"`{difference.path}`", word, plain(brief(difference.a)), plain(brief(difference.b))]
        for word, difference in differing_factors(attribution)
    ]
    return table(["differs", "as", "A", "B"], rows) if rows else ""


def _panel_markdown(panel: "PanelComparison", names: tuple[str, str]) -> Iterator[str]:
    yield f"## {plain(panel.suite)}"
    yield _rates(panel, names)
    reason = panel.attribution.reason
    yield f"**Attribution: {panel.attribution.status}.** {reason[0].upper()}{reason[1:]}."
    yield _factors(panel.attribution)
    yield _difference(panel)
    yield f"**Interpretation: {panel.interpretation}.** {plain(_reportable(panel))}"
    for claim in panel.claims:
        yield plain(f"Claim {claim.scope} {claim.id}, {claim.says}: {claim.decided} ({claim.why}).")
    reasons = "\n".join(_bullets(panel.reasons))
    if reasons:
        yield reasons


def _rates(panel: "PanelComparison", names: tuple[str, str]) -> str:
    rows = [
        [
            f"{letter}: {name}",
            percent(arm.rate),
            percents(arm.wilson_neff),
            percents(arm.wilson_pooled),
            f"{number(arm.passed)}/{number(arm.scored)}",
            number(arm.unscored),
            percents(arm.bracket),
            arm.completeness,
            number(arm.attempts.rerolled),
        ]
        for letter, name, arm in zip("AB", names, panel.arms, strict=True)
    ]
    score = plain(panel.arms[0].score_definition)
    header = [score, "rate", "Wilson n_eff", "Wilson pooled", "passed", "unscored", "bracket", "panel", "re-rolled"]
    return table(header, rows)


def _reportable(panel: "PanelComparison") -> str:
    if panel.reportable.reportable:
        return "Reportable."
    return "Not reportable: " + "; ".join(reason.text for reason in panel.reportable.reasons) + "."


def _bullets(reasons: Iterable[Reason]) -> Iterator[str]:
    return (f"- `{reason.code}`: {plain(reason.text)}" for reason in reasons)
