import pytest

from docs.plain_english import INSTEAD, complaints


def of(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return list(complaints(path))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.md", "One.\n\nThe cycles are charged to it.\n", [(3, "'charged'")]),
        ("a.md", "Two `charged` and\n\n```\ncharged\n```\n", []),
        ("a.md", "A port, else a bank.\n", [(1, "'else'")]),
        ("a.md", "What else is there, if nothing else?\n", []),
        ("a.md", "A house behind it. <!-- plain: a house -->\n", []),
        ("a.md", "word " * 36 + ".\n", [(1, "a sentence of 36 words")]),
        ("a.md", ("word " * 30 + ". ") * 2 + "\n", []),
        ("a.py", '"""Give a number."""\n', [(1, "'Give'")]),
        (
            "a.py",
            '"""A number."""\n\n\ndef f():\n    """Say what\n    it was told."""\n',
            [(5, "'Say'"), (6, "'told'")],
        ),
        ("a.py", "x = 1  # as told before\n", [(1, "'told'")]),
        ("a.py", "def f(told): return x.found\n", [(1, "the name 'told'"), (1, "the name 'found'")]),
        ("a.py", 'x = f"{y} is told"\n', [(1, "'told'")]),
        ("a.py", 'x = "told"\n', []),
        ("a.py", "x = 1  # told  # plain: a name\n", []),
    ],
)
def test_what_is_wrong_is_printed_with_its_line(tmp_path, name, text, expected):
    actual = of(tmp_path, name, text)
    assert len(actual) == len(expected)
    for (line, what), (expected_line, begin) in zip(actual, expected, strict=True):
        assert line == expected_line
        assert what.startswith(begin)


def test_the_list_stays_short():
    assert len(INSTEAD) <= 60
