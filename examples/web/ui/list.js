// A long list, of which only the rows in sight are elements.
import { element } from './dom.js';

// `scroller` is what scrolls it, `row(at)` makes the element of a row, and all rows are `height` pixels high.
export function longList(scroller, count, height, row) {
  const list = element('div', { className: 'long' });
  list.style.height = `${count * height}px`;
  // What has the focus keeps it while rows are made anew. `key` is its `data-key`.
  const update = (key = list.getRootNode().activeElement?.dataset?.key) => {
    const above = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
    const from = Math.max(Math.floor(above / height) - 5, 0);
    const until = Math.min(Math.ceil((above + scroller.clientHeight) / height) + 5, count);
    const rows = [];
    for (let at = from; at < until; at++) {
      const made = row(at);
      made.style.top = `${at * height}px`;
      rows.push(made);
    }
    list.replaceChildren(...rows);
    if (key) list.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  };
  scroller.onscroll = () => list.isConnected && update();
  return { list, update };
}
