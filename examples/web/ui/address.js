// The state of the page as the part of its address behind `#`, so that a reload or a link shows the same again.

// Tracks and processes are told by their labels, which are the same in the next trace of a program, and so are categories
// and names.
const LISTS = { folded: 'fold', hidden: 'hide', pinned: 'pin', categories: 'nocat', names: 'noname' };
const MOVE = 'move', ORDER = 'order', SHIFT = 'shift', VALUE = 'value';

export function toAddress({ about, view, main, selected, range, marks, finder, arrangement, drawer, shifts }) {
  const parts = new URLSearchParams();
  parts.set('start', Math.round(view.start));
  parts.set('span', Math.round(view.duration));
  if (main.scrollTop) parts.set('top', Math.round(main.scrollTop));
  if (selected?.kind === 'slice') parts.set('slice', selected.id);
  if (range) parts.set('range', `${Math.round(range.start)}-${Math.round(range.end)}`);
  if (marks.length) parts.set('marks', marks.map(Math.round).join('_'));
  if (finder.text) parts.set('find', finder.text);
  if (drawer.current) parts.set('panel', drawer.current);
  if (about.value) parts.set(VALUE, about.value);
  for (const [name, offset] of shifts) parts.append(SHIFT, `${offset} ${name}`);
  for (const [list, key] of Object.entries(LISTS)) for (const label of arrangement[list]) parts.append(key, label);
  if (arrangement.isByActivity) parts.set(ORDER, 'activity');
  for (const move of arrangement.moves) parts.append(MOVE, move.join('\t'));
  return `#${parts}`;
}

export function fromAddress(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (key) => (/^-?\d+$/.test(parts.get(key) ?? '') ? Number(parts.get(key)) : undefined);
  const arrangement = {};
  for (const [list, key] of Object.entries(LISTS)) arrangement[list] = new Set(parts.getAll(key));
  arrangement.isByActivity = parts.get(ORDER) === 'activity';
  arrangement.moves = parts.getAll(MOVE).map((move) => move.split('\t'));
  return {
    start: number('start'),
    duration: number('span'),
    top: number('top') ?? 0,
    slice: number('slice'),
    range: rangeOf(parts.get('range') ?? ''),
    marks: (parts.get('marks') ?? '').split('_').filter(Boolean).map(Number).filter(Number.isFinite),
    search: parts.get('find') ?? '',
    panel: parts.get('panel') ?? '',
    value: parts.get(VALUE) ?? undefined,
    // Nanoseconds that are added to the times of files, which are more than a number can hold.
    shifts: new Map(parts.getAll(SHIFT).flatMap((shift) => {
      const [, offset, name] = shift.match(/^(-?\d+) ([^]*)$/) ?? [];
      return offset === undefined ? [] : [[name, BigInt(offset)]];
    })),
    arrangement,
  };
}

// A range such as `10-20`, in ticks.
export function rangeOf(text) {
  const [, start, end] = text.match(/^(-?\d+)-(-?\d+)$/) ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}

// What of an address also holds for another trace: how its tracks are arranged.
export function withoutPlace(hash) {
  const keys = [...Object.values(LISTS), ORDER, MOVE, SHIFT, VALUE];
  const parts = [...new URLSearchParams(hash.replace(/^#/, ''))].filter(([key]) => keys.includes(key));
  return `#${new URLSearchParams(parts)}`;
}
