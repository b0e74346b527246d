# A[ROW, COLUMN] = VALUE with A in the hierarchical sparse matrix format (HiSM): down from the top, and only the block
# arrays on the way are touched; nothing that belongs to other blocks moves.
#
# At each level the entries of one block array, at most s x s, are looked through, a section at once: LDB loads
# positions, and as entries are sorted, those in front of the wanted one are counted. COLUMN_FIRST says at which levels
# they are sorted by column, then row (in the papers level 1), and not by row, then column.
#
# Where there is no entry, the array is written again with it, to free memory, since behind an array stands the next; and
# the pointer and the length in the array above are changed. Above level 0 the new entry points to new arrays of one
# entry each, one for each level below.
#
# Symbols: LEVELS, ROW, COLUMN, POSITION_BYTES, COLUMN_FIRST (bit l of level l); the addresses TOP (of two words: address and length of the top array),
# VALUE, FREE (where there is room), FOUND (of a word: 1 if the element was there); SECTION_BITS (log2 of s).

.equ LEAF, VALUE_BYTES + 2 * POSITION_BYTES     # bytes of an entry of level 0
.equ ENTRY, 4 + 2 * POSITION_BYTES              # bytes of one above

.reg level,   x3
.reg pointer, x4        # address of the word that points to the array
.reg size,    x5        # address of the word with its length
.reg array,   x6
.reg length,  x7
.reg row,     x8        # position of the element in the array's block
.reg col,     x9
.reg key,     x10       # of the order within the array
.reg at,      x11       # address of the next section
.reg left,    x12       # entries left
.reg place,   x13       # entries in front of the element
.reg n,       x14
.reg less,    x15
.reg half,    x16       # 16
.reg t,       x17
.reg record,  x18       # bytes of an entry of the array
.reg child,   x19       # what the new entry points to
.reg free,    x20
.reg from,    x21
.reg to,      x22
.reg bytes,   x23       # to be copied
.reg s,       x24
.reg one,     x25
.reg shift,   x26
.reg below,   x27       # level of a new array
.reg old,     x28       # address of the old array's lengths
.reg turned,  x29       # 1 if the array is sorted by column, then row

.reg value,   v0
.reg order,   v2        # positions, then what the array is sorted by
.reg wanted,  v3
.reg lower,   v4
.reg before,  v5        # 1.0 in front of the element
.reg zeros,   v6
.reg ones,    v7
.reg words,   v8

start:
    li      t, VALUE
    fl.f    f3, (t)
    li      half, 16
    li      one, 1
    li      s, 1 << SECTION_BITS
    setvl   s
    movvx   zeros, zero
    movvx   ones, zero
    fcvt.s.w f1, one
    addvs.s ones, ones, f1
    li      level, LEVELS - 1
    li      pointer, TOP
    li      size, TOP + 4
    li      free, FREE

descend:
    lw      array, (pointer)
    lw      length, (size)
    mv      below, level
    call    locate                  # row and col in the block of this level
    li      record, LEAF
    beqz    level, records
    li      record, ENTRY
records:
    slli    key, row, 16
    or      key, key, col
    li      turned, COLUMN_FIRST
    srl     turned, turned, level
    andi    turned, turned, 1
    beqz    turned, keyed
    slli    key, col, 16
    or      key, key, row
keyed:
    setvl   s
    movvx   wanted, key
    mv      at, array
    mv      left, length
    li      place, 0
search:
    beqz    left, absent
    beqz    level, leaves
    ldb.w   value, order, (at), left, POSITION_BYTES
    j       loaded
leaves:
    ldb.f   value, order, (at), left, POSITION_BYTES
loaded:
    mfs     n, vl
    beqz    turned, compare
    srlvs.w lower, order, half      # column above row
    sllvs.w order, order, half
    orvv.w  order, order, lower
compare:
    sltvv.w order, wanted
    mergev  before, ones, zeros
    sumv.s  f2, before
    fcvt.w.s less, f2
    add     place, place, less
    beq     less, n, search         # all of the section: go on with the next
    extx    t, order, less
    bne     t, key, absent
    mul     t, place, record        # there is an entry for it
    add     t, t, array
    beqz    level, replace
    mv      pointer, t              # which points to the array of the level below
    mul     size, length, record
    add     size, size, array
    addi    size, size, 15
    andi    size, size, -16
    slli    t, place, 2
    add     size, size, t
    addi    level, level, -1
    j       descend
replace:
    fs.f    f3, (t)
    li      t, FOUND
    sw      one, (t)
    halt

absent:                             # new arrays of one entry, from level 0 up to below this one
    li      below, 0
chain:
    beq     below, level, copy
    call    locate
    mv      array, free
    call    write
    beqz    below, next
    sw      one, (free)             # above level 0 the lengths: one, of 1
    addi    free, free, 16
next:
    mv      child, array
    addi    below, below, 1
    j       chain

# The array with its new entry, to free memory.
copy:
    lw      array, (pointer)
    mul     old, length, record     # where its lengths begin, if it has any
    add     old, old, array
    addi    old, old, 15
    andi    old, old, -16
    mv      from, array
    mv      to, free
    sw      free, (pointer)
    addi    t, length, 1
    sw      t, (size)
    mul     bytes, place, record
    add     array, array, bytes     # of the entries behind
    add     free, free, bytes       # of the new one
    call    move
    mv      below, level
    call    locate
    sub     bytes, length, place
    mul     bytes, bytes, record
    mv      to, free
    add     to, to, record
    mv      from, array
    add     t, to, bytes            # end of the new array
    call    move
    mv      array, t
    call    write                   # over what was copied too far, if anything
    beqz    level, done
    addi    to, array, 15           # the lengths: those in front, 1, those behind
    andi    to, to, -16
    mv      from, old
    slli    bytes, place, 2
    add     old, old, bytes
    add     free, to, bytes
    call    move
    mv      from, old
    addi    to, free, 4
    sub     bytes, length, place
    slli    bytes, bytes, 2
    call    move
    sw      one, (free)
done:
    halt

# locate(below): row and col of the element in its block of a level.
locate:
    li      row, ROW
    li      col, COLUMN
    beqz    below, located
    mv      shift, below
down:                               # one level of bits at a time
    srli    row, row, SECTION_BITS
    srli    col, col, SECTION_BITS
    addi    shift, shift, -1
    bnez    shift, down
located:
    li      shift, (1 << SECTION_BITS) - 1
    and     row, row, shift
    and     col, col, shift
    ret

# write(free, below, row, col, child): an entry of level `below`; free moves on to a multiple of 16 behind it.
write:
    beqz    below, leaf
    sw      child, (free)
    addi    free, free, 4
    j       place_it
leaf:
    fs.f    f3, (free)
    addi    free, free, VALUE_BYTES
place_it:
.if POSITION_BYTES - 1
    sh      col, 0(free)
    sh      row, 2(free)
.else
    sb      col, 0(free)
    sb      row, 1(free)
.endif
    addi    free, free, 2 * POSITION_BYTES + 15
    andi    free, free, -16
    ret

# move(from, to, bytes): copy words, and up to three bytes more. What is written over there is written later.
move:
    addi    left, bytes, 3
    srli    left, left, 2
more:
    beqz    left, moved
    setvl   n, left
    lv.w    words, (from)
    sv.w    words, (to)
    slli    shift, n, 2
    add     from, from, shift
    add     to, to, shift
    sub     left, left, n
    j       more
moved:
    ret
