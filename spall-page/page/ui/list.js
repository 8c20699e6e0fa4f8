// A long list, of which only the rows in sight are elements.
import { element, focusedIn, hasFingers } from './dom.js';

const HEIGHT = hasFingers() ? 44 : 24; // of a row, in pixels

// Puts a list into `place`, behind other parts. `scroller` is what scrolls it, and `row(at)` makes the element of a row.
// What has the focus keeps it while rows are made anew, by its `data-key`.
/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} place
 * @param {number} count
 * @param {(at: number) => HTMLElement} row
 * @param {(Node | string)[]} before
 */
export function longList(scroller, place, count, row, ...before) {
  const list = element('div', { className: 'long' });
  list.style.height = `${count * HEIGHT}px`;
  const focused = () => focusedIn(scroller)?.dataset.key;
  const update = (key = focused()) => {
    const above = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
    const from = Math.max(Math.floor(above / HEIGHT) - 5, 0);
    const until = Math.min(Math.ceil((above + scroller.clientHeight) / HEIGHT) + 5, count);
    const rows = [];
    for (let at = from; at < until; at++) {
      const made = row(at);
      made.style.top = `${at * HEIGHT}px`;
      rows.push(made);
    }
    list.replaceChildren(...rows);
    if (key) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
  };
  scroller.onscroll = () => { if (list.isConnected) update(); };
  const key = focused();
  place.replaceChildren(...before, list);
  update(key);
}
