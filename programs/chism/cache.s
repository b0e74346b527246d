# The vector cache moved to and from the elements of y at yseg, as options transfer and cache say. It is included by the
# schedules of CHiSM.

store_cache:
.if STORE_ROWS
    li      slots, Y + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    sub     slots, slots, yseg
    srli    slots, slots, VALUE_SHIFT
    blt     slots, all, store_slots
.endif
    mv      slots, all
store_slots:
    li      slot, 0
.if ONE_STREAM
    stc.f   slot, (yseg), slots
.else
    mv      t, yseg
store_part:
    stc.f   slot, (t), count
    add     t, t, bytes
    add     slot, slot, count
    blt     slot, slots, store_part
.endif
    ret
load_cache:
.if LOAD_ROWS
    li      slots, Y + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    sub     slots, slots, yseg
    srli    slots, slots, VALUE_SHIFT
    blt     slots, all, load_slots
.endif
    mv      slots, all
load_slots:
    li      slot, 0
.if ONE_STREAM
    ldc.f   slot, (yseg), slots
.else
    mv      t, yseg
load_part:
    ldc.f   slot, (t), count
    add     t, t, bytes
    add     slot, slot, count
    blt     slot, slots, load_part
.endif
    ret
