// The range of time that is in view. It moves by itself while somebody drags or turns a wheel; how far it may, the engine says.
// Times are ticks since the start of what is active in the trace, and may have fractions.

/**
 * @typedef {{ start: number, end: number }} Times
 * @typedef {Times & { durations: [number, number] }} Bounds where the trace starts and ends, and the shortest and longest time in view
 */

export class View {
  /** @param {Bounds} bounds */
  constructor({ start, end, durations }) {
    this.bounds = { start, end };
    this.durations = durations;
    this.start = start;
    this.duration = Math.max(end - start, 1);
    this.known = this.range; // what the engine has in view, as far as it is known
  }

  /**
   * A trace has grown.
   * @param {Bounds} bounds
   */
  reach({ start, end, durations }) {
    this.bounds = { start, end };
    this.durations = durations;
  }

  get end() {
    return this.start + this.duration;
  }

  // The whole ticks that are in view.
  get range() {
    return { start: Math.round(this.start), end: Math.max(Math.round(this.end), Math.round(this.start) + 1) };
  }

  // Whether it has moved by itself since the engine has said what is in view.
  get isMoved() {
    return !isSame(this.range, this.known);
  }

  /**
   * Takes over what the engine has in view after it was told that this was `before`. What has moved since then stays, unless the
   * engine shows something else.
   * @param {Times} now
   * @param {Times} before
   */
  take(now, before) {
    this.known = now;
    if (!isSame(now, before)) Object.assign(this, { start: now.start, duration: now.end - now.start });
  }

  /**
   * Moves as the engine does in a trace that grows, unless it has moved by itself.
   * @param {Times} now
   */
  follow(now) {
    this.take(now, this.isMoved ? now : this.known);
  }

  /**
   * Shows this time, as far as it is allowed.
   * @param {number} start
   * @param {number} duration
   */
  look(start, duration) {
    const [least, most] = this.durations, { bounds } = this;
    this.duration = Math.min(Math.max(duration, least), most);
    const half = this.duration / 2;
    this.start = Math.min(Math.max(start + half, bounds.start), bounds.end) - half;
  }

  /**
   * Zooms around the time at `at`, from 0 for the left edge to 1 for the right one.
   * @param {number} factor
   */
  zoom(factor, at = 0.5) {
    const fixed = this.start + at * this.duration, [least, most] = this.durations;
    const duration = Math.min(Math.max(this.duration * factor, least), most);
    this.look(fixed - at * duration, duration);
  }

  /**
   * Moves by a part of what is in view.
   * @param {number} part
   */
  pan(part) {
    this.look(this.start + part * this.duration, this.duration);
  }
}

/**
 * @param {Times} one
 * @param {Times} other
 */
function isSame(one, other) {
  return one.start === other.start && one.end === other.end;
}
