"""`vecsim asm`, `disasm` and `exec`: any program."""

import json

import pytest

OUTPUT = [2.0, 4.0, 6.0, -9.0]


def test_exec_shows_cycles_causes_and_chosen_memory(vecsim, program):
    result = vecsim("exec", program, "--dump", "y:4:float", "--dump", "0x40:2:word", "--dump", "n:1:byte")
    assert (result.code, result.err) == (0, "")
    assert "y: 4 x float\n          80  2  4  6  -9\n" in result.out
    assert "0x40: 2 x word\n          64  1065353216  1073741824\n" in result.out
    assert "n: 1 x byte\n          96  4\n" in result.out
    assert "startup" in result.out


def test_exec_says_how_long_its_values_are(vecsim, program):
    for bits in ("32", "64"):
        result = vecsim("exec", program, "--value-bits", bits)
        assert f"; {bits}-bit values; " in result.out.splitlines()[0]


def test_exec_as_json(vecsim, program):
    arguments = ["exec", program, "--dump", "y:4:float", "--registers", "--timeline", "--json", "-"]
    document = json.loads(vecsim(*arguments).out)
    assert document["cycles"] == sum(document["cycles_by_cause"].values())
    assert document["memory"] == [{"place": "y", "address": 80, "type": "float", "values": OUTPUT}]
    assert document["registers"]["x"]["x4"] == 80
    assert document["registers"]["special"]["vl"] == 4
    assert document["registers"]["v"]["v2"]["float"][:5] == [*OUTPUT, 0]
    timeline = document["timeline"]
    assert len(timeline["pc"]) == document["counters"]["instructions"]
    assert timeline["text"][-1] == "halt"
    assert max(timeline["retire"]) == document["cycles"]
    assert document["timeline_rows_left_out"] == 0
    again = json.loads(vecsim(*arguments).out)
    assert {name for name in document if document[name] != again[name]} <= {"date"}


def test_exec_shows_registers_that_are_not_zero(vecsim, program):
    lines = vecsim("exec", program, "--registers").out.splitlines()
    assert "  x4       80" in lines
    assert "  vl       4" in lines
    assert "  v2       float   2  4  6  -9  0  0  0  0  ... 64 elements" in lines
    assert not any(line.startswith("  x9 ") for line in lines)


HAZARDS = """\
    li      x1, 64
    setvl   x1
    addvv.s v3, v1, v1
    mulvv.s v1, v4, v4    # overwrites what the sum has yet to read
    sv.w    v1, 1024(x0)  # reads what the product has yet to write
    halt
"""


def test_exec_names_hazards_as_the_textbooks_do(vecsim, tmp_path):
    path = tmp_path / "hazards.s"
    path.write_text(HAZARDS)
    machine = ("--set", "lanes=1", "--set", "latency.multiply=90")
    lines = vecsim("exec", path, "--timeline", *machine).out.splitlines()
    for cause in ("scalar RAW/WAW", "vector RAW", "vector WAR/WAW"):
        assert any(line.startswith(f"{cause} ") for line in lines), cause
    assert any("sv.w v1, 1024(x0)" in line and "vector RAW" in line for line in lines)
    document = json.loads(vecsim("exec", path, "--json", "-").out)
    assert {"scalar_raw_waw", "vector_raw", "vector_war_waw"} < set(document["waited"])


MASKED = """\
    li x1, 12
    setvl x1
    li x2, 1
    cvi v1, x2
    cvi v2, zero
    sltvv.w v2, v1
    halt
"""


def test_exec_shows_the_mask(vecsim, tmp_path):
    path = tmp_path / "masked.s"
    path.write_text(MASKED)
    lines = vecsim("exec", path, "--registers").out.splitlines()
    assert "  mask     01111111 11110000  11 of 64 elements" in lines
    document = json.loads(vecsim("exec", path, "--registers", "--json", "-").out)
    assert document["registers"]["mask"] == [0] + [1] * 11 + [0] * 52
    assert not any(line.startswith("  mask") for line in vecsim("exec", path).out.splitlines())


def test_the_timeline_is_limited_and_says_so(vecsim, program):
    shown = vecsim("exec", program, "--timeline", "--rows", 3).out
    assert "lui x3, 0" in shown
    assert "lw x5" not in shown
    everything = vecsim("exec", program, "--timeline").out
    assert "left out" not in everything
    assert "addvv.s v2, v1, v1" in everything
    rows = sum(" scalar " in line or " memory " in line or " add " in line for line in everything.split("\n"))
    document = json.loads(vecsim("exec", program, "--timeline", "--rows", 3, "--json", "-").out)
    assert document["timeline_rows_left_out"] == document["counters"]["instructions"] - 3
    assert f"left out: {document['timeline_rows_left_out']} more instructions (--rows)" in shown
    assert rows >= document["counters"]["instructions"]


def test_a_symbol_given_from_outside(vecsim, program):
    def branches(*arguments):
        actual = json.loads(vecsim("exec", program, "--json", "-", *arguments).out)
        return actual["counters"]["taken_branches"]

    assert branches() == 0
    assert branches("--define", "ROUNDS=3") == 2
    assert branches("--define", "ROUNDS=0x10") == 15


def test_doubles(vecsim, tmp_path):
    path = tmp_path / "wide.s"
    path.write_text(
        ".data\nx: .value 0.1, 2\ny: .space 16\n.text\nla x1, x\nli x2, 2\nsetvl x2\n"
        "lv.f v1, (x1)\naddvv.f v2, v1, v1\nsv.f v2, 16(x1)\nfl.d f1, (x1)\nhalt\n"
    )
    result = vecsim("exec", path, "--value-bits", 64, "--dump", "y:2:double", "--registers", "--json", "-")
    document = json.loads(result.out)
    assert document["memory"][0]["values"] == [0.2, 4]
    assert document["registers"]["f"] == {"f1": 0.1}
    assert document["registers"]["v"]["v2"]["double"][:2] == [0.2, 4]


def test_nan_in_memory_is_null_in_json(vecsim, tmp_path):
    path = tmp_path / "nan.s"
    path.write_text(".data\nx: .word 0x7FC00000\n.text\nhalt\n")
    result = vecsim("exec", path, "--dump", "x:1:float", "--json", "-")
    assert json.loads(result.out)["memory"][0]["values"] == [None]
    assert "nan" in result.err


def test_assemble_disassemble_and_run_the_file(vecsim, program, tmp_path):
    built = tmp_path / "made.vsx"
    result = vecsim("asm", program, "-o", built)
    assert (result.code, result.out) == (0, f"{built}: 13 instructions, 36 bytes of data\n")
    again = tmp_path / "again.s"
    again.write_text(vecsim("disasm", built).out)
    for file in (built, again):
        document = json.loads(vecsim("exec", file, "--dump", "80:4:float", "--json", "-").out)
        assert document["memory"][0]["values"] == OUTPUT


def test_where_the_assembler_writes(vecsim, program):
    assert vecsim("asm", program, "--listing").code == 0
    assert not program.with_suffix(".vsx").exists()
    assert vecsim("asm", program).code == 0
    assert program.with_suffix(".vsx").exists()


def test_the_listing(vecsim, program):
    lines = vecsim("asm", program, "--listing").out.splitlines()
    assert len(lines) == 13
    assert lines[-1].split()[:3] == ["12", "00000000", "halt"]
    assert lines[8].endswith(f"; {program}:15: addvv.f v2, v1, v1")
    assert "addvv.d" in vecsim("asm", program, "--listing", "--value-bits", 64).out


@pytest.mark.parametrize("command", [["asm"], ["exec", "--json", "out.json"]])
def test_an_assembly_error_shows_the_line_with_a_caret(vecsim, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bad.s"
    path.write_text("nop\n    addvw.f v1, v2\n")
    message = vecsim(*command, path).mistake()
    first, line, caret = message.split("\n")
    assert first == f"{path}:2:5: unknown instruction 'addvw.f'; did you mean 'addvv.f'?"
    assert (line, caret) == ("    addvw.f v1, v2", "    ^")
    assert [file.name for file in tmp_path.iterdir()] == ["bad.s"]


def test_all_assembly_errors_are_printed(vecsim, tmp_path):
    path = tmp_path / "bad.s"
    path.write_text("    addvw.f v1, v2\n.equ N, 1 +\nli x1, N\n" + "lui x1, -1\n" * 20)
    done = vecsim("asm", path)
    assert (done.code, done.out) == (2, "")
    first, *others, rest = done.err.removeprefix("vecsim: error: ").split("vecsim: error: ")
    assert first.startswith(f"{path}:1:5: unknown instruction")
    assert [other.partition(": ")[0] for other in others] == [
        f"{path}:2:12",
        *(f"{path}:{line}:9" for line in range(4, 22)),
    ]
    assert rest == f"{path}: and 2 more mistakes\n"


def test_an_assembly_error_of_a_long_name_is_short(vecsim, tmp_path):
    (tmp_path / "bad\n.s").write_text(f"lw x5, 4({'a' * 900})\n")
    message = vecsim("asm", tmp_path / "bad\n.s").mistake()
    reason, text, caret = message.split("\n")
    assert "bad\\n.s:1:10: unknown register 'aaa" in reason
    assert len(reason) < 700
    assert text[caret.index("^") :].startswith("aaa")


def test_a_store_outside_memory_names_line_and_program_counter(vecsim, tmp_path):
    path = tmp_path / "out.s"
    path.write_text("li x1, 65536\nsw x1, (x1)\nhalt\n")
    message = vecsim("exec", path, "--memory", "64K").mistake()
    assert message.startswith(f"{path}:2: sw x1, (x1): instruction ")
    assert "store outside memory" in message
    assert vecsim("exec", path, "--memory", 65540).code == 0


def test_an_infinite_loop_ends_at_the_limit(vecsim, tmp_path):
    path = tmp_path / "loop.s"
    path.write_text("again: j again\n")
    message = vecsim("exec", path, "--max-cycles", 500, "--json", tmp_path / "out.json").mistake()
    assert message.startswith(f"{path}:1: again: j again: instruction 0, ")
    assert "no end after 500 cycles" in message
    assert not (tmp_path / "out.json").exists()


MISTAKES = [
    (["--memory", "8"], "--memory 8: must be from 16 to 2147483648 bytes"),
    (["--memory", "3G"], "must be from 16"),
    (["--memory", "lots"], "--memory lots: write a number of bytes"),
    (["--memory", "64"], "is outside memory; it must be below 64"),
    (["--define", "N"], "--define N: write it as NAME=VALUE"),
    (["--define", "N=1.5"], "--define N=1.5: '1.5' is not an integer; use a whole number"),
    (["--define", "x1=3"], "is the name of a register"),
    (["--define", "n=3"], "'n' is already defined (given from outside); use .default"),
    (["--dump", "y"], "--dump y: write it as PLACE:COUNT"),
    (["--dump", "y:0"], "the count '0' must be an integer, at least 1"),
    (["--dump", "y:x"], "the count 'x' must be an integer"),
    (["--dump", "yy:1"], "unknown symbol 'yy'"),
    (["--dump", "y:1:flot"], "not 'flot'; did you mean 'float'?"),
    (["--dump", "-4:1"], "are outside memory; use addresses"),
    (
        ["--dump", "1048576:1:byte"],
        "bytes 1048576 to 1048576 are outside memory; use addresses below 1048576",
    ),
    (["--rows", "0"], "--rows"),
    (["--rows", "5"], "--rows 5: rows need --timeline; add it"),
    (["--set", "vector_registers=4"], "vector_registers = 4"),
    (["--engine", "nope"], "unknown engine 'nope'"),
]


@pytest.mark.parametrize(("arguments", "reason"), MISTAKES, ids=lambda value: str(value)[:40])
def test_bad_arguments_of_exec(vecsim, program, arguments, reason):
    target = program.parent / "out.json"
    message = vecsim("exec", program, "--json", target, *arguments).mistake()
    assert reason in message
    assert not target.exists()


def test_files_that_are_no_programs(vecsim, program, tmp_path):
    gone = tmp_path / "gone.s"
    for command in ("asm", "exec", "disasm"):
        assert vecsim(command, gone).mistake() == f"{gone}: no such file; check the path"
    assert "is not a vecsim program" in vecsim("disasm", program).mistake()
    binary = tmp_path / "bytes.s"
    binary.write_bytes(b"\xff\xfe\x00")
    assert vecsim("exec", binary).mistake() == (
        f"{binary}: is not text in UTF-8: byte 0xff at offset 0; save it as UTF-8"
    )
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert "is not a vecsim program" in vecsim("exec", other).mistake()
    assert "is the input" in vecsim("asm", program, "-o", program).mistake()
    built = tmp_path / "made.vsx"
    vecsim("asm", program, "-o", built)
    assert "the program is assembled already" in vecsim("exec", built, "--define", "ROUNDS=2").mistake()
