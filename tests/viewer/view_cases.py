"""Small runs for the page, and its data read back."""

import base64
import gzip
import json
import re

import numpy as np

from isa.assembler import assemble
from vecsim.engines.running import ENGINES
from vecsim.machine import load_machine
from vecsim.traces import WHOLE
from vecsim.viewer import Piece, Subject, page_of, record

KERNEL = """
.reg count, x31
.reg values, v1
        li      count, 24
        setvl   count
        lv.w    v3, 2048(x0)
loop:   lv.w    values, 1028(x0)
        mulvv.s v2, values, values
        sumv.s  f1, v2
        addvv.w v3, v3, v3
        sv.w    v3, 4096(x0)
        addi    count, count, -12
        setvl   count
        bnez    count, loop
        halt
"""
NUMPY = {"Uint8Array": "u1", "Uint16Array": "<u2", "Uint32Array": "<u4", "Int8Array": "i1"}
NUMPY |= {"Int32Array": "<i4", "Float64Array": "<f8"}


def kernel(*changes, name="kernel"):
    memory = np.zeros(8192, np.uint8)
    memory[1028 : 1028 + 96] = np.frombuffer(np.arange(24, dtype=np.float32).tobytes(), np.uint8)
    memory[2048 : 2048 + 96] = np.frombuffer(np.arange(24, dtype=np.int32).tobytes(), np.uint8)
    program, machine = assemble(KERNEL, file="kernel.s"), load_machine("vs2003", changes)
    return Subject(name, program, memory, machine, 4, (Piece("out", 4096, 6, "word"),))


def doubles():
    """Return a program that computes in 64 bits."""
    text = "li x1, 3\nsetvl x1\nlv.d v1, 64(zero)\nmulvv.d v2, v1, v1\nsv.d v2, 128(zero)\nfl.d f1, 72(zero)"
    memory = np.zeros(256, np.uint8)
    memory[64:88] = np.frombuffer(np.array([0.1, -2.5, 1e300]).tobytes(), np.uint8)
    piece = Piece("squares", 128, 2, "double")
    return Subject("doubles", assemble(f"{text}\nhalt"), memory, load_machine("t0"), 8, (piece,))


def recorded(subject, engine="simpy", window=WHOLE):
    assert engine in ENGINES
    return record(subject, engine=engine, window=window)


def page(*runs):
    return page_of(runs, "a page of <runs>", {"command": ["none", "</script>"]})


def read_page(text):
    """Return the document of a page, and the columns of each run."""
    document = json.loads(
        re.search(r'<script type="application/json" id="document">(.*?)</script>', text, re.S)[1]
    )
    actual = []
    for number, run in enumerate(document["runs"]):
        block = re.search(rf'id="block{number}">(.*?)</script>', text, re.S)[1]
        content = gzip.decompress(base64.b64decode(block))
        actual.append(
            {
                name: np.frombuffer(content, NUMPY[place["type"]], place["length"], place["at"])
                for name, place in run["columns"].items()
            }
        )
    return document, actual
