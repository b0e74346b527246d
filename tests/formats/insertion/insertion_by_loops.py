"""Insertion by plain loops over Python lists, which count every step when they take it."""

from dataclasses import dataclass


@dataclass(eq=False)
class Item:
    """A stored item; known by its identity wherever it moves."""

    key: object
    content: object = None


@dataclass
class Count:
    """Steps so far; as `vecsim.formats.insertion.Steps`."""

    comparisons: int = 0
    displacements: int = 0
    later: int = 0
    updates: int = 0


def moved(before, after):
    """Count the items of a list that stand elsewhere in another."""
    place = {id(item): index for index, item in enumerate(after)}
    return sum(place[id(item)] != index for index, item in enumerate(before) if id(item) in place)


def insert_into_crs(crs, row, column):
    """Return the steps of the one part."""
    count = Count()
    rowptr, items = crs.rowptr.tolist(), [Item(c) for c in crs.colidx.tolist()]
    place, end = rowptr[row], rowptr[row + 1]
    while place < end:
        count.comparisons += 1
        if items[place].key >= column:
            break
        place += 1
    if place < end and items[place].key == column:
        return [count]
    items.append(None)
    for free in range(len(items) - 1, place, -1):
        items[free] = items[free - 1]
        if free - 1 < end:
            count.displacements += 1
        else:
            count.later += 1
    for later in range(row + 1, len(rowptr)):
        rowptr[later] += 1
        count.updates += 1
    return [count]


def insert_into_jd(jd, row, column, keep_order=True):
    """Return the steps in the permutation and in the diagonals."""
    permutation, diagonals = Count(), Count()
    rows = [Item(number, []) for number in jd.perm.tolist()]
    for d in range(jd.diagonals):
        for position in range(jd.diag_ptr[d], jd.diag_ptr[d + 1]):
            rows[position - jd.diag_ptr[d]].content.append(Item(jd.colidx[position]))
    old_rows, old_places, old_flat, old_pointers = rows[:], *jd_places(rows)

    position = 0
    while True:
        permutation.comparisons += 1
        if rows[position].key == row:
            break
        position += 1
    own = rows[position].content
    left = 0
    while left < len(own):
        diagonals.comparisons += 1
        if own[left].key >= column:
            break
        left += 1
    if left < len(own) and own[left].key == column:
        return [permutation, diagonals]

    length = len(own)
    new = Item(column)
    if keep_order:
        place = sum(len(r.content) > length for r in rows)
        while place > 0 and len(rows[place - 1].content) == length + 1:
            permutation.comparisons += 1
            if rows[place - 1].key < row:
                break
            place -= 1
        rows.insert(place, rows.pop(position))
    else:
        first = next(i for i, r in enumerate(rows) if len(r.content) == length)
        rows[first], rows[position] = rows[position], rows[first]
    own.insert(left, new)

    places, flat, pointers = jd_places(rows)
    permutation.displacements = moved(old_rows, rows)
    for item, place in old_places.items():
        diagonals.displacements += places[item] != place
        diagonals.later += places[item] == place and flat[item] != old_flat[item]
    diagonals.updates = sum(a != b for a, b in zip(old_pointers, pointers, strict=False))
    return [permutation, diagonals]


def jd_places(rows):
    """Return diagonal and position of each item, its place in all of them, and where diagonals begin."""
    places, flat, pointers = {}, {}, [0]
    for d in range(max((len(r.content) for r in rows), default=0)):
        in_diagonal = [r.content[d] for r in rows if len(r.content) > d]
        for position, item in enumerate(in_diagonal):
            places[item], flat[item] = (d, position), pointers[-1] + position
        pointers.append(pointers[-1] + len(in_diagonal))
    return places, flat, pointers


def insert_into_bbcs(bbcs, row, column):
    """Return the steps of the one part, and the block column as (zero rows, column, end of row)."""
    count = Count()
    block, column = divmod(column, bbcs.section_size)
    entries = [
        Item((int(bbcs.column[e]), bool(bbcs.end_of_row[e])), int(bbcs.zero_rows[e]))
        for e in range(bbcs.block_ptr[block], bbcs.block_ptr[block + 1])
    ]
    old, contents = entries[:], {item: (item.key, item.content) for item in entries}
    at, place, replaced = 0, 0, False
    while place < len(entries):
        entry = entries[place]
        count.comparisons += 1
        if entry.content:
            if at + entry.content > row:
                split_run(entries, place, row - at, column)
                break
            at += entry.content
        else:
            stored, ends = entry.key
            if at == row and stored == column:
                replaced = True
                break
            if at == row and stored > column:
                entries.insert(place, Item((column, False), 0))
                break
            if at == row and ends:
                entry.key = (stored, False)
                entries.insert(place + 1, Item((column, True), 0))
                break
            at += ends
        place += 1
    else:
        if row > at:
            entries.append(Item((0, False), row - at))
        entries.append(Item((column, True), 0))
    if not replaced:
        count.displacements = moved(old, entries)
        changed = [item for item in old if item in entries and contents[item] != (item.key, item.content)]
        count.updates = len(changed) + (len(entries) != len(old))
    return [count], [(item.content, *item.key) for item in entries]


def split_run(entries, place, above, column):
    """Put an element into a run of empty rows, below `above` of them."""
    run, new = entries[place], Item((column, True), 0)
    below = run.content - above - 1
    if above == 0 and below == 0:
        entries[place] = new
    elif above == 0:
        run.content = below
        entries.insert(place, new)
    else:
        run.content = above
        entries.insert(place + 1, new)
        if below:
            entries.insert(place + 2, Item((0, False), below))


def insert_into_hism(hism, row, column):
    """Return the steps on each level, level 0 first."""
    counts = [Count() for _ in hism.levels]

    def rank(level, item_row, item_column):
        return (item_row, item_column) if hism.order[level] == "row" else (item_column, item_row)

    def array(level, index):
        low = hism.levels[level]
        entries = range(low.array_ptr[index], low.array_ptr[index + 1])
        return [Item(rank(level, int(low.row[e]), int(low.column[e])), e) for e in entries]

    index = 0
    for level in reversed(range(len(hism.levels))):
        size = hism.section_size**level
        wanted = rank(level, row // size % hism.section_size, column // size % hism.section_size)
        items = array(level, index)
        place = 0
        while place < len(items):
            counts[level].comparisons += 1
            if items[place].key >= wanted:
                break
            place += 1
        if place < len(items) and items[place].key == wanted:
            index = items[place].content
            continue
        counts[level].displacements = moved(items, [*items[:place], Item(wanted), *items[place:]])
        counts[level].updates = 1
        break
    return counts
