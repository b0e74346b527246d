"""Table 3 against the paper, on its real matrices where they are available, and counted steps."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from experiments.papers.hism import suite, table3
from vecsim.formats import BBCS, CRS, JD, HiSM

NAMES = ("gre_185", "memplus", "fs_183_3", "mbeause", "tols90")


def labelled(rows):
    return {(row.row, row.quantity): row for row in rows}


@pytest.fixture
def available(real_matrix):
    built = {"cavity16": suite.load(suite.member_for("cavity16"))}
    return built | {name: scipy.sparse.csr_array(scipy.io.mmread(real_matrix(name))) for name in NAMES}


def test_the_model_gives_the_papers_numbers(available):
    rows = [row for row in table3.rows(available) if row.paper and row.ours is not None]
    assert len(rows) == 18
    for row in rows:
        unit = 10.0 ** -len(row.paper.partition(".")[2])
        assert abs(row.ours - float(row.paper)) < unit, row
        if row.quantity == "vs BBCS":
            assert row.ours == float(row.paper), row


def test_only_divisions_without_remainder_give_the_papers_numbers(available):
    above = []
    for name, csr in available.items():
        hism = HiSM.from_scipy(csr, section_size=64)
        halves = np.array(hism.level_entries) / hism.level_arrays / 2
        above.append(halves[0] + halves.sum() - float(table3.PRINTED[name][2]))
    assert (round(min(above), 1), round(max(above), 1)) == (0.5, 2.1)


def test_bbcs_as_the_text_means_it(available):
    rows = labelled(table3.rows(available))
    expected = {
        "cavity16": 399,
        "gre 185": 6.93,
        "memplus": 928,
        "fs 183 3": 8.76,
        "mbeause": 61.1,
        "tols90": 3.99,
    }
    for label, ratio in expected.items():
        assert rows[label + table3.BBCS_SUFFIX, "vs BBCS"].ours == pytest.approx(ratio, rel=2e-3)


def test_in_stored_blocks_hism_takes_about_the_steps_of_the_model(available):
    rows = labelled(table3.rows({"gre_185": available["gre_185"]}))
    note = rows["gre 185" + table3.IN_BLOCKS_SUFFIX, "vs CRS"].note
    assert note.startswith("HiSM 148.0 (76.8 comparisons, 70.2 displaced, 1.0 updates); JD 419.3 ")


@pytest.mark.ci
def test_counted_steps_change_what_the_paper_concludes(available):
    rows = table3.rows(available)
    verdicts = list(table3.verdicts(rows))
    # Against CRS, against JD in small and in large matrices, against BBCS.
    assert [verdict.holds for verdict in verdicts] == [
        *(True, True, True, True),
        *(False, False, True, True),
        False,  # most in large matrices
        *(True, True, True, False),  # with room: JD in small and in large, why CRS loses, its flexibility
        *(None, True, None, None),  # O(n), the worst case, O(s), why HiSM loses
        *(False, True),  # the extremes that the abstract names: Table 3 has 464 where it says 400
        False,
    ]
    comparisons = labelled(rows)["tols90" + table3.COMPARISONS_SUFFIX, "comparisons"].ours
    assert comparisons == pytest.approx(390, abs=0.5)


@pytest.mark.parametrize("size", [70, 130])
def test_counted_steps_are_those_of_inserting_everywhere(size):
    rng = np.random.default_rng(9157)
    matrix = scipy.sparse.random_array((size, size), density=0.03, rng=rng).tocsr()
    forms = {
        "vs JD": JD.from_scipy(matrix),
        "vs CRS": CRS.from_scipy(matrix),
        "vs BBCS": BBCS.from_scipy(matrix, section_size=64),
        "hism": HiSM.from_scipy(matrix, section_size=64),
    }
    empty = np.argwhere(matrix.toarray() == 0)
    picked = empty[rng.choice(len(empty), 400, replace=False)]
    mean, error = {}, {}
    for name, form in forms.items():
        steps = [form.insert(row, column, 1.0).steps.total for row, column in picked.tolist()]
        mean[name], error[name] = np.mean(steps), np.std(steps) / np.sqrt(len(steps)) / np.mean(steps)

    rows = labelled(table3.rows({"tols90": matrix}))
    label = "tols90" + table3.COUNTED_SUFFIX
    own = rows["tols90" + table3.HISM_SUFFIX, "vs BBCS"].ours
    assert own == pytest.approx(mean["hism"], rel=4 * error["hism"])
    for quantity in ("vs JD", "vs CRS", "vs BBCS"):
        ratio = mean[quantity] / mean["hism"]
        assert rows[label, quantity].ours == pytest.approx(ratio, rel=4 * (error[quantity] + error["hism"]))


def test_steps_of_a_single_empty_position_by_hand():
    # Two rows; the empty position is (0, 1). All of CRS, JD, BBCS and HiSM hold entries 1 | 3 4.
    matrix = scipy.sparse.csr_array(([1.0, 3.0, 4.0], ([0, 1, 1], [0, 0, 1])), shape=(2, 2))
    rows = labelled(table3.rows({"gre_185": matrix}))
    # HiSM, of one level: two entries compared, two entries displaced, a length updated.
    assert rows["gre 185" + table3.HISM_SUFFIX, "vs BBCS"].ours == 5
    assert rows["gre 185" + table3.COMPARISONS_SUFFIX, "comparisons"].ours == 2
    counted = "gre 185" + table3.COUNTED_SUFFIX
    # CRS: one compared, two after displaced, two pointers updated.
    assert rows[counted, "vs CRS"].ours == 5 / 5
    # JD, perm 1 0: two row numbers compared until row 0 is found, and one for its new place; both moved.
    # One column compared, all three entries moved; the end of the diagonals updated.
    assert rows[counted, "vs JD"].ours == (3 + 2 + 1 + 3 + 1) / 5
    # BBCS: one compared, two displaced, flag and length updated.
    assert rows[counted, "vs BBCS"].ours == 5 / 5
    room = "gre 185" + table3.ROOM_SUFFIX
    assert rows[room, "vs CRS"].ours == 1 / 4
    # Two row numbers and a column compared; row 0 is the first of its length, and nothing moves.
    assert rows[room, "vs JD"].ours == 3 / 4
    model = rows["gre 185", "vs BBCS"]
    # Three entries in one array, of one level: 1 + 1.
    assert (model.ours, model.paper) == (2, "145")
    assert "2 x 2 with 3 entries, the paper's 185 x 185 with 1005 entries" in model.note
    assert (rows["gre 185", "vs CRS"].ours, rows["gre 185", "vs JD"].ours) == (3 / 2 / 2, 2 / 3 / 2)


def test_a_full_matrix_has_only_the_model():
    full = scipy.sparse.csr_array(np.ones((3, 3)))
    labels = {row.row for row in table3.rows({"tols90": full}) if row.ours is not None}
    assert labels == {"tols90", "tols90" + table3.BBCS_SUFFIX}


def test_a_matrix_with_too_few_entries_for_the_model_has_no_ratio():
    one = scipy.sparse.csr_array(([1.0], ([0], [0])), shape=(3, 3))
    rows = labelled(table3.rows({"tols90": one}))
    assert rows["tols90", "vs BBCS"].ours == 0
    assert rows["tols90", "vs CRS"].ours is None


def test_missing_matrices_keep_their_rows():
    rows = labelled(table3.rows({}))
    assert len(rows) == 18
    assert all(row.ours is None and row.paper and "not found" in row.note for row in rows.values())
    # From the printed size and the printed 346 steps, the model gives what the paper prints.
    assert "the model gives 4.395 " in rows["cavity16", "vs JD"].note
    assert "the model gives 199.692 " in rows["cavity16", "vs CRS"].note
    assert all(verdict.holds is None for verdict in table3.verdicts([*rows.values()]))


def test_the_worst_case_is_more_than_a_matrix_of_this_dimension_can_hold():
    (row,) = table3.of_no_matrix()
    assert (row.paper, row.ours) == ("6144", 6144)
    assert row.note == (
        "by arithmetic only: 3 levels of full blocks; the top level of a matrix of 10,000 holds 9 "
        "entries at most, which makes it 4,100.5"
    )
