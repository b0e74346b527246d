"use strict";

/* Which cycles are seen: one stretch of time for all runs of the page. */

class Scale {
  constructor(begin, end) {
    this.whole = [begin, Math.max(end, begin + 10)];
    [this.from, this.to] = this.whole;
    this.watchers = [];
  }

  get span() { return this.to - this.from; }

  show(from, to) {
    const [begin, end] = this.whole, most = end - begin;
    const span = Math.min(Math.max(to - from, 10), most * 1.04);
    let left = from + (to - from - span) / 2;
    left = Math.min(Math.max(left, begin - most * 0.02), end + most * 0.02 - span);
    this.from = left;
    this.to = left + span;
    for (const watcher of this.watchers) watcher();
  }

  /** Zoom by a factor around a cycle that stays where it is. */
  zoom(factor, around = (this.from + this.to) / 2) {
    const span = Math.min(Math.max(this.span * factor, 10), (this.whole[1] - this.whole[0]) * 1.04);
    const share = (around - this.from) / this.span;
    this.show(around - share * span, around - share * span + span);
  }

  pan(cycles) { this.show(this.from + cycles, this.to + cycles); }

  /** Bring a cycle into sight, without a change if it is there. */
  reveal(begin, end) {
    if (begin >= this.from && end <= this.to) return;
    const span = Math.max(this.span, (end - begin) * 1.5), middle = (begin + end) / 2;
    this.show(middle - span / 2, middle + span / 2);
  }

  /** Give round numbers of cycles for some ticks, at most one every so many pixels. */
  ticks(width, apart = 90) {
    const least = Math.max(1, this.span * apart / width), power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((many) => many * power).find((each) => each >= least);
    const found = [];
    for (let tick = Math.ceil(Math.max(0, this.from) / step) * step; tick <= this.to; tick += step) found.push(tick);
    return found;
  }
}
