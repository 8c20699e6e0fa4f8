// A long list, of which only the rows in sight are elements.
import { element, focusedIn, hasFingers } from './dom.js';

const HEIGHT = hasFingers() ? 44 : 24; // of a row, in pixels
const MOST = 8e6; // pixels of a list: browsers cut what is much higher

/**
 * The rows in sight of a list that is scrolled down by some pixels: the first and the one behind the last, and the top of each.
 * In a list of so many rows that they are higher than `MOST` together, scrolling goes past more of them than move.
 * @param {number} count
 * @param {number} above the pixels above the part in sight
 * @param {number} room the pixels of that part
 * @param {number} [most]
 */
export function rowsIn(count, above, room, row = HEIGHT, most = MOST) {
  const all = count * row, height = Math.min(all, most);
  const past = height > room ? (above / (height - room)) * (all - room) : above;
  const from = Math.max(Math.floor(past / row) - 5, 0), until = Math.min(Math.ceil((past + room) / row) + 5, count);
  return { height, from, until, top: (/** @type {number} */ at) => at * row - past + above };
}

/**
 * How far a list is scrolled down when a row is in the middle of the part in sight.
 * @param {number} count
 * @param {number} at
 * @param {number} room
 */
export function scrolledTo(count, at, room, row = HEIGHT, most = MOST) {
  const all = count * row, height = Math.min(all, most);
  const past = Math.min(Math.max((at + 0.5) * row - room / 2, 0), Math.max(all - room, 0));
  return height > room ? (past / (all - room)) * (height - room) : 0;
}

// Puts a list into `place`, behind other parts. `scroller` is what scrolls it, and `row(at)` makes the element of a row.
// What has the focus keeps it while rows are made anew, by its `data-key`. Returns what makes the rows in sight anew.
/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} place
 * @param {number} count
 * @param {(at: number) => HTMLElement} row
 * @param {(Node | string)[]} before
 */
export function longList(scroller, place, count, row, ...before) {
  const list = element('div', { className: 'long' });
  list.style.height = `${rowsIn(count, 0, scroller.clientHeight).height}px`;
  const focused = () => focusedIn(scroller)?.dataset.key;
  const update = (key = focused()) => {
    const above = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
    const { from, until, top } = rowsIn(count, above, scroller.clientHeight);
    const rows = [];
    for (let at = from; at < until; at++) {
      const made = row(at);
      made.style.top = `${top(at)}px`;
      rows.push(made);
    }
    list.replaceChildren(...rows);
    if (key) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
  };
  scroller.onscroll = () => { if (list.isConnected) update(); };
  const key = focused();
  place.replaceChildren(...before, list);
  update(key);
  return () => update();
}
