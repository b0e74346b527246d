"""What a million machines say, as sentences that are made of the recorded tables."""

from __future__ import annotations

from math import log, log1p

from experiments.papers.hism.calibration.headings import STATES
from experiments.papers.hism.recorded_calibration import rows
from experiments.papers.hism.table2 import PRINTED

RANDOM, WITHIN_ONE, WITHIN_TWO = STATES
SPREADS = 2
"""Of the machines that sentences are about."""
CLEAR = 3.0
"""Standard errors between a share and what was sampled that count as a difference."""


def findings() -> tuple[str, ...]:
    """Return the sentences."""
    return (_how_many(), _whole(), _vs2003(), *_values(), *_schedules(), *_conclusions(), *_of_averages())


def _how_many() -> str:
    of = {row["what"]: row["which"] for row in rows("machines")}
    share = _number(of[WITHIN_TWO]) / _number(of["machines"])
    return (
        f"Of {of['machines']} machines, {of[WITHIN_TWO]} fit the paper within two spreads "
        f"({100 * share:.2f} %) and {of[WITHIN_ONE]} within one. In the pilot, where nothing is left out, "
        f"{of[f'{WITHIN_TWO}: of the pilot']} of {of['machines of the pilot']} fit within two."
    )


def _whole() -> str:
    """Return how the averages on all matrices differ from those on the sample."""
    of = rows("machines-whole")
    pairs = [(float(row[f"{name}, all"]), float(row[f"{name}, sample"])) for row in of for name in PRINTED]
    away = max(abs(log(on_all / on_sample)) for on_all, on_sample in pairs)
    fit = sum(row[WITHIN_TWO] == "yes" for row in of)
    return (
        f"They are counted on a sample of matrices. {len(of)} of them at random ran on all 132: averages "
        f"differ by {100 * away:.1f} % at most, and {fit} of the {len(of)} fit there, too."
    )


def _vs2003() -> str:
    """Return which average of vs2003 is the furthest from the paper, in spreads."""
    away = {
        row["row"]: abs(log(float(row["proposed machine"]) / float(row["paper"])))
        / log1p(float(row["spread in per cent"]) / 100)
        for row in rows("spread")
    }
    worst = max(away, key=lambda row: away[row])
    where = "outside of" if away[worst] > SPREADS else "among"
    return f"`vs2003` is {where} these: its average {worst} is {away[worst]:.1f} spreads from the paper."


def _values() -> tuple[str, ...]:
    """Return which values are rare among machines that fit, and which choices the paper says nothing of."""
    sampled: dict[str, float] = {}
    shares: dict[str, dict[str, float]] = {}
    differs: dict[str, bool] = {}
    for row in rows("machines-choices"):
        name, value = row["choice"], row["value"]
        share, error = (float(row[f"{WITHIN_TWO}, {what} in per cent"]) for what in ("share", "error"))
        sampled[name] = float(row["sampled in per cent"])
        shares.setdefault(name, {})[value] = share
        differs[name] = differs.get(name, False) or abs(share - sampled[name]) > CLEAR * error
    silent = [name for name in differs if not differs[name]]
    rare = [
        f"{name} {value} ({share:.0f} % instead of {sampled[name]:.0f} %)"
        for name, of in shares.items()
        for value, share in of.items()
        if share < sampled[name] / 2
    ]
    return (
        f"These values are less than half as frequent among them as in the sample: {', '.join(rare)}.",
        f"Of {len(differs)} choices, {len(silent)} have the frequencies that they were sampled with, within "
        f"{CLEAR:.0f} standard errors. The paper's averages say nothing of them: {', '.join(silent)}.",
    )


def _schedules() -> tuple[str, ...]:
    plain = {
        row["choice"]: (row[f"{WITHIN_TWO}, share in per cent"], row[f"{WITHIN_TWO}, error in per cent"])
        for row in rows("machines-choices")
        if row["value"] == "plain"
    }
    words = {
        program: "{:.0f} ± {:.0f} %".format(*map(float, plain[f"{program}: schedule"]))
        for program in ("CRS", "HiSM", "BBCS")
    }
    return (
        f"CRS is plain on {words['CRS']} of them and HiSM on {words['HiSM']}, where half was sampled: other "
        f"choices make up for it. BBCS is plain on {words['BBCS']}, where a third was sampled.",
    )


def _conclusions() -> tuple[str, ...]:
    always, mostly, others = [], [], []
    for row in rows("machines-conclusions"):
        holds, of = int(row[WITHIN_TWO]), int(row[f"of {WITHIN_TWO}"])
        share = f"*{row['conclusion']}* ({100 * holds / of:.1f} %)"
        if holds == of:
            always.append(f"*{row['conclusion']}*")
        elif holds >= 0.99 * of:
            mostly.append(share)
        else:
            others.append(share)
    return (
        f"On all of them hold: {'; '.join(always)}.",
        f"On at least 99 % of them hold: {'; '.join(mostly)}.",
        f"On fewer: {'; '.join(others)}.",
    )


def _of_averages() -> tuple[str, ...]:
    of = {row["row"]: row for row in rows("machines-averages")}

    def reach(row: str) -> str:
        return f"{of[row][f'{RANDOM}: 5 %']} to {of[row][f'{RANDOM}: 95 %']}"

    def above(row: str) -> str:
        return of[row][f"{RANDOM}: above 1 in per cent"]

    def least(row: str) -> str:
        return of[row][f"{RANDOM}: 0 %"]

    return (
        f"On every machine of the pilot, HiSM is on average at least {least('HiSM vs CRS')} times as fast as "
        f"CRS, and CHiSM at least {least('CHiSM vs CRS')} times. On 90 % of them the factors are "
        f"{reach('HiSM vs CRS')} and {reach('CHiSM vs CRS')}.",
        f"HiSM beats JD on {above('HiSM vs JD')} % of them ({reach('HiSM vs JD')} times as fast on 90 %) and "
        f"BBCS on {above('HiSM vs BBCS')} % ({reach('HiSM vs BBCS')}).",
    )


def _number(text: str) -> int:
    return int(text.replace(",", ""))
