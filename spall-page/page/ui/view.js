// The range of time that is in view. Times are ticks since the start of what is active in the trace, and may have fractions.

const LEAST = 10; // ticks

export class View {
  constructor(first, last) {
    this.first = first; // of the trace
    this.span = Math.max(last - first, 1);
    this.start = first;
    this.duration = this.span;
    this.jumps = 0; // what Backspace takes back, counted
  }

  get end() {
    return this.start + this.duration;
  }

  // Shows this time, within what is sensible: at most a tenth beyond the trace.
  look(start, duration) {
    const most = this.span * 1.2;
    this.duration = Math.min(Math.max(duration, Math.min(LEAST, most)), most);
    this.start = Math.min(Math.max(start, this.first - 0.1 * this.span), this.first + 1.1 * this.span - this.duration);
  }

  // Shows all of a range with a little beside it, and remembers what was in view.
  fit(start, end, margin = 0.05) {
    this.remember();
    const duration = Math.max(end - start, LEAST / 2);
    this.look(start - margin * duration, duration * (1 + 2 * margin));
  }

  // Zooms around the time at `at`, from 0 for the left edge to 1 for the right one.
  zoom(factor, at = 0.5) {
    const fixed = this.start + at * this.duration;
    this.look(this.start, this.duration * factor);
    this.look(fixed - at * this.duration, this.duration);
  }

  // Moves by a part of what is in view.
  pan(part) {
    this.look(this.start + part * this.duration, this.duration);
  }

  remember() {
    this.jumps++;
  }

  // Moves no more than it takes to show a range; zooms in only if it would hardly be seen.
  reveal(start, end) {
    const duration = Math.max(end - start, 1);
    const isSeen = start < this.end && end > this.start;
    if (isSeen && duration > this.duration / 200) return;
    this.remember();
    const wanted = Math.min(this.duration, Math.max(duration * 20, LEAST));
    this.look((start + end) / 2 - wanted / 2, wanted);
  }
}
