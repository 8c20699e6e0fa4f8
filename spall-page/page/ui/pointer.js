// What mouse, wheel, touch pad and fingers do on the timeline.
import { RULER } from './paint.js';

const CLICK = 5; // A pointer that moves less than this many pixels clicks.
const SNAP = 6; // pixels
const HOLD = 450; // A finger that rests this many milliseconds selects or carries instead of moving.

export function attachPointer(viewer) {
  const { canvas, view, main } = viewer;
  const { signal } = viewer.ends;
  const on = (type, react, options = {}) => canvas.addEventListener(type, react, { signal, ...options });
  const fingers = new Map();
  let drag, pinch;

  const locate = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const chart = () => viewer.painter.chart / viewer.painter.ratio;
  const part = (x) => (x - viewer.painter.names) / chart();
  const pan = (x, y) => {
    view.pan(-x / chart());
    main.scrollTop -= y;
    viewer.moved();
  };
  const zoom = (factor, x) => {
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
  const isEdge = (x) => Math.abs(x - viewer.painter.names) < 4;

  const kindOf = (event, { x, y }) => {
    if (event.button === 1) return 'fit';
    if (event.button === 2 || viewer.isSpaceHeld) return 'pan';
    if (isEdge(x)) return 'names';
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
    drag = { kind: kindOf(event, at), from: at, last: at, isFar: false, time: viewer.timeAt(at.x), scroll: main.scrollTop };
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
      canvas.style.cursor = isEdge(at.x) ? 'col-resize' : '';
      viewer.redraw();
      return;
    }
    drag.isFar ||= Math.hypot(at.x - drag.from.x, at.y - drag.from.y) >= CLICK;
    if (!drag.isFar) return;
    viewer.isDragging = true;
    if (drag.kind === 'pan') pan(at.x - drag.last.x, at.y - drag.last.y);
    if (drag.kind === 'range' || drag.kind === 'area') select(at, event.altKey);
    if (drag.kind === 'header') carry(at);
    if (drag.kind === 'names') viewer.widenNames(at.x);
    drag.last = at;
  });

  // Shows the range between the start of the drag and here. The edge snaps to a slice unless Alt is held.
  const select = async (at, isFree) => {
    const current = drag;
    const snapped = async (time) => {
      if (isFree) return time;
      const { scrollTop } = main, room = viewer.height - viewer.mainTop;
      const tolerance = (SNAP * view.duration) / chart();
      return (await viewer.source.snap(Math.round(time), Math.ceil(tolerance), scrollTop, scrollTop + room)) ?? time;
    };
    current.snappedFrom ??= await snapped(current.time);
    const to = await snapped(viewer.timeAt(Math.max(at.x, viewer.painter.names)));
    if (drag !== current) return;
    const [start, end] = [Math.min(current.snappedFrom, to), Math.max(current.snappedFrom, to)];
    current.range = { start, end };
    if (current.kind === 'area') {
      const top = Math.min(current.from.y, at.y), bottom = Math.max(current.from.y, at.y);
      current.range.items = viewer.itemsBetween(top, bottom);
      viewer.box = { x: Math.min(current.from.x, at.x), y: top, width: Math.abs(at.x - current.from.x), height: bottom - top };
    }
    viewer.chooseRange(current.range);
  };

  // Carries a process or a track by its name, and shows where it would be put. Pinned tracks stay as they are.
  const carry = ({ y }) => {
    drag.item ??= drag.from.y >= viewer.mainTop && viewer.headerAt(drag.from.y)?.item;
    if (!drag.item) return;
    if (y < viewer.mainTop + SNAP) main.scrollTop -= 10;
    if (y > viewer.height - SNAP) main.scrollTop += 10;
    viewer.drop = viewer.dropAt(drag.item, y);
    viewer.redraw();
  };

  const end = (event) => {
    fingers.delete(event.pointerId);
    if (fingers.size < 2) pinch = undefined;
    const done = drag;
    const { drop } = viewer;
    drag = viewer.box = viewer.drop = undefined;
    viewer.isDragging = false;
    viewer.redraw();
    if (!done || event.type === 'pointercancel') return;
    if (done.isFar) {
      if (drop && !drop.stays) viewer.move(done.item, drop.before);
      if (done.range) viewer.setRange(done.range);
      viewer.redraw();
      return;
    }
    click(done, event);
  };
  on('pointerup', end);
  on('pointercancel', end);

  const click = (done, event) => {
    const { x, y } = done.from;
    const found = viewer.elementAt(x, y);
    if (done.kind === 'fit') return zoomTo(found);
    if (event.button !== 0) return;
    const header = viewer.headerAt(y);
    const isHeader = x < viewer.painter.names || (!found && header?.item.kind === 'process');
    if (isHeader && header) viewer.toggle('folded', header.item);
    else if (y < RULER) viewer.setRange(undefined);
    else viewer.select(found);
  };

  const zoomTo = (found) => {
    if (found?.kind !== 'slice') return;
    viewer.selected = found;
    viewer.focus();
  };
  on('dblclick', (event) => {
    const { x, y } = locate(event);
    zoomTo(viewer.elementAt(x, y));
  });
  for (const type of ['gestureend', 'contextmenu', 'auxclick']) on(type, (event) => event.preventDefault());
  on('pointerleave', () => {
    viewer.pointer = undefined;
    viewer.redraw();
  });
}

// The middle of two fingers, and how far they are apart.
function spread(fingers) {
  const [a, b] = fingers.values();
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1) };
}
