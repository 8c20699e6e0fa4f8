// A long list, of which only the rows in sight are elements.
import { element, focusedIn, hasFingers } from './dom.js';

const HEIGHT = hasFingers() ? 44 : 24; // of a row, in pixels
const HIGHEST = 12_000_000; // pixels: browsers refuse elements that are much higher
const BESIDE = 5; // rows above and below those in sight

/**
 * The rows in sight of a list, `above` pixels of which are scrolled out of it, and how many pixels further down than its place each
 * row is drawn. A list that would be too high scrolls faster.
 * @param {number} count
 * @param {number} above
 * @param {number} visible
 */
export function inSight(count, above, visible, height = HEIGHT, highest = HIGHEST) {
  const all = count * height, shown = Math.min(all, highest);
  const faster = shown < all ? (all - visible) / (shown - visible) : 1;
  const scrolled = Math.max(above, 0) * faster;
  const from = Math.max(Math.floor(scrolled / height) - BESIDE, 0);
  const until = Math.min(Math.ceil((scrolled + visible) / height) + BESIDE, count);
  return { from: Math.min(from, until), until, shift: Math.max(above, 0) - scrolled, scrolled, faster, shown };
}

// Puts a list into `place`, behind other parts. `scroller` is what scrolls it, and `row(at)` makes the element of a row. What has the
// focus keeps it while rows are made anew, by its `data-key`. Returns what makes them anew, and what brings a row into sight.
/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} place
 * @param {number} count
 * @param {(at: number) => HTMLElement} row
 * @param {(Node | string)[]} before
 */
export function longList(scroller, place, count, row, ...before) {
  const list = element('div', { className: 'long' });
  const seen = () => inSight(count, scroller.getBoundingClientRect().top - list.getBoundingClientRect().top, scroller.clientHeight);
  list.style.height = `${Math.min(count * HEIGHT, HIGHEST)}px`;
  const focused = () => focusedIn(scroller)?.dataset.key;
  const update = (key = focused()) => {
    const { from, until, shift } = seen();
    const rows = [];
    for (let at = from; at < until; at++) {
      const made = row(at);
      made.style.top = `${at * HEIGHT + shift}px`;
      rows.push(made);
    }
    list.replaceChildren(...rows);
    if (key) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
  };
  /**
   * Scrolls until a row is below what stays in sight at the top, and above the lower edge.
   * @param {number} at
   * @param {number} top
   */
  const reveal = (at, top = 0) => {
    const { scrolled, faster } = seen(), { clientHeight } = scroller;
    const down = (at + 1) * HEIGHT - (scrolled + clientHeight), up = at * HEIGHT - top - scrolled;
    if (up < 0 || down > 0) scroller.scrollTop += (up < 0 ? up : down) / faster;
    update();
  };
  scroller.onscroll = () => { if (list.isConnected) update(); };
  const key = focused();
  place.replaceChildren(...before, list);
  update(key);
  return { list, update, reveal };
}
