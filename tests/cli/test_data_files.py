"""`vecsim exec` with arrays of files: put in before, written and compared after."""

import json
from pathlib import Path

import numpy as np
import pytest
from tiers import one_in

BANNER = "%%MatrixMarket matrix "
TWICE = """\
# y = 2 x, in the type of a matrix value
.default N, 8
.equ X, 256
.equ Y, 512
        li   x3, X
        li   x4, Y
        li   x5, N
        setvl x5
        lv.f v1, (x3)
        addvv.f v2, v1, v1
        sv.f v2, (x4)
        halt
"""


@pytest.fixture
def run(vecsim, tmp_path, monkeypatch):
    """Run the program in its own folder, with arrays saved there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.s").write_text(TWICE)

    def call(*arguments, **arrays):
        for name, values in arrays.items():
            np.save(tmp_path / f"{name}.npy", np.asarray(values))
        return vecsim("exec", "twice.s", "--engine", "simpy", *arguments)

    return call


X = np.arange(8) * 1.5


@pytest.mark.parametrize("bits", [32, 64])
def test_in_and_out(run, bits):
    kind = "float" if bits == 32 else "double"
    how = ("--load", "X=x.npy", "--save", f"Y:8:{kind}=out.npy", "--expect", "Y=y.npy", "--value-bits", bits)
    done = run(*how, x=X, y=2 * X)
    assert done.code == 0
    assert f"Y: 8 x {kind} as in y.npy" in done.out
    out = np.load("out.npy")
    assert out.dtype == f"f{bits // 8}" and out.tolist() == (2 * X).tolist()


def test_the_first_element_that_differs(run):
    wrong = 2 * X
    wrong[[3, 5]] += 0.5
    done = run("--load", "X=x.npy", "--expect", "Y=y.npy", "--json", "r.json", x=X, y=wrong)
    assert done.code == 1
    assert "2 of 8 elements differ; the first is element 3 at address 524: 9.0, expected 9.5" in done.err
    with Path("r.json").open() as file:
        (shown_text,) = json.load(file)["expect"]
    assert shown_text["difference"] == {
        "element": 3,
        "address": 524,
        "actual": 9.0,
        "expected": 9.5,
        "count": 2,
    }


@pytest.mark.parametrize(("off", "tolerance", "code"), [(1e-3, None, 1), (1e-3, "0.01", 0), (1e-6, None, 0)])
def test_how_far_off_a_number_may_be(run, off, tolerance, code):
    how = [] if tolerance is None else ["--tolerance", tolerance]
    assert run("--load", "X=x.npy", "--expect", "Y=y.npy", *how, x=X, y=2 * X + off).code == code


def test_nan_and_infinity_are_themselves(run):
    x = np.array([np.nan, np.inf, -np.inf, 0, 1, 2, 3, 4])
    assert run("--load", "X=x.npy", "--expect", "Y=y.npy", x=x, y=2 * x).code == 0
    assert run("--load", "X=x.npy", "--expect", "Y=y.npy", x=x, y=np.where(np.isinf(x), 1, 2 * x)).code == 1


def test_whole_numbers_are_words_and_must_be_equal(run):
    numbers = np.arange(8) - 4
    assert run("--load", "Y=n.npy", "--expect", "X:word=z.npy", n=numbers, z=np.zeros(8, int)).code == 0
    assert run("--load", "600=n.npy", "--expect", "600=n.npy", n=numbers).code == 0
    assert run("--load", "600=n.npy", "--expect", "600=m.npy", n=numbers, m=numbers + 1).code == 1


def test_of_a_sparse_matrix_the_arrays_of_crs(run, tmp_path):
    (tmp_path / "a.mtx").write_text(BANNER + "coordinate real general\n2 3 3\n1 2 5\n2 1 6\n2 3 7\n")
    loads = ["--load", "600:rowptr=a.mtx", "--load", "640:colidx=a.mtx", "--load", "700:values=a.mtx"]
    done = run(*loads, "--dump", "600:3", "--dump", "640:3", "--dump", "700:3:float")
    assert done.code == 0
    shown = [
        line.split()[1:]
        for line in done.out.splitlines()
        if line.strip().startswith(("600 ", "640 ", "700 "))
    ]
    assert shown == [["0", "1", "3"], ["1", "0", "2"], ["5", "6", "7"]]


def test_of_a_dense_matrix_its_values_column_by_column(run, tmp_path):
    (tmp_path / "x.mtx").write_text(BANNER + "array real general\n4 2\n" + "".join(f"{v}\n" for v in X))
    assert run("--load", "X=x.mtx", "--expect", "Y=y.npy", y=2 * X).code == 0


def test_rerun_loads_the_same_arrays(run, vecsim):
    assert run("--load", "X=x.npy", "--json", "r.json", x=X).code == 0
    assert vecsim("rerun", "r.json").code == 0
    np.save("x.npy", X + 1)
    assert "x.npy is another file now" in vecsim("rerun", "r.json").mistake()


@pytest.mark.parametrize(
    "case",
    one_in(
        4,
        [
            ("--load Z=x.npy", "unknown symbol 'Z'"),
            ("--load X", "write it as PLACE=FILE.npy"),
            ("--load X=x.txt", "neither an array of NumPy (.npy) nor a matrix"),
            ("--load X=none.npy", "none.npy: no such file"),
            ("--load X=bad.npy", "bad.npy is not an array of NumPy"),
            ("--load X:word=x.npy", "the file has real numbers, word takes whole ones"),
            ("--load X:flaot=x.npy", "did you mean 'float'"),
            ("--load X:rowptr=x.npy", "rowptr is of a matrix"),
            ("--load X=big.npy", "the number 5000000000 at element 1 does not fit 32 bits"),
            ("--load X=complex.npy", "values of type complex128"),
            ("--load 0xffff0=x.npy", "outside memory; use addresses below 1048576, or more --memory"),
            ("--load X=x.npy --load 260=x.npy", "overlaps --load X=x.npy"),
            ("--load X=a.mtx", "is sparse: name one of its arrays"),
            ("--save Y:8:float", "write it as PLACE:COUNT:TYPE=FILE.npy"),
            ("--save Y:8:float=y.txt", "write it as PLACE:COUNT:TYPE=FILE.npy"),
            ("--save Y:8:float=no/y.npy", "does not exist; create it"),
            ("--load X=x.npy --save Y:8:float=x.npy", "is the input"),
            ("--tolerance 1", "nothing is compared"),
        ],
    ),
)
def test_what_it_refuses(run, tmp_path, case):
    arguments, message = case
    (tmp_path / "bad.npy").write_bytes(b"no array")
    (tmp_path / "a.mtx").write_text(BANNER + "coordinate real general\n2 3 1\n1 2 5\n")
    done = run(*arguments.split(), x=X, big=np.array([1, 5_000_000_000]), complex=np.array([1j]))
    assert message in done.mistake()


def written(run, text, *arguments):
    Path("twice.s").write_text(text)
    return run(*arguments, "--load", "X=x.npy", x=X.astype(np.int32))


def test_an_array_fills_room_that_the_program_declares(run):
    text = ".data 256\n.word 7\nX: .space 32\n.word 9\n.text\nhalt\n"
    beside = ("--dump", "256:1:word", "--dump", "292:1:word", "--expect", "X=x.npy")
    done = written(run, text, *beside, "--json", "r.json")
    assert done.code == 0
    memory = json.loads(Path("r.json").read_text())["memory"]
    assert [part["values"] for part in memory] == [[7], [9]]


def test_an_array_on_data_of_the_program_is_refused(run):
    done = written(run, ".data 256\nX: .word 0, 1\n.space 64\n.text\nhalt\n")
    assert "overlap data of the program at 256 to 327 that are not zeros" in done.mistake()


def test_the_debugger_fills_it_too(run, vecsim):
    written(run, ".data 256\nX: .space 32\n.text\nhalt\n")
    Path("look").write_text("memory X:2:word\n")
    done = vecsim("debug", "twice.s", "--load", "X=x.npy", "--script", "look")
    assert f"256  {X.astype(np.int32)[0]}  {X.astype(np.int32)[1]}" in done.out


@pytest.mark.parametrize("tolerance", ["inf", "nan", "-1e-3", "1", "1e400", "1e-400"])
def test_a_tolerance_that_lets_everything_pass_is_refused(run, tolerance):
    done = run("--load", "X=x.npy", "--expect", "Y=y.npy", "--tolerance", tolerance, x=X, y=2 * X)
    assert "--tolerance" in done.mistake()


@pytest.mark.parametrize("option", ["--load", "--expect"])
@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_an_empty_array_is_refused(run, option, shape):
    assert "has no elements" in run(option, "Y=y.npy", y=np.zeros(shape, np.float32)).mistake()


def test_an_expected_array_of_nan_alone_is_refused(run):
    assert "every element is NaN" in run("--expect", "Y=y.npy", y=np.full(8, np.nan)).mistake()


def test_numbers_within_the_tolerance_of_zero_are_warned_of(run):
    done = run("--expect", "Y=y.npy", y=np.full(8, 1e-6))
    assert done.code == 0
    assert "no element is larger than the tolerance 1e-05: memory of zeros passes too" in done.err
    assert "larger than" not in run("--expect", "Y=y.npy", y=np.zeros(8)).err


LOST = [
    (
        "X=n.npy",
        np.array([2**63, 1], np.uint64),
        "the number 9223372036854775808 at element 0 does not fit 32 bits",
    ),
    ("X:byte=n.npy", np.array([1, -129]), "the number -129 at element 1 does not fit 8 bits"),
    ("X=n.npy", np.array([0, 1e300]), "the value 1e+300 at element 1 is too large for 32 bits"),
    ("X:values=c.mtx", None, "values of type complex128 are not possible; use integers or real numbers"),
]


@pytest.mark.parametrize("option", ["--load", "--expect"])
@pytest.mark.parametrize(("text", "array", "message"), LOST)
def test_numbers_that_would_become_others_are_refused(run, option, text, array, message):
    Path("c.mtx").write_text(BANNER + "coordinate complex general\n2 2 1\n1 1 1 2\n")
    assert message in run(option, text, **({} if array is None else {"n": array})).mistake()


@pytest.mark.parametrize("option", ["--load", "--expect"])
@pytest.mark.parametrize(
    ("array", "warning"),
    [
        (
            np.array([1, 2**24 + 1]),
            "1 whole number rounded, the first 16777217 at element 1: 32 bits hold all",
        ),
        (
            np.array([0.5, 1e-50]),
            "1 value too small for 32 bits, the first 1e-50 at element 1: 1 became zero",
        ),
    ],
)
def test_what_a_narrower_type_loses_is_reported_in_one_line(run, option, array, warning):
    err = run(option, "X:float=n.npy", n=array).err
    assert [warning in line for line in err.splitlines()].count(True) == 1


def test_what_follows_an_array_in_its_file_is_refused(run):
    np.save("n.npy", np.zeros(2, np.float32))
    with Path("n.npy").open("ab") as file:
        file.write(b"more")
    assert "has 4 bytes after its array" in run("--load", "X=n.npy").mistake()
