"""Matrices for the tests of HiSparse, and a plain reader of its pool, byte by byte."""

import struct

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

from gpu.hisparse.container import HiSparse

NODE_SIZES = (4, 8, 16)
VALUES = np.array([1.0, -2.0, 3.0, 0.0, -0.0])


def bits_of(value):
    """Return the bytes of a float, which tell -0.0 from 0.0."""
    return np.asarray(value).tobytes()


@st.composite
def blocked(draw, max_extent=40):
    """Any small matrix with dense places in it, zeros of both signs, both types: nodes of every type."""
    rows, columns = draw(st.integers(1, max_extent)), draw(st.integers(1, max_extent))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    present = rng.random((rows, columns)) < draw(st.sampled_from([0.0, 0.02, 0.2, 0.9, 1.0]))
    for _ in range(draw(st.integers(0, 3))):
        row, column = rng.integers(rows), rng.integers(columns)
        share = draw(st.sampled_from([0.9, 1.0]))
        block = present[row : row + 9, column : column + 9]
        block |= rng.random(block.shape) < share
    row, column = np.nonzero(present)
    choices = np.array([1.0, -2.0, 3.0, 0.0] + [-0.0] * draw(st.booleans()))
    values = rng.choice(choices, len(row)).astype(draw(st.sampled_from([np.float32, np.float64])))
    return scipy.sparse.csr_array((values, (row, column)), shape=(rows, columns))


def read(built):
    """Read the entries of a matrix from the bytes of its pool, by the docstring of the container alone."""
    data, d = built.content.pool.words.tobytes(), built.node_size
    width, code = (4, "f") if built.dtype == np.float32 else (8, "d")
    actual = {}

    def walk(reference, level, row, column):
        kind, at = reference % 4, reference // 4 * 16
        count, references = struct.unpack_from("II", data, at)
        assert references >= 1
        w, slot_code = (width, code) if level == 0 else (4, "I")
        if kind == 0:
            assert data[at + 8 : at + 16] == bytes(8)
            slots = struct.unpack_from(f"{d * d}{slot_code}", data, at + 16)
            absent = bits_of(np.array(-0.0, built.dtype)) if level == 0 else 0
            full = count == d * d
            places = [
                (place // d, place % d, slot)
                for place, slot in enumerate(slots)
                if full or (bits_of(np.array(slot, built.dtype)) if level == 0 else slot) != absent
            ]
            assert len(places) == count
        else:
            x = {1: 1, 2: 2, 3: 4}[kind]
            assert kind == min(count, 3)
            m = -(-count // x) * x
            aligned = min(16, x * w)
            v = -(-(8 + 2 * m) // aligned) * aligned
            coordinates = struct.unpack_from(f"{m}H", data, at + 8)
            slots = struct.unpack_from(f"{m}{slot_code}", data, at + v)
            assert set(coordinates[count:]) <= {coordinates[count - 1]}
            assert not any(slots[count:])
            assert not any(data[at + 8 + 2 * m : at + v])
            assert not any(data[at + v + w * m : -(-(at + v + w * m) // 16) * 16])
            assert list(coordinates[:count]) == sorted(set(coordinates[:count]))
            places = [(c // 256, c % 256, slot) for c, slot in zip(coordinates, slots, strict=True)][:count]
        for r, c, slot in places:
            assert max(r, c) < d
            here = (row * d + r, column * d + c)
            if level == 0:
                assert here not in actual
                actual[here] = slot
            else:
                walk(slot, level - 1, *here)

    if built.content.root:
        walk(built.content.root, built.levels - 1, 0, 0)
    return actual


def assert_stores(built, matrix):
    """Assert that the bytes of a pool hold exactly the entries of a matrix, signs of zeros included."""
    expected = scipy.sparse.coo_array(matrix)
    wanted = {
        (row, column): bits_of(np.float64(value))
        for row, column, value in zip(
            expected.row.tolist(), expected.col.tolist(), expected.data.tolist(), strict=True
        )
    }
    assert {place: bits_of(np.float64(value)) for place, value in read(built).items()} == wanted


def as_dict(matrix):
    coo = scipy.sparse.coo_array(matrix)
    return dict(zip(zip(coo.row.tolist(), coo.col.tolist(), strict=True), coo.data.tolist(), strict=True))


def as_matrix(entries, shape, dtype):
    places = np.array(sorted(entries), dtype=np.int64).reshape(-1, 2)
    values = np.array([entries[tuple(place)] for place in places.tolist()], dtype)
    return scipy.sparse.csr_array((values, (places[:, 0], places[:, 1])), shape=shape)


def levels_in(built):
    """Return type, place and entries of every node."""
    return [
        [each.tolist() for each in (nodes.kinds, nodes.rows, nodes.columns, nodes.counts)]
        for nodes in built.content.nodes
    ]


def assert_as_if_converted(built, entries, dtype):
    """Assert that an edited matrix has these entries, in the very nodes that a conversion would give."""
    content = {(c, r): v for (r, c), v in entries.items()} if built.transposed else entries
    wanted = as_matrix(content, built.content.shape, dtype)
    built.check()
    assert_stores(built, wanted)
    again = HiSparse.from_scipy(wanted, node_size=built.node_size)
    assert levels_in(built) == levels_in(again)
    # Nodes in several places are counted once.
    assert built.storage("image") <= again.storage("image")


def edited_at_random(editor, entries, shape, rng, edits):
    """Edit by batches, and a dictionary alike."""
    for _ in range(edits):
        count = int(rng.integers(1, 12))
        # Half of them within one leaf, so that its type changes.
        extent = np.array(shape if rng.random() < 0.5 else np.minimum(shape, 4))
        rows, columns = rng.integers(0, extent[0], count), rng.integers(0, extent[1], count)
        if entries and rng.random() < 0.5:
            chosen = rng.integers(0, len(entries), count)
            stored = sorted(entries)
            rows, columns = np.array([stored[index] for index in chosen]).T
        places = list(zip(rows.tolist(), columns.tolist(), strict=True))
        values = rng.choice(VALUES, count)
        what = rng.integers(3)
        if what == 0 and all(place in entries for place in places):
            before = len(entries)
            for place in places:
                entries.pop(place, None)
            assert editor.delete(rows, columns) == before - len(entries)
        elif what == 1 and all(place in entries for place in places):
            entries.update(zip(places, values.tolist(), strict=True))
            editor.set(rows, columns, values)
        else:
            before = len(entries)
            entries.update(zip(places, values.tolist(), strict=True))
            assert editor.insert(rows, columns, values) == len(entries) - before
        assert editor.nnz == len(entries)
