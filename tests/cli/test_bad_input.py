"""Every mistake of a user ends with one clear message, exit code 2, no traceback and no file."""

import gzip

import pytest

GENERAL = "%%MatrixMarket matrix coordinate real general\n"

MATRICES = {
    "no banner": ("1 2 3\n", "line 1: not a Matrix Market file"),
    "malformed": (GENERAL + "2 2 1\n1 1 abc\n", "line 3, column 5: 'abc' is not a number"),
    "truncated": (GENERAL + "2 2 3\n1 1 1\n", "the file was cut off"),
    "truncated gzip": (
        gzip.compress(GENERAL.encode() + b"1 1 1\n1 1 2\n")[:-9],
        "the gzip file is incomplete",
    ),
    "outside": (GENERAL + "2 2 1\n3 1 1\n", "line 3, column 1: '3' is out of bounds"),
    "NaN": (GENERAL + "2 2 1\n2 1 nan\n", "line 3, column 5: 'nan' is no value"),
    "infinite": (GENERAL + "2 2 1\n1 2 inf\n", "line 3, column 5: 'inf' is no value"),
    "overflow": (GENERAL + "2 2 1\n2 1 1e39\n", "row 2, column 1 is too large for 32 bits"),
    "empty file": ("", "the file is empty"),
    "no entries": (GENERAL + "2 2 0\n", "an empty matrix"),
    "no rows": (GENERAL + "0 2 0\n", "an empty matrix"),
    "too large": (GENERAL + "999999999 1 1\n1 1 1\n", "simulated address space"),
}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("command", ["run", "formats"])
def test_a_bad_matrix_file(vecsim, tmp_path, command, name):
    content, reason = MATRICES[name]
    path = tmp_path / "bad.mtx"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    message = vecsim(command, path, "--json", tmp_path / "out.json").mistake()
    assert message.startswith(str(path))
    assert reason in message
    assert "\n" not in message
    assert [file.name for file in tmp_path.iterdir()] == ["bad.mtx"]


def test_overflow_names_the_switch_that_helps(vecsim, tmp_path):
    path = tmp_path / "large.mtx"
    path.write_text(GENERAL + "2 2 1\n2 1 1e39\n")
    assert "--value-bits 64" in vecsim("run", path).mistake()
    assert vecsim("run", path, "--program", "crs", "--value-bits", 64).code == 0


def test_no_such_matrix(vecsim, tmp_path):
    path = tmp_path / "gone.mtx"
    assert vecsim("run", path).mistake() == f"{path}: no such file; check the path"
    message = vecsim("run", "pde90").mistake()
    assert "did you mean 'pde900'" in message
    assert "`vecsim list matrices`" in message
    assert vecsim("list", "matrices").code == 0


ARGUMENTS = [
    (
        ["--program", "hsm"],
        "use one of crs, jd, bbcs, hism, chism; did you mean 'hism'?",
    ),
    (
        ["--option", "z=1", "--program", "jd", "--program", "hism"],
        "--option z=1: no program to be run has an option 'z'; they have "
        "jd: y, schedule, accumulate; hism: positions, schedule, accumulate",
    ),
    (["--option", "y=memry"], "option y = 'memry': it takes memory, register"),
    (
        ["--option", "accumulate=yes", "--option", "cache=cleared"],
        "cache=cleared and accumulate=yes cannot be combined",
    ),
    (["--option", "jd.z=1"], "program jd has no option 'z'"),
    (["--option", "dj.y=memory"], "unknown program 'dj'"),
    (["--program", "crs", "--option", "jd.y=memory"], "program jd is not run; add it"),
    (["--option", "y"], "--option y: write it as NAME=VALUE"),
    (["--machine", "vs203"], "or a .toml file; did you mean 'vs2003'?"),
    (["--machine", "gone.toml"], "gone.toml: no such file; check the path"),
    (["--set", "bank=32"], "unknown machine field 'bank'; did you mean 'banks'?"),
    (["--set", "section_size=33"], "section_size = 33: must be a power of two"),
    (["--set", "section_size=2"], "section_size = 2: must be a power of two from 4 to 4096"),
    (["--set", "startup=-1"], "startup = -1"),
    (["--set", "banks"], "--set banks: write it as key=value"),
    (["--engine", "simpi"], "unknown engine 'simpi'"),
    (["--value-bits", "16"], "--value-bits 16: a matrix value must have 32 or 64 bits"),
    (["--seed", "-1"], "--seed"),
    (["--seed", "x"], "--seed"),
    (["--max-cycles", "0"], "--max-cycles"),
    (["--max-cycles", "20"], "no end after 20 cycles: an infinite loop, or raise the limit (--max-cycles)"),
    (["--bogus"], "--bogus"),
    (["second"], "second"),
]


@pytest.mark.parametrize(("arguments", "reason"), ARGUMENTS, ids=lambda value: str(value)[:40])
def test_bad_arguments_of_run(vecsim, matrix, arguments, reason):
    target = matrix.parent / "out.json"
    message = vecsim("run", matrix, "--json", target, *arguments).mistake()
    assert reason in message
    assert "\n" not in message
    assert not target.exists()


def test_an_infinite_loop_names_program_line_and_program_counter(vecsim, matrix):
    message = vecsim("run", matrix, "--program", "hism", "--max-cycles", 20).mistake()
    assert "<programs>/hism/one_block.s:" in message
    assert "instruction " in message


def test_a_mistake_leaves_an_old_result_as_it_was(vecsim, matrix):
    target = matrix.parent / "out.json"
    target.write_text("old")
    vecsim("run", matrix, "--json", target, "--max-cycles", 20).mistake()
    assert target.read_text() == "old"
    assert sorted(file.name for file in matrix.parent.iterdir()) == ["out.json", "tiny.mtx"]


def test_an_impossible_json_file_is_refused_before_the_run(vecsim, matrix, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the run began")

    monkeypatch.setattr("programs.measurement.measure", never)
    folder = matrix.parent
    for target, reason in (
        (folder / "gone" / "out.json", f"the folder {folder / 'gone'} does not exist"),
        (folder, "is a folder"),
        (matrix, "is the input"),
    ):
        assert reason in vecsim("run", matrix, "--json", target).mistake()


def test_a_full_disk_is_no_traceback_and_leaves_nothing(vecsim, matrix, monkeypatch):
    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    target = matrix.parent / "out.json"
    result = vecsim("run", matrix, "--program", "crs", "--json", target)
    assert result.code == 2
    assert (
        result.err
        == f"vecsim: error: {target}: cannot be written: No space left on device; choose another place\n"
    )
    assert [file.name for file in matrix.parent.iterdir()] == ["tiny.mtx"]


def test_too_little_memory_is_no_traceback(vecsim, matrix, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("programs.measurement.measure", fail)
    assert "not enough memory" in vecsim("run", matrix).mistake()


CONTROL = "re\x1b[31md\x07\x9b\u202e"
ESCAPED = r"re\x1b[31md\x07\x9b\u202e"


def test_control_characters_of_names_do_not_reach_the_terminal(vecsim, tmp_path, matrix):
    """Names of files may have any character, and a terminal obeys some of them."""
    assert vecsim("run", CONTROL).mistake().startswith(f"unknown matrix '{ESCAPED}'; ")
    assert (
        vecsim("exec", tmp_path / f"{CONTROL}.s")
        .mistake()
        .endswith(f"{ESCAPED}.s: no such file; check the path")
    )
    assert "\n" not in vecsim("exec", "two\nlines.s").mistake()
    named = tmp_path / f"{CONTROL}.mtx"
    named.write_text(matrix.read_text().replace("5 4 6", "5 4 7") + "5 4 1\n")
    result = vecsim("formats", named, "--format", "crs")
    assert result.code == 0
    assert result.out.startswith(f"{ESCAPED}: 5 x 4, 6 non-zeros")
    assert "1 duplicate entry" in result.err
    program = tmp_path / f"{CONTROL}.s"
    program.write_text("halt # \x1b[31m\n")
    shown = [vecsim("exec", program), vecsim("asm", program), vecsim("asm", program, "--listing")]
    program.write_text("nop\nhald\n")
    shown += [result, vecsim("asm", program), vecsim("list", "matrices", CONTROL)]
    for each in shown:
        assert ESCAPED in each.out + each.err
        assert (each.out + each.err).replace("\n", "").isprintable()


def test_control_characters_in_a_table(vecsim, tmp_path, monkeypatch):
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    (tmp_path / f"zzz{CONTROL}.mtx").touch()
    actual = vecsim("list", "matrices", "zzz")
    assert f"zzz{ESCAPED}" in actual.out
    assert actual.out.replace("\n", "").isprintable()


NINES, BRACKETS = "9" * 5000, "[" * 5000


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (NINES, "9999... is too long: a key or number has at most"),
        (BRACKETS, "a value is nested too deeply: at most 8 arrays and tables in each other"),
        ("{a=" * 5000, "a value is nested too deeply"),
    ],
    ids=["nines", "brackets", "tables"],
)
def test_values_of_thousands_of_letters(vecsim, tmp_path, value, reason):
    message = vecsim("machine", "show", "vs2003", "--set", f"banks={value}").mistake()
    assert message.startswith("--set banks=")
    assert reason in message
    assert len(message) < 160
    path = tmp_path / "mine.toml"
    path.write_text(f"banks = {value}\n")
    message = vecsim("machine", "check", path).mistake()
    assert message.startswith(f"{path}: ")
    assert reason in message


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("p=4", "unknown machine field 'p'; did you mean 'sparse_unit.p'?"),
        ("add=4", "unknown machine field 'add'; did you mean 'latency.add'?"),
        ("chaining=off", "chaining = 'off': write true or false"),
        ("banks=many", "banks = 'many': write an integer"),
        ("banks=1.5", "banks = 1.5: write an integer"),
    ],
)
def test_a_change_that_cannot_be_made_says_what_can(vecsim, change, reason):
    assert vecsim("machine", "show", "vs2003", "--set", change).mistake().endswith(reason)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("https://[::1", "is not an address (Invalid IPv6 URL); write https://HOST/PATH"),
        ("http://127.0.0.1:1/a%00b.mtx", "the address of a file must not have control characters"),
        ("http://127.0.0.1:1/a%1bb.mtx", "the address of a file must not have control characters"),
    ],
)
def test_addresses_that_are_none(vecsim, address, reason):
    for command in ("formats", "run"):
        assert vecsim(command, address).mistake() == f"{address}: {reason}"


def test_square_brackets_in_messages_stay(vecsim):
    assert vecsim("run", "[red]x[bold]").mistake().startswith("unknown matrix '[red]x[bold]'")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("section_size = 33\n", "section_size = 33: must be a power of two"),
        ("bank = 32\n", "unknown machine field 'bank'; did you mean 'banks'?"),
        ('based_on = "vs203"\n', "unknown preset 'vs203'"),
        ("banks = \n", "not valid TOML"),
    ],
)
@pytest.mark.parametrize("command", ["check", "show"])
def test_a_bad_machine_file(vecsim, tmp_path, command, text, reason):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    message = vecsim("machine", command, path).mistake()
    assert message.startswith(f"{path}: ")
    assert reason in message


USAGE = [
    (["runn"], "'runn'"),
    (["machine"], "vecsim machine --help"),
    (["machine", "shw"], "shw"),
    (["exec"], "FILE"),
    (["formats", "pde225", "--section-size", "5"], "section size 5 is not possible"),
    (["formats", "pde225", "--value-bits", "8"], "--value-bits 8"),
    (["isa", "addd"], "unknown instruction 'addd'; did you mean 'add'?"),
    (["run", "--json"], "--json needs a value: write --json FILE or --json -; see `vecsim run --help`"),
    (["run", "--json", "--program", "crs"], "--json needs a file, or - for stdout; --program is an option"),
    (["machine", "list", "--json"], "--json -; see `vecsim machine list --help`"),
    (["exec", "x.s", "--rows"], "--rows needs a value: write --rows"),
    (["formats"], "see `vecsim formats --help`"),
    (["isa", ".wrod"], "unknown directive '.wrod'; did you mean '.word'?"),
]


@pytest.mark.parametrize(("arguments", "reason"), USAGE, ids=lambda value: str(value)[:40])
def test_bad_arguments_of_other_commands(vecsim, arguments, reason):
    message = vecsim(*arguments).mistake()
    assert reason in message
    assert "\n" not in message
