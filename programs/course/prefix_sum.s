# z[i] = x[0] + ... + x[i] of whole numbers: each sum needs the one before, and yet s of them go side by side.
#
# The array is seen as s chunks of L = N / s elements, chunk after chunk. Element k of a register walks down chunk k:
# L loads with the stride of a chunk add up s sums at once. Then the sums of whole chunks are added one after the
# other, s scalar steps, so that each chunk knows what stands in front of it; and a second walk writes the sums. What is
# left over behind the s chunks, fewer than s elements, goes one by one.
#
# A stride that is a multiple of the banks would send all elements of a vector to one bank: chunks then are one
# element shorter, and more is left over.
#
# Symbols: N; the addresses X, Z; SECTION_BITS (log2 of s).

.equ S, 1 << SECTION_BITS
.equ WHOLE, N >> SECTION_BITS
.equ ODD, WHOLE & 1
.equ CHUNK, WHOLE - 1 + ODD + 1 / (1 + WHOLE) # elements of a chunk: odd, or 0 of a short array

.reg x,     x3
.reg z,     x4
.reg step,  x5          # bytes of a chunk
.reg left,  x6
.reg s,     x7
.reg sum,   x8
.reg k,     x9
.reg part,  x10
.reg stop,  x11

.reg value, v0
.reg next,  v1
.reg sums,  v2
.reg before, v3         # what stands in front of each chunk

start:
    li      s, S
    li      sum, 0
.if CHUNK
    setvl   s
    li      step, 4 * CHUNK
    li      x, X
    li      left, CHUNK
    movvx   sums, zero
add_up:                             # the sum of each chunk
    lvws.w  value, (x), step
    addi    x, x, 4
    addi    left, left, -1
    addvv.w sums, sums, value
    bnez    left, add_up

    li      k, 0
chunks:                             # what stands in front of each: one after the other
    extx    part, sums, k
    insx    before, sum, k
    addi    k, k, 1
    add     sum, sum, part
    blt     k, s, chunks

    li      x, X
    li      z, Z
    li      left, CHUNK
write:
    lvws.w  next, (x), step
    addi    x, x, 4
    addi    left, left, -1
    addvv.w before, before, next
    svws.w  before, (z), step
    addi    z, z, 4
    bnez    left, write
.endif

    li      x, X + 4 * CHUNK * S    # what is left over
    li      z, Z + 4 * CHUNK * S
    li      stop, X + 4 * N
    beq     x, stop, done
rest:
    lw      part, (x)
    addi    x, x, 4
    add     sum, sum, part
    sw      sum, (z)
    addi    z, z, 4
    bne     x, stop, rest
done:
    halt
