// What mouse, wheel, touch pad and fingers do on the timeline.
import { RULER } from './paint.js';
import { elementAt, headerAt, itemsBetween } from './under.js';

/**
 * @typedef {{ x: number, y: number }} Point
 * @typedef {'fit' | 'pan' | 'names' | 'edge' | 'range' | 'header' | 'area'} Kind what a drag does
 * @typedef {object} Drag
 * @property {Kind} kind
 * @property {Point} from
 * @property {Point} last
 * @property {boolean} isFar whether it is no click
 * @property {number} time where it began
 * @property {number} [snappedFrom] the same, at a slice; of a range whose edge is dragged, the other edge
 * @property {import('../engine.js').Item[]} [items] those of that range
 * @property {import('./place.js').Range} [range]
 * @property {import('../engine.js').Item | undefined} [item] what is carried
 * @property {ReturnType<import('./place.js').Arranged['dropAt']>} [drop] where to
 */

const CLICK = 5; // A pointer that moves less than this many pixels clicks.
const SNAP = 6; // pixels
const REACH = 4; // pixels from an edge that can be dragged
const AGAIN = 400; // A click at the same place within so many milliseconds belongs to the one before.
const HOLD = 450; // A finger that rests this many milliseconds selects or carries instead of moving.

/** @param {import('./viewer.js').Viewer} viewer */
export function attachPointer(viewer) {
  const { canvas, view, main } = viewer;
  const { signal } = viewer.ends;
  /**
   * @template {keyof HTMLElementEventMap} Type
   * @param {Type} type
   * @param {(event: HTMLElementEventMap[Type]) => void} react
   */
  const on = (type, react, options = {}) => canvas.addEventListener(type, react, { signal, ...options });
  /** @type {Map<number, Point>} */
  const fingers = new Map();
  /** @type {Drag | undefined} */
  let drag;
  /** @type {ReturnType<typeof spread> | undefined} */
  let pinch;
  // When and where a click has gone from a derived track to what it stands for, which may be elsewhere.
  let left = { time: -Infinity, x: 0, y: 0 };
  const isAgain = (/** @type {Point} */ { x, y }) => performance.now() - left.time < AGAIN && Math.hypot(x - left.x, y - left.y) < SNAP;

  const locate = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const chart = () => viewer.painter.chart / viewer.painter.ratio;
  const part = (/** @type {number} */ x) => (x - viewer.painter.names) / chart();
  const pan = (/** @type {number} */ x, /** @type {number} */ y) => {
    view.pan(-x / chart());
    main.scrollTop -= y;
    viewer.moved();
  };
  const zoom = (/** @type {number} */ factor, /** @type {number} */ x) => {
    view.zoom(factor, Math.min(Math.max(part(x), 0), 1));
    viewer.moved();
  };

  on('wheel', (event) => {
    viewer.pointer = locate(event);
    const unit = event.deltaMode === 1 ? 15 : event.deltaMode === 2 ? viewer.height : 1;
    const across = event.deltaX * unit, down = event.deltaY * unit;
    if (event.ctrlKey || event.metaKey || (viewer.options.wheel === 'zoom' && !event.shiftKey && Math.abs(down) > Math.abs(across))) {
      // A pinch of a touch pad arrives as a small turn of the wheel with Ctrl.
      const turn = Math.min(Math.max(event.ctrlKey && Math.abs(down) < 40 ? down * 3 : down, -240), 240);
      zoom(1.003 ** turn, viewer.pointer.x);
    } else if (event.shiftKey || Math.abs(across) > Math.abs(down)) {
      pan(-(event.shiftKey ? across || down : across), 0);
    } else {
      main.scrollTop += down;
      viewer.redraw();
    }
    event.preventDefault();
  }, { passive: false });

  // Safari on a desktop tells of pinches in its own way.
  let scale = 1;
  on('gesturestart', (event) => { scale = 1; event.preventDefault(); });
  on('gesturechange', (event) => {
    zoom(scale / event.scale, locate(event).x);
    scale = event.scale;
    event.preventDefault();
  });

  // The edge between the names and the chart, which can be dragged.
  const isEdge = (/** @type {number} */ x) => Math.abs(x - viewer.painter.names) < REACH;

  // The end of the chosen range that stays while the one at a place is dragged.
  const otherEdge = (/** @type {Point} */ { x }) => {
    const { range } = viewer;
    const isNear = (/** @type {number} */ time) => Math.abs(viewer.xOf(time) - x) < REACH;
    if (!range || x < viewer.painter.names) return undefined;
    return isNear(range.end) ? range.start : isNear(range.start) ? range.end : undefined;
  };

  /**
   * @param {PointerEvent} event
   * @param {Point} at
   * @returns {Kind}
   */
  const kindOf = (event, { x, y }) => {
    if (event.button === 1) return 'fit';
    if (event.button === 2 || viewer.isSpaceHeld) return 'pan';
    if (isEdge(x)) return 'names';
    if (otherEdge({ x, y }) !== undefined) return 'edge';
    if (y < RULER) return 'range';
    if (event.pointerType === 'touch') return 'pan';
    if (x < viewer.painter.names) return 'header';
    return (viewer.options.drag === 'select') === event.shiftKey ? 'pan' : 'area';
  };

  on('pointerdown', (event) => {
    const at = locate(event);
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === 'touch') {
      fingers.set(event.pointerId, at);
      if (fingers.size === 2) {
        pinch = spread(fingers);
        drag = viewer.box = undefined;
        return;
      }
    }
    drag = { kind: kindOf(event, at), from: at, last: at, isFar: false, time: viewer.timeAt(at.x) };
    if (drag.kind === 'edge') Object.assign(drag, { snappedFrom: otherEdge(at), items: viewer.range?.items });
    if (drag.kind === 'fit') event.preventDefault();
    if (event.pointerType === 'touch' && drag.kind === 'pan') {
      const held = drag;
      setTimeout(() => {
        if (drag !== held || drag.isFar) return;
        drag.kind = at.x < viewer.painter.names ? 'header' : 'area';
        viewer.box = { ...at, width: 1, height: 1 };
        viewer.redraw();
      }, HOLD);
    }
  });

  on('pointermove', (event) => {
    const at = locate(event);
    viewer.pointer = event.pointerType === 'touch' ? undefined : at;
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
    if (pinch && fingers.size === 2) {
      const now = spread(fingers);
      zoom(pinch.distance / now.distance, now.x);
      pan(now.x - pinch.x, now.y - pinch.y);
      pinch = now;
      return;
    }
    if (!drag) {
      canvas.style.cursor = isEdge(at.x) ? 'col-resize' : otherEdge(at) !== undefined ? 'ew-resize' : '';
      viewer.redraw();
      return;
    }
    drag.isFar ||= Math.hypot(at.x - drag.from.x, at.y - drag.from.y) >= CLICK;
    if (!drag.isFar) return;
    viewer.isDragging = true;
    if (drag.kind === 'pan') pan(at.x - drag.last.x, at.y - drag.last.y);
    if (drag.kind === 'edge' || drag.kind === 'range' || drag.kind === 'area') select(drag, at, event.altKey);
    if (drag.kind === 'header') carry(drag, at);
    if (drag.kind === 'names') viewer.widenNames(at.x);
    drag.last = at;
  });

  /**
   * Shows the range between the start of the drag and here. The edge snaps to a slice unless Alt is held.
   * @param {Drag} current
   * @param {Point} at
   * @param {boolean} isFree
   */
  const select = async (current, at, isFree) => {
    const snapped = async (/** @type {number} */ time) => {
      if (isFree) return time;
      const { scrollTop } = main, room = viewer.height - viewer.mainTop;
      const tolerance = (SNAP * view.duration) / chart();
      return (await viewer.source.snap(Math.round(time), Math.ceil(tolerance), scrollTop, scrollTop + room)) ?? time;
    };
    current.snappedFrom ??= await snapped(current.time);
    const { snappedFrom } = current, to = await snapped(viewer.timeAt(Math.max(at.x, viewer.painter.names)));
    if (drag !== current) return;
    current.range = { start: Math.min(snappedFrom, to), end: Math.max(snappedFrom, to), ...(current.items && { items: current.items }) };
    if (current.kind === 'area') {
      const top = Math.min(current.from.y, at.y), bottom = Math.max(current.from.y, at.y);
      const items = itemsBetween(viewer, top, bottom);
      if (items) current.range.items = items;
      else delete current.range.items;
      viewer.box = { x: Math.min(current.from.x, at.x), y: top, width: Math.abs(at.x - current.from.x), height: bottom - top };
    }
    viewer.arranged.preview(current.range);
    viewer.redraw();
  };

  /**
   * Carries a process or a track by its name, and shows where it would be put. Pinned tracks stay as they are.
   * @param {Drag} drag
   * @param {Point} at
   */
  const carry = (drag, { y }) => {
    if (drag.from.y >= viewer.mainTop) drag.item ??= headerAt(viewer, drag.from.y)?.item;
    if (!drag.item) return;
    if (y < viewer.mainTop + SNAP) main.scrollTop -= 10;
    if (y > viewer.height - SNAP) main.scrollTop += 10;
    const above = viewer.mainTop - main.scrollTop;
    drag.drop = viewer.arranged.dropAt(drag.item, y - above);
    viewer.drop = drag.drop.edge + above;
    viewer.redraw();
  };

  const end = (/** @type {PointerEvent} */ event) => {
    fingers.delete(event.pointerId);
    if (fingers.size < 2) pinch = undefined;
    const done = drag;
    drag = viewer.box = viewer.drop = undefined;
    viewer.isDragging = false;
    viewer.redraw();
    if (!done || event.type === 'pointercancel') return;
    if (done.isFar) {
      if (done.item && done.drop && !done.drop.stays) viewer.act({ move: [done.item, done.drop.before] });
      if (done.range) viewer.setRange(done.range);
      viewer.redraw();
      return;
    }
    click(done, event);
  };
  on('pointerup', end);
  on('pointercancel', end);

  /**
   * @param {Drag} done
   * @param {PointerEvent} event
   */
  const click = (done, event) => {
    const { x, y } = done.from;
    const found = elementAt(viewer, x, y);
    if (done.kind === 'fit') return zoomTo(found);
    if (event.button !== 0 || isAgain({ x, y })) return;
    const header = headerAt(viewer, y);
    const isHeader = x < viewer.painter.names || (!found && header?.item.kind === 'process');
    if (isHeader && header) viewer.act({ fold: header.item });
    else if (y < RULER) viewer.setRange(undefined);
    else {
      if (found?.kind === 'derived') left = { time: performance.now(), x, y };
      viewer.select(found);
    }
  };

  /** @param {import('./under.js').Found | undefined} found */
  const zoomTo = (found) => {
    if (found?.kind !== 'slice') return;
    if (viewer.slice !== found.id) viewer.select(found, false);
    viewer.run('fit');
  };
  on('dblclick', (event) => {
    const { x, y } = locate(event);
    if (!isAgain({ x, y })) zoomTo(elementAt(viewer, x, y));
  });
  on('gestureend', (event) => event.preventDefault());
  on('contextmenu', (event) => event.preventDefault());
  on('auxclick', (event) => event.preventDefault());
  on('pointerleave', () => {
    viewer.pointer = undefined;
    viewer.redraw();
  });
}

/**
 * The middle of two fingers, and how far they are apart.
 * @param {Map<number, Point>} fingers
 */
function spread(fingers) {
  const [a, b] = [...fingers.values()];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1) };
}
