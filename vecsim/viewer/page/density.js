"use strict";

/* How busy a track is in any stretch of time, from sums that are made once: the far view draws columns of
   pixels, each of as many instructions as there are. */

class Density {
  constructor(track) {
    const { run, members } = track, n = members.length, causes = run.causes.length;
    const { start, worked, busy, waits } = run.at;
    this.causes = causes;
    this.issues = track.issues;
    this.starts = new Float64Array(n);
    this.ends = new Float64Array(n);
    this.sums = new Float64Array(n + 1);
    this.waits = new Float64Array((n + 1) * causes);
    members.forEach((k, i) => {
      this.starts[i] = run.inUnit(k) ? start[k] : run.at.issue[k];
      this.ends[i] = run.inUnit(k) ? worked[k] : run.at.issue[k] + 1;
      this.sums[i + 1] = this.sums[i] + (run.inUnit(k) ? busy[k] : 1);
      for (let c = 0; c < causes; c += 1) {
        this.waits[(i + 1) * causes + c] = this.waits[i * causes + c] + waits[k * causes + c];
      }
    });
  }

  /** Give the cycles of work that are done before a cycle; inside an instruction they are spread evenly. */
  workBefore(cycle) {
    const i = firstAbove(this.starts, cycle) - 1;
    if (i < 0) return 0;
    const lasts = this.ends[i] - this.starts[i];
    const share = lasts > 0 ? Math.min(1, (cycle - this.starts[i]) / lasts) : 1;
    return this.sums[i] + share * (this.sums[i + 1] - this.sums[i]);
  }

  /** Give the cause that instructions issued between two cycles waited for longest, as a number; -1: none. */
  cause(from, to) {
    const low = firstAbove(this.issues, from - 1) * this.causes;
    const high = firstAbove(this.issues, to - 1) * this.causes;
    let found = -1, most = 0;
    for (let c = 0; c < this.causes; c += 1) {
      const cycles = this.waits[high + c] - this.waits[low + c];
      if (cycles > most) [found, most] = [c, cycles];
    }
    return found;
  }
}
