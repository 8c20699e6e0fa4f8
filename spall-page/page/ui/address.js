// A place as the part of an address behind `#`, so that a reload or a link shows the same again. The engine says what a place
// is; here it is written so that people can read it.

// Lists of texts, each of which is a part of its own.
/** @type {Record<'folded' | 'hidden' | 'pinned' | 'rates' | 'shared' | 'categories' | 'names', string>} */
const LISTS = { folded: 'fold', hidden: 'hide', pinned: 'pin', rates: 'rate', shared: 'scale', categories: 'nocat', names: 'noname' };
const lists = /** @type {[keyof typeof LISTS, string][]} */ (Object.entries(LISTS));
/** @type {import('../engine.js').ElementKind[]} */
const KINDS = ['slice', 'state', 'instant', 'counter', 'object', 'derived'];
/** @type {import('../engine.js').ColorBy[]} */
const COLOURS = ['name', 'category', 'duration', 'track'];
/** @type {import('../engine.js').Arrows[]} */
const ARROWS = ['selected', 'path', 'all', 'off'];
// The tables, and what they can be sorted by besides arguments.
const TABLES = /** @type {const} */ (['slices', 'instants']);
// What sums and call trees are sorted by.
/** @type {import('../engine.js').Order[]} */
const SUMS = ['name', 'count', 'unmeasured', 'total', 'own', 'mean', 'min', 'max'];
/** @type {import('../engine.js').TreeOrder[]} */
const TREE = ['total', 'own', 'count', 'name'];
const COLUMNS = /** @type {const} */ (['start', 'duration', 'own', 'cpu', 'name', 'track', 'category']);
// What of an address also holds for another trace: how its tracks are arranged, and its files.
const ARRANGED = [...Object.values(LISTS), 'order', 'move', 'file', 'value', 'colours', 'arrows', 'empty'];

const SHORT = 20; // rows of a derived track that an address has; of more it has the title alone

/**
 * @typedef {import('../engine.js').Place} Place
 * @typedef {import('../engine.js').DerivedTrack} DerivedTrack
 */

// Rows of derived tracks that a saved page has in itself, by their titles.
/** @type {Map<string, import('../engine.js').NamedRows>} */
export const kept = new Map();

/** @param {Place} place */
export function toAddress(place) {
  const parts = new URLSearchParams();
  const set = (/** @type {string} */ key, /** @type {string | undefined} */ value) => { if (value) parts.set(key, value); };
  const whole = (/** @type {number} */ number) => String(Math.round(number));
  if (place.view) {
    parts.set('start', whole(place.view.start));
    parts.set('span', whole(place.view.end - place.view.start));
  }
  if (place.follows) parts.set('follow', '');
  if (place.top) parts.set('top', whole(place.top));
  if (place.selected) {
    const { element: { kind, id }, at, name } = place.selected;
    parts.set(kind, `${id}@${whole(at)}${name ? ` ${name}` : ''}`);
  }
  if (place.range) {
    const { start, end, items } = place.range;
    parts.set('range', `${whole(start)}-${whole(end)}`);
    for (const path of items ?? []) parts.append('in', path);
  }
  for (const { at, end, of, text } of place.marks ?? []) {
    const times = [at, ...(end === undefined ? [] : [end])].map(whole).join('-');
    const about = of && `\t${of.element.kind}:${of.element.id}@${whole(of.at)} ${of.name}`;
    parts.append('mark', `${times}${about ?? ''}${text ? `${about ? '\t' : ' '}${text}` : ''}`);
  }
  set('find', place.search);
  set('panel', place.panel);
  set('measure', place.measure);
  set('tracks', place.tracks);
  set('value', place.value);
  for (const { name, offset } of place.files ?? []) parts.append('file', `${offset ?? ''} ${name}`);
  for (const [list, key] of lists) for (const text of place[list] ?? []) parts.append(key, text);
  if (place.folded && !place.folded.length) parts.set(LISTS.folded, '');
  if (place.linearDurations) parts.set('axis', 'linear');
  if (place.sumsBy === 'function') set('by', 'function');
  set('sums', tableText(place.sums));
  set('without', place.without);
  set('tree', tableText(place.tree));
  for (const list of TABLES) {
    const { of, by, found, inView, order, isDescending, filter, keys } = place[list] ?? {};
    const said = new URLSearchParams();
    if (of !== undefined) said.set(by === 'function' ? 'function' : 'name', of);
    if (found) said.set('found', '');
    if (inView !== undefined) said.set('in', inView ? 'view' : 'range');
    if (order) said.set('order', `${isDescending ? '-' : ''}${typeof order === 'object' ? `arg ${order.arg}` : order}`);
    else if (isDescending) said.set('order', '-start');
    if (filter) said.set('filter', filter);
    for (const key of keys ?? []) said.append('key', key);
    if (keys && !keys.length) said.set('key', '');
    set(list, String(said));
  }
  for (const track of place.derived ?? []) parts.append('derived', derivedText(track));
  if (place.byActivity) parts.set('order', 'activity');
  if (place.colorBy !== 'name') set('colours', place.colorBy);
  if (place.arrows !== 'selected') set('arrows', place.arrows);
  if (place.showsEmpty) parts.set('empty', 'shown');
  for (const [path, before] of place.moves ?? []) parts.append('move', `${path}\t${before ?? ''}`);
  return `#${parts}`;
}

/**
 * @param {string} hash
 * @returns {Place}
 */
export function fromAddress(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  /** @type {Place} */
  const place = {};
  const number = (/** @type {string | null} */ text) => (text !== null && /^-?\d+$/.test(text) ? Number(text) : undefined);
  const start = number(parts.get('start')), span = number(parts.get('span'));
  if (start !== undefined && span) place.view = { start, end: start + span };
  place.follows = parts.has('follow');
  place.top = number(parts.get('top')) ?? 0;
  for (const kind of KINDS) {
    const [, id, at, name = ''] = parts.get(kind)?.match(/^(\d+)@(-?\d+)(?: ([^]*))?$/) ?? [];
    if (id !== undefined) place.selected = { element: { kind, id: Number(id) }, at: Number(at), name };
  }
  const range = rangeOf(parts.get('range') ?? '');
  if (range) place.range = { ...range, ...(parts.has('in') && { items: parts.getAll('in') }) };
  place.marks = parts.getAll('mark').flatMap((mark) => {
    const [, at, end, kind, id, start, name, text = ''] = mark.match(/^(-?\d+)(?:-(-?\d+))?(?:\t(\w+):(\d+)@(-?\d+) ([^\t]*))?(?:[ \t]([^]*))?$/) ?? [];
    if (at === undefined) return [];
    const known = KINDS.find((one) => one === kind);
    const of = known && { element: { kind: known, id: Number(id) }, at: Number(start), name };
    return [{ at: Number(at), ...(end !== undefined && { end: Number(end) }), ...(of && { of }), text }];
  });
  [place.search, place.panel, place.measure, place.tracks] = ['find', 'panel', 'measure', 'tracks'].map((name) => parts.get(name) ?? '');
  place.value = parts.get('value') ?? undefined;
  place.files = parts.getAll('file').flatMap((file) => {
    const [, offset, name] = file.match(/^(-?\d*) ([^]*)$/) ?? [];
    return name === undefined ? [] : [offset ? { name, offset } : { name }];
  });
  for (const [list, key] of lists) place[list] = parts.getAll(key).filter((text) => list !== 'folded' || text);
  if (!parts.has(LISTS.folded)) delete place.folded;
  place.linearDurations = parts.get('axis') === 'linear';
  if (parts.get('by') === 'function') place.sumsBy = 'function';
  place.sums = tableOf(parts.get('sums'), SUMS);
  place.without = parts.get('without') ?? '';
  place.tree = tableOf(parts.get('tree'), TREE);
  for (const list of TABLES) {
    const said = new URLSearchParams(parts.get(list) ?? ''), of = said.get('function') ?? said.get('name');
    const [, minus, key, column] = said.get('order')?.match(/^(-?)(?:arg ([^]*)|(\w+))$/) ?? [];
    const order = key === undefined ? COLUMNS.find((one) => one === column && one !== 'start') : { arg: key };
    const filter = said.get('filter'), where = said.get('in');
    place[list] = {
      ...(of !== null && { of }), ...(said.has('function') && { by: /** @type {const} */ ('function') }), ...(said.has('found') && { found: true }),
      ...(where && { inView: where === 'view' }), ...(order && { order }), ...(minus && { isDescending: true }), ...(filter && { filter }),
      ...(said.has('key') && { keys: said.getAll('key').filter(Boolean) }),
    };
  }
  place.derived = parts.getAll('derived').flatMap((text) => derivedOf(text) ?? []);
  place.byActivity = parts.get('order') === 'activity';
  const colorBy = COLOURS.find((one) => one === parts.get('colours')), arrows = ARROWS.find((one) => one === parts.get('arrows'));
  if (colorBy) place.colorBy = colorBy;
  if (arrows) place.arrows = arrows;
  if (parts.has('empty')) place.showsEmpty = true;
  place.moves = parts.getAll('move').map((move) => {
    const [path, before] = move.split('\t');
    return [path, before || undefined];
  });
  return place;
}

/**
 * How a table is sorted, smallest first behind a plus, and what of it is listed.
 * @param {{ order?: string, isAscending?: boolean, filter?: string }} [table]
 */
function tableText({ order = '', isAscending, filter } = {}) {
  const by = `${isAscending ? '+' : ''}${order}`;
  return filter ? `${by} ${filter}` : by;
}

/**
 * @template {string} Order
 * @param {string | null} text
 * @param {Order[]} orders
 */
function tableOf(text, orders) {
  const [, plus, by, filter] = text?.match(/^(\+?)(\w*)(?: ([^]*))?$/) ?? [], order = orders.find((one) => one === by);
  return { ...(order && { order }), ...(plus && { isAscending: true }), ...(filter && { filter }) };
}

/**
 * A derived track: what it is, and of rows the title, how many there are besides, and a line for each row.
 * @param {DerivedTrack} track
 */
function derivedText(track) {
  const plain = (/** @type {string} */ text) => text.replace(/[\t\n]/g, ' ');
  if (track === 'cpus') return 'cpus';
  if ('path' in track) return `path ${track.path.element.id}@${track.path.at} ${track.path.name}`;
  const { title, rows, leftOut } = track.rows;
  const lines = rows.length > SHORT ? [] : rows.map(({ start, end, name, slice }) => `${start}-${end}${slice === undefined ? '' : `@${slice}`} ${plain(name)}`);
  return [`rows ${plain(title)}${leftOut && lines.length ? `\t${leftOut}` : ''}`, ...lines].join('\n');
}

/**
 * @param {string} text
 * @returns {DerivedTrack | undefined}
 */
function derivedOf(text) {
  if (text === 'cpus') return text;
  const [, id, at, name] = text.match(/^path (\d+)@(-?\d+) ([^]*)$/) ?? [];
  if (id !== undefined) return { path: { element: { kind: 'slice', id: Number(id) }, at: Number(at), name } };
  const [head, ...lines] = text.split('\n'), [, title, leftOut] = head.match(/^rows ([^\t]*)(?:\t(\d+))?$/) ?? [];
  if (title === undefined) return undefined;
  const rows = lines.flatMap((line) => {
    const [, start, end, slice, name] = line.match(/^(-?\d+)-(-?\d+)(?:@(\d+))? (.*)$/) ?? [];
    return start === undefined ? [] : [{ start: Number(start), end: Number(end), name, ...(slice !== undefined && { slice: Number(slice) }) }];
  });
  if (!rows.length) return { rows: kept.get(title) ?? { title, rows } };
  return { rows: { title, rows, ...(leftOut && { leftOut: Number(leftOut) }) } };
}

/**
 * A range such as `10-20`, in ticks.
 * @param {string} text
 */
export function rangeOf(text) {
  const [, start, end] = text.match(/^(-?\d+)-(-?\d+)$/) ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}

/**
 * What of an address also holds for another trace.
 * @param {string} hash
 */
export function withoutPlace(hash) {
  const parts = [...new URLSearchParams(hash.replace(/^#/, ''))].filter(([key, value]) => ARRANGED.includes(key) || (key === 'derived' && value === 'cpus'));
  return `#${new URLSearchParams(parts)}`;
}
