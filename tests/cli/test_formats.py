"""``vecsim formats``: bytes of a matrix in every format, and what a format refuses."""

import json

from gpu.format_registry import FORMATS


def test_formats_of_a_matrix_whose_bytes_can_be_counted(vecsim, matrix):
    # 5 x 4 with 6 entries; CRS: 6 values, 6 indices, 6 pointers of 4 bytes each.
    document = json.loads(vecsim("formats", matrix, "--section-size", 4, "--json", "-").out)
    assert document["formats"]["crs"]["bytes"] == {"paper": 8 * 6 + 8 * 5, "image": 4 * (6 + 6 + 6)}
    # 5 rows at s = 4: two block arrays, with five entries and one, below one array of two pointers.
    assert document["formats"]["hism"]["level_arrays"] == [2, 1]
    assert document["formats"]["hism"]["level_entries"] == [6, 2]
    assert document["formats"]["jd"]["diagonals"] == 2
    # Row 3 is empty in the one block column, and stands before row 4.
    assert document["formats"]["bbcs"]["block_columns"] == 1
    assert document["formats"]["bbcs"]["entries"] == 7
    # Every format of the registry, with what it says of each. One slice of 32 rows, two entries wide.
    assert list(document["formats"]) == list(FORMATS)
    sliced = document["formats"]["sliced-ell"]
    assert sliced["bytes"] == {"image": 2 * 32 * (4 + 4) + 2 * 4 + 4}
    assert sliced["bytes_per_nonzero"] == {"image": 524 / 6}
    assert sliced["bytes_over_crs"] == {"image": 524 / 72}
    assert (sliced["image"], sliced["insertion"], sliced["for_gpu"]) == (False, False, True)
    assert sliced["source"] == FORMATS["sliced-ell"].source


def test_formats_as_a_table(vecsim, matrix):
    out = vecsim("formats", matrix, "--value-bits", 64).out
    assert out.startswith("tiny: 5 x 4, 6 non-zeros; section size 64; 64-bit values\n")
    by_paper, in_memory = (
        {line.split()[0]: line.split()[1:] for line in part.split("\n\n")[0].splitlines()}
        for part in out.split("─\n")[1:]
    )
    assert list(by_paper) == ["crs", "jd", "bbcs", "hism"]
    assert by_paper["crs"] == ["88", "14.67", "1.000"]
    assert list(in_memory) == list(FORMATS)
    assert in_memory["crs"] == ["96", "16.00", "1.000", *FORMATS["crs"].summary.split()]
    assert "bbcs: 1 block column, 7 entries, 1 of them for empty rows" in out
    assert "hism: level 0: 1 block array, 6 non-zeros, 6.0 an array" in out
    assert "hisparse: level 0: 1 node, 0 of them dense, 6 non-zeros, 6.0 a node" in out


def test_an_unknown_format(vecsim, matrix):
    message = vecsim("formats", matrix, "--format", "hsm").mistake()
    assert message.startswith("unknown format 'hsm'; use one of crs, jd, ")
    assert message.endswith("; did you mean 'hism'?")
