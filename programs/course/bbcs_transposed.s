# y = A^T x with A in block based compression storage (BBCS): a block column of A, as wide as a section, has s elements
# of y. They stay in a register while its entries pass by: nothing of y is gathered or scattered.
#
# LDS gives a section of entries: values, columns with the flag "ends its row", and the rows touched, whose elements of
# x are gathered. MIPA multiplies by columns and adds to rows; here rows multiply and columns are added to. BMIPA can,
# with positions of our own making: the column where it expects a row, and as a column the number of the entry's row
# among the rows touched. That number is the count of row ends in front of the entry: a prefix sum of the flags, made in
# log2(s) steps, each of which stores the sums and loads them shifted. A machine with an instruction for it, or with a
# transposed MIPA, would spare them. Entries that count empty rows get the value 0.
#
# Symbols: BLOCKS, BLOCKPTR, BLOCKLEN, X, Y (room for whole sections), SUMS (s words, 0 in front of word s, and s more),
# VALUE_SHIFT, SECTION_BITS (log2 of s).

.reg blocks,  x3        # block columns left
.reg blockptr, x4
.reg blocklen_, x5
.reg entry,   x6        # address of the next entry
.reg left,    x7        # entries of the block column left
.reg x,       x8
.reg y,       x9        # address of the block column's elements of y
.reg entries, x10       # entries of this section
.reg rows,    x11       # rows that they touch
.reg s,       x12
.reg ybytes,  x13
.reg sums,    x14       # address of word s of SUMS
.reg flag,    x15       # 16: the place of the flag "ends its row"
.reg one,     x16

.reg value,   v0        # a section
.reg place,   v1        # column and flags
.reg row,     v2        # rows touched
.reg xs,      v3        # their elements of x
.reg ys,      v4        # s elements of y
.reg count,   v5        # row ends up to the entry
.reg shifted, v6
.reg position, v7
.reg zeros,   v8
.reg ends,    v9

start:
    li      s, 1 << SECTION_BITS
    slli    ybytes, s, VALUE_SHIFT
    li      blocks, BLOCKS
    li      blockptr, BLOCKPTR
    li      blocklen_, BLOCKLEN
    li      x, X
    li      y, Y
    li      sums, SUMS + (4 << SECTION_BITS)
    li      flag, 16
    li      one, 1
column:
    beqz    blocks, done
    addi    blocks, blocks, -1
    lw      entry, (blockptr)
    lw      left, (blocklen_)
    addi    blockptr, blockptr, 4
    addi    blocklen_, blocklen_, 4
    setvl   s
    movvx   ys, zero
    movvx   zeros, zero
    movvx   xs, zero
    mts     blocklen, left
    mts     rowptr, zero
section:
    beqz    left, put
    lds.f   value, place, row, (entry)
    mfs     entries, vl
    mfs     rows, rowcount
    setvl   rows
    lvi.f   xs, (x), row            # the elements of x of the rows touched
    setvl   entries
    srlvs.w shifted, place, flag
    andvs.w ends, shifted, one      # 1 where a row ends
    srlvs.w shifted, shifted, one   # 1 where the value counts empty rows
    seqvv.w shifted, zeros
    mergev  value, value, zeros
    movv    count, ends             # sums of 1, 2, 4, ... flags
    sv.w    count, (sums)
    lv.w    shifted, -4(sums)
    addvv.w count, count, shifted
    sv.w    count, (sums)
    lv.w    shifted, -8(sums)
    addvv.w count, count, shifted
.if SECTION_BITS / 3
    sv.w    count, (sums)
    lv.w    shifted, -16(sums)
    addvv.w count, count, shifted
.endif
.if SECTION_BITS / 4
    sv.w    count, (sums)
    lv.w    shifted, -32(sums)
    addvv.w count, count, shifted
.endif
.if SECTION_BITS / 5
    sv.w    count, (sums)
    lv.w    shifted, -64(sums)
    addvv.w count, count, shifted
.endif
.if SECTION_BITS / 6
    sv.w    count, (sums)
    lv.w    shifted, -128(sums)
    addvv.w count, count, shifted
.endif
.if SECTION_BITS / 7
    sv.w    count, (sums)
    lv.w    shifted, -256(sums)
    addvv.w count, count, shifted
.endif
.if SECTION_BITS / 8
    sv.w    count, (sums)
    lv.w    shifted, -512(sums)
    addvv.w count, count, shifted
.endif
    subvv.w count, count, ends      # row ends in front of the entry
    sllvs.w position, place, flag   # its column where BMIPA expects a row
    orvv.w  position, position, count
    bmipa.f ys, xs, value, position
    mfs     left, blocklen
    j       section
put:
    setvl   s
    sv.f    ys, (y)
    add     y, y, ybytes
    j       column
done:
    halt
