// What of the timeline is where on the canvas, in CSS pixels.
import { RULER } from './paint.js';
import { kindOf } from './boxes.js';

/**
 * @typedef {import('./viewer.js').Viewer} Viewer
 * @typedef {import('../engine.js').Header} Header
 * @typedef {import('../engine.js').Element & { at?: number | undefined }} Element an element, and the time at which a counter is pointed at
 * @typedef {Element & { name?: number, count?: number }} Found an element on the canvas, and how many it stands for
 */

/**
 * The header at a height of the canvas.
 * @param {Viewer} viewer
 * @param {number} y
 */
export function headerAt({ lines: { main, pinned }, mainTop, main: { scrollTop } }, y) {
  if (y < RULER) return undefined;
  const isPinned = y < mainTop;
  const height = isPinned ? y - RULER : y - mainTop + scrollTop;
  return (isPinned ? pinned : main).headers.find((header) => header.top <= height && height < header.bottom && !(header.item.kind === 'process' && height >= header.top + header.height));
}

/**
 * The tracks and packs between two heights of the canvas; nothing if there are derived tracks alone, of which nothing is added up.
 * @param {Viewer} viewer
 * @param {number} from
 * @param {number} to
 */
export function itemsBetween(viewer, from, to) {
  const [top, bottom] = [from, to].map((y) => y - viewer.mainTop + viewer.main.scrollTop);
  const isInside = (/** @type {Header} */ header) => header.top < bottom && header.bottom > top;
  const isOwn = (/** @type {Header} */ { item }) => item.kind !== 'process' || viewer.arranged.isIn('folded', item);
  const items = viewer.lines.main.headers.filter((header) => isInside(header) && isOwn(header)).map(({ item }) => item);
  const ofTrace = items.filter(({ kind }) => kind !== 'derived');
  return ofTrace.length < items.length && !ofTrace.length ? undefined : ofTrace;
}

/**
 * The element under a place on the canvas.
 * @param {Viewer} viewer
 * @param {number} x
 * @param {number} y
 * @returns {Found | undefined}
 */
export function elementAt(viewer, x, y) {
  const { frame, painter, view } = viewer;
  if (!frame || y < RULER || x < painter.names || y > viewer.height) return undefined;
  const isPinned = y < viewer.mainTop;
  const part = isPinned ? frame.pinned : frame.main;
  const top = isPinned ? -RULER : viewer.main.scrollTop - viewer.mainTop;
  const at = painter.boxAt(frame, part, view, top, x, y);
  if (at >= 0) {
    const kind = kindOf(part.numbers[at + 5]);
    return { kind, id: part.numbers[at + 2], name: part.numbers[at + 3], count: part.numbers[at + 4] };
  }
  const place = painter.place(frame, view, top);
  for (const { top: above, bottom = above + 14, offset, numbers } of [...part.marks, ...part.wide]) {
    if (y + top < above || y + top >= bottom) continue;
    for (let mark = 0; mark < numbers.length; mark += 4) {
      const middle = ((numbers[mark] + 0.5 - offset) * place.scale + place.shift) / painter.ratio;
      if (Math.abs(middle - x) < 5) return { kind: 'instant', id: numbers[mark + 1], count: numbers[mark + 2] };
    }
  }
  const header = headerAt(viewer, y);
  const isChart = header?.item.kind === 'track' && part.charts.some((chart) => chart.top === header.top);
  return isChart ? { kind: 'counter', id: header.item.id, at: Math.round(viewer.timeAt(x)) } : undefined;
}
