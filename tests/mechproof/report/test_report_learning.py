"""Pictures of regret against its bound and of the gap of average play: what is in the files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from mechanisms.learners import (
    FTPL,
    BestResponse,
    BlumMansour,
    Hedge,
    Learner,
    RegretMatching,
    Run,
    play_against,
    play_game,
)
from mechproof.report.learning import draw_equilibrium_gap, draw_regret
from theory.actions import BilinearGame
from theory.errors import InvalidInputError
from theory.normal_form import NormalFormGame

SVG = "{http://www.w3.org/2000/svg}"
KINDS = ("external", "internal", "swap")

Points = list[tuple[float, float]]


def lopsided() -> NormalFormGame:
    """Round and round like Shapley's game, but uniform play is no equilibrium."""
    return NormalFormGame.bimatrix(
        [[1.0, 0.0, 0.25], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]],
        [[0.0, 1.0, 0.0], [0.0, 0.0, 0.75], [1.0, 0.5, 0.0]],
        players=["Ann", "Bob"],
        title="Ann's game & Bob's",
    )


@pytest.fixture(scope="module")
def run() -> Run:
    return play_game(lopsided(), [Hedge(3, rounds=60), BlumMansour(3, rounds=60)], 60)


def lines(file: Path) -> dict[str, Points]:
    """Return the points of every line that bears a name, as they stand in the picture."""
    found = {}
    for group in ElementTree.parse(file).iter(f"{SVG}g"):
        path = group.find(f"{SVG}path")
        if path is not None and re.search("(regret|bound)$|^c?ce$", group.get("id", "")):
            corners = re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path.get("d", ""))
            found[group.attrib["id"]] = [(float(x), float(y)) for x, y in corners]
    return found


def assert_linear(drawn: Points, x: Any, y: Any, scale: Any = None) -> tuple[float, float]:
    """Check that all points are where one map of either axis puts them; return that of y."""
    across, up = np.array(drawn).T
    for values, places in ((np.asarray(x, float), across), (np.asarray(y, float), up)):
        slope, start = np.polyfit(values, places, 1) if np.ptp(values) else (0.0, places[0])
        assert places == pytest.approx(slope * values + start, abs=0.02)
    return (slope, start) if scale is None else scale


def test_every_regret_and_bound_is_drawn_at_its_height(run: Run, tmp_path: Path) -> None:
    draw_regret(run, tmp_path / "regret.svg")
    drawn = lines(tmp_path / "regret.svg")
    for player in ("Ann", "Bob"):
        for kind in KINDS:
            series = run.series(player, kind, range(1, 61))
            points = drawn.pop(f"{player} {kind} regret")
            slope, start = assert_linear(points, series.rounds, series.regret)
            assert slope < 0, "the picture stands on its head"
            if series.proven is None:
                assert np.isnan(series.bound).all()
                continue
            bound = np.array(drawn.pop(f"{player} {kind} bound"))
            assert bound[:, 1] == pytest.approx(slope * series.bound + start, abs=0.05)
            assert bound[:, 0] == pytest.approx(np.array(points)[:, 0], abs=0.01)
    assert not drawn


def test_the_numbers_and_what_is_proven_are_said(run: Run, tmp_path: Path) -> None:
    draw_regret(run, tmp_path / "regret.svg")
    source = (tmp_path / "regret.svg").read_text("utf-8")
    for player in ("Ann", "Bob"):
        for kind in KINDS:
            series = run.series(player, kind, [60])
            number = f"{kind}: {series.regret[-1]:.4g}"
            rest = f" of at most {series.bound[-1]:.4g}"
            assert number + (", nothing is proven" if series.proven is None else rest) in source
    assert source.count(", nothing is proven<") == 2, "Hedge bounds external regret alone"
    for said in ("Ann's game &amp; Bob's", "Ann: regret in sum", "rounds", "pathwise"):
        assert f">{said}<" in source
    for said in ("measured regret", "proven bound"):
        assert source.count(f">{said}<") == 1
    assert "says nothing" not in source
    draw_regret(run, str(tmp_path / "again.svg"))
    assert (tmp_path / "again.svg").read_text("utf-8") == source


def test_a_bound_far_away_leaves_the_picture_and_not_regret_flat(tmp_path: Path) -> None:
    rewards = np.tile([0.5, 0.501], (50, 1))
    idle = play_against(Hedge(2, rate=1e-6), rewards, 50, actions=2)
    draw_regret(idle, tmp_path / "regret.svg")
    (name,) = (player.name for player in idle.players)
    drawn = lines(tmp_path / "regret.svg")
    regret = [y for _, y in drawn[f"{name} external regret"]]
    assert max(regret) - min(regret) > 4, "a thirtieth of the height at least"
    assert not drawn[f"{name} external bound"]
    external = idle.series(name, "external", [50])
    said = f"external: {external.regret[-1]:.4g} of at most {external.bound[-1]:.4g}"
    assert f">{said}<" in (tmp_path / "regret.svg").read_text("utf-8")


def test_what_is_sampled_says_how_sure_it_is(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    sampled = play_game(lopsided(), [FTPL(3, rng=rng, rounds=30), BestResponse(3)], 30)
    for failure, said in ((0.05, "with probability 0.95"), (None, "in expectation")):
        draw_regret(sampled, tmp_path / "regret.svg", failure=failure)
        source = (tmp_path / "regret.svg").read_text("utf-8")
        assert f">{said}<" in source
        assert source.count("nothing is proven") == 5


def test_internal_regret_is_not_left_alone_where_it_says_nothing(tmp_path: Path) -> None:
    short = play_game(lopsided(), [RegretMatching(3), RegretMatching(3)], 3)
    draw_regret(short, tmp_path / "regret.svg")
    draw_equilibrium_gap(short, tmp_path / "gap.svg")
    said = "With 3 actions and 3 rounds"
    assert f"{said} internal regret alone" in (tmp_path / "regret.svg").read_text("utf-8")
    assert f"{said} the gap for single actions" in (tmp_path / "gap.svg").read_text("utf-8")


def test_long_runs_are_thinned_out_and_rounds_can_be_asked_for(tmp_path: Path) -> None:
    long = play_game(lopsided(), [RegretMatching(3), Hedge(3)], 1_000)
    draw_regret(long, tmp_path / "regret.svg")
    assert len(lines(tmp_path / "regret.svg")["Ann swap regret"]) == 400
    draw_regret(long, tmp_path / "regret.svg", rounds=(n for n in (1, 10, 1000)))
    drawn = lines(tmp_path / "regret.svg")
    assert {len(points) for points in drawn.values()} == {3}
    across = [x for x, _ in drawn["Bob internal regret"]]
    assert (across[1] - across[0]) / (across[2] - across[0]) == pytest.approx(9 / 999, abs=1e-3)
    draw_equilibrium_gap(long, tmp_path / "gap.svg", rounds=[1, 10, 1000])
    assert {len(points) for points in lines(tmp_path / "gap.svg").values()} == {3}


def test_laws_over_too_many_actions_are_left_out_and_say_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    unit = np.eye(2)
    for size, left_out in ((60, 0), (400_000, 2)):
        rows, columns = rng.random((size, 2)), rng.random((50, 2)) / 2
        game = BilinearGame.low_rank(rows, columns, forms=(unit, unit))
        learners: list[Learner] = [Hedge(game.sets[0]), BestResponse(game.sets[1])]
        many = play_game(game, learners, 12)
        draw_regret(many, tmp_path / "regret.svg")
        first, second = (player.name for player in many.players)
        drawn = {name for name in lines(tmp_path / "regret.svg") if "regret" in name}
        kept = KINDS[:1] if left_out else KINDS
        assert drawn == {f"{first} {kind} regret" for kind in kept} | {
            f"{second} {kind} regret" for kind in KINDS
        }
        source = (tmp_path / "regret.svg").read_text("utf-8")
        assert source.count(": not measured<") == left_out


def test_gaps_are_drawn_on_logarithmic_axes(run: Run, tmp_path: Path) -> None:
    draw_equilibrium_gap(run, tmp_path / "gap.svg")
    drawn = lines(tmp_path / "gap.svg")
    gaps = run.equilibrium_gaps(range(1, 61))
    assert set(drawn) == {"cce", "ce"}
    places = []
    for name, values in (("cce", gaps.cce), ("ce", gaps.ce)):
        across, up = np.array(drawn[name]).T
        above = values > 0
        logs = np.log10(gaps.rounds)
        slope, start = np.polyfit(logs, across, 1)
        assert across == pytest.approx(slope * logs + start, abs=0.02)
        places += list(zip(np.log10(values[above]), up[above], strict=True))
    heights, up = np.array(sorted(places)).T
    slope, start = np.polyfit(heights, up, 1)
    assert slope < 0, "the picture stands on its head"
    assert up == pytest.approx(slope * heights + start, abs=0.05)
    source = (tmp_path / "gap.svg").read_text("utf-8")
    for said in (
        f"coarse correlated: {gaps.cce[-1]:.4g} in the end",
        f"correlated, single actions: {gaps.ce[-1]:.4g} in the end",
        "gap of the average play",
        "Ann's game &amp; Bob's",
    ):
        assert f">{said}<" in source
    assert "mathdefault" not in source
    draw_equilibrium_gap(run, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text("utf-8") == source


def test_gaps_of_zero_and_a_single_round_are_drawn(tmp_path: Path) -> None:
    for payoffs, rounds in (([[0.5, 0.5]] * 2, 5), ([[0.0, 1.0]] * 2, 1)):
        game = NormalFormGame.bimatrix(payoffs, payoffs)
        short = play_game(game, [RegretMatching(2), RegretMatching(2)], rounds)
        draw_equilibrium_gap(short, tmp_path / "gap.PNG")
        draw_regret(short, tmp_path / "regret.png")
        for name in ("gap.PNG", "regret.png"):
            assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        draw_equilibrium_gap(short, tmp_path / "gap.svg")
        assert {len(points) for points in lines(tmp_path / "gap.svg").values()} <= {rounds}


@pytest.mark.parametrize("draw", [draw_regret, draw_equilibrium_gap])
def test_a_file_that_cannot_be_drawn_is_told_before_anything_is_measured(
    draw: Any, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(*_: object, **__: object) -> None:
        raise AssertionError("work was begun")

    monkeypatch.setattr(Run, "series", measured)
    monkeypatch.setattr(Run, "equilibrium_gaps", measured)
    with pytest.raises(InvalidInputError, match=r"path names no kind of picture.*\.svg or \.png"):
        draw(run, tmp_path / "curve.gif")
    with pytest.raises(InvalidInputError, match="path cannot be written"):
        draw(run, tmp_path / "nowhere" / "curve.svg")
    assert not list(tmp_path.iterdir())


def test_runs_that_cannot_be_drawn_are_told(tmp_path: Path) -> None:
    alone = play_against(RegretMatching(2), np.full((5, 2), 0.5), 5, actions=2)
    with pytest.raises(InvalidInputError, match="is of one player, in no game"):
        draw_equilibrium_gap(alone, tmp_path / "gap.svg")
    unseen = play_against(RegretMatching(2), lambda _: np.full(2, 0.5), 5, actions=None)
    with pytest.raises(InvalidInputError, match="did not look at strategies"):
        draw_regret(unseen, tmp_path / "regret.svg")
    with pytest.raises(InvalidInputError, match="rounds"):
        draw_regret(alone, tmp_path / "regret.svg", rounds=[6])
    assert not list(tmp_path.iterdir())
