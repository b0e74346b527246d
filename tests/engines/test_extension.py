"""The code of docs/extending.md runs as it stands there, and does what it says."""

import re
from pathlib import Path

import numpy as np

from isa.disassembler import disassemble

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"


def test_the_code_of_the_page(capsys):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    result = names["result"]
    np.testing.assert_array_equal(result.state.memory[2048:2064].view(np.float32), [1, 2, 3, 4])
    assert str(result.cycles) in capsys.readouterr().out
    assert "absv.s v2, v1" in disassemble(names["program"])
