# h[x[i]] += 1: the counters of a section are gathered, increased and scattered. Where two elements of the section have
# one counter, both would write the same sum, and one count would be lost.
#
# So each element first writes its number k to the tag of its counter, and reads it back: of those that share a counter
# one finds its own number, the winner. Winners count. The others try again, until there are none: each round counts
# one of every group. Losers do not write: in their place they write to the room behind the counters, a place for
# each k, where nobody meets.
#
# Symbols: N, BINS; the addresses X, H (BINS counters, and room for s behind them), TAG (as many); SECTION_BITS (log2
# of s).

.reg x,     x3
.reg h,     x4
.reg tag,   x5
.reg left,  x6
.reg n,     x7
.reg one,   x8
.reg bytes, x9
.reg behind, x10

.reg bin,   v0
.reg k,     v1          # 0, 1, 2, ...
.reg found, v2
.reg count, v3
.reg where, v4
.reg away,  v5          # a place behind the counters for each k
.reg lost,  v6          # 1 for elements that are still to be counted
.reg zeros, v7
.reg ones,  v8

start:
    li      x, X
    li      h, H
    li      tag, TAG
    li      one, 1
    li      left, N
    li      behind, BINS
    mxf     f0, zero
    li      n, 1 << SECTION_BITS
    setvl   n
    cvi     k, one
    addvs.w away, k, behind
    movvx   zeros, zero
    cvtv.s.w ones, k
    subvv.s ones, ones, ones
    fcvt.s.w f1, one
    addvs.s ones, ones, f1          # 1.0 in each
strip:
    beqz    left, done
    setvl   n, left
    lv.w    bin, (x)
again:
    svi.w   k, (tag), bin           # of those with one counter the last stays
    lvi.w   found, (tag), bin
    lvi.w   count, (h), bin
    seqvv.w found, k                # mask: I am the one
    addvs.w count, count, one
    mergev  where, bin, away        # winners count, others write where nobody looks
    mergev  lost, zeros, ones
    svi.w   count, (h), where
    sumv.s  f2, lost                # how many are left
    mergev  bin, away, bin          # winners are done: from now on they count behind the counters
    fbne.s  f2, f0, again
    slli    bytes, n, 2
    add     x, x, bytes
    sub     left, left, n
    j       strip
done:
    halt
