// What the user has set, as the engine keeps it, and what follows from it: lines, their order and their names. It changes only
// by what the engine answers.
import { clean } from './text.js';

/**
 * @typedef {import('../engine.js').Action} Action
 * @typedef {import('../engine.js').Item} Item
 * @typedef {import('../engine.js').Header} Header
 * @typedef {import('../engine.js').Place} Some
 * @typedef {Some & Required<Omit<Some, 'value' | 'view' | 'selected' | 'range' | 'folded'>>} Place
 * @typedef {{ label: string, detail: string, path: string, process: Item | undefined, isRepeated?: boolean }} Label
 * @typedef {{ start: number, end: number, items?: Item[] }} Range a range of time, and the items whose tracks count if not all do
 */

/** @type {Place} */
const NOTHING = {
  files: [], top: 0, marks: [], hidden: [], pinned: [], rates: [], shared: [], categories: [], names: [], byActivity: false, follows: false, moves: [], derived: [], showsEmpty: false, search: '', colorBy: 'name', arrows: 'selected',
  measure: '', tracks: '', panel: '', linearDurations: false, sumsBy: 'name', sums: {}, without: '', tree: {}, slices: {}, instants: {},
};

export class Arranged {
  // Tracks and processes by kind and number, and by the path that a place has for them.
  /** @type {Map<string, Label>} */
  labels = new Map();
  /** @type {Map<string, Item>} */
  itemsByPath = new Map();
  /** @type {string[]} */
  foldedAtFirst = [];

  /** @param {import('../engine.js').About} about */
  constructor(about) {
    this.place = NOTHING;
    this.groups = about.groups; // in the order in which they are shown
    /** @type {Record<'main' | 'pinned', import('../engine.js').Lines>} */
    this.lines = { main: { headers: [], height: 0 }, pinned: { headers: [], height: 0 } };
    this.flow = 0; // which of the flows of the selected slice is followed
    /** @type {import('../engine.js').Hit | undefined} */
    this.hit = undefined; // the selected slice, if it was found
    /** @type {Range | undefined} */
    this.range = undefined;
    this.rangeKeys = new Set(); // of its items
    /** @type {Set<string>} */
    this.folded = new Set(); // the paths of what is folded
    this.list(about);
  }

  /**
   * Knows the processes and tracks by their names.
   * @param {import('../engine.js').About} about
   */
  list(about) {
    this.labels.clear();
    this.itemsByPath.clear();
    for (const { members, item, ...group } of about.groups) {
      if (item) this.register({ ...group, item });
      for (const member of members) this.register(member, item);
    }
    this.foldedAtFirst = about.folded.map(this.pathOf);
    const counts = new Map();
    const plain = (/** @type {string} */ path) => path.replace(/#\d+$/, '');
    for (const path of this.itemsByPath.keys()) counts.set(plain(path), (counts.get(plain(path)) ?? 0) + 1);
    for (const label of this.labels.values()) label.isRepeated = counts.get(plain(label.path)) > 1;
  }

  /**
   * @param {{ item: Item, label: string, detail: string, path: string }} member
   * @param {Item=} process
   */
  register({ item, label, detail, path }, process) {
    this.labels.set(this.key(item), { label: clean(label), detail: clean(detail), path, process });
    this.itemsByPath.set(path, item);
  }

  /**
   * Takes over what the engine says.
   * @param {import('../engine.js').Changed} changed
   */
  take({ place, groups, main, pinned, flow, hit }) {
    Object.assign(this, { place: { ...NOTHING, ...place }, groups, lines: { main, pinned }, flow, hit });
    for (const member of groups.flatMap(({ members }) => members)) if (member.item.kind === 'derived') this.register(member);
    this.folded = new Set(place.folded ?? this.foldedAtFirst);
    const items = place.range?.items?.flatMap((path) => this.itemsByPath.get(path) ?? []);
    this.range = place.range && { start: place.range.start, end: place.range.end, ...(items && { items }) };
    this.rangeKeys = new Set(items?.map(this.key));
  }

  /**
   * Shows a range while it is dragged.
   * @param {Range} range
   */
  preview(range) {
    this.range = range;
    this.rangeKeys = new Set(range.items?.map(this.key));
  }

  /**
   * A range as a place has it.
   * @param {Range | undefined} range
   */
  chosen(range) {
    if (!range) return undefined;
    const items = range.items?.map(this.pathOf).filter(Boolean);
    return { start: Math.round(range.start), end: Math.round(range.end), ...(items && { items }) };
  }

  /**
   * What a place calls an item.
   * @param {Item} item
   */
  pathOf = (item) => this.labels.get(this.key(item))?.path ?? '';

  /** @param {Item} item */
  key = ({ kind, id }) => `${kind}:${id}`;

  /**
   * Whether an item is in one of the lists of the place.
   * @param {'folded' | 'hidden' | 'pinned' | 'rates' | 'shared'} list
   * @param {Item} item
   */
  isIn(list, item) {
    const path = this.pathOf(item);
    return list === 'folded' ? this.folded.has(path) : this.place[list].includes(path);
  }

  /**
   * Where an item would be put that is dropped at a height of the main part: before which other, and the edge between them.
   * @param {Item} item
   * @param {number} height
   */
  dropAt(item, height) {
    const lists = [this.groups, ...this.groups.map(({ members }) => members)].map((list) => list.flatMap((one) => one.item ?? []));
    const siblings = lists.find((list) => list.some((other) => this.key(other) === this.key(item))) ?? [];
    const keys = new Set(siblings.map(this.key));
    const headers = this.lines.main.headers.filter((header) => keys.has(this.key(header.item)));
    const end = (/** @type {number} */ at) => (item.kind === 'process' ? (headers[at + 1]?.top ?? this.lines.main.height) : headers[at].bottom);
    const at = headers.findIndex((header, at) => (header.top + end(at)) / 2 > height);
    const next = headers[headers.findIndex((header) => this.key(header.item) === this.key(item)) + 1];
    const before = headers[at]?.item;
    const stays = before === next?.item || (before !== undefined && this.key(before) === this.key(item));
    return { before, stays, edge: at < 0 ? end(headers.length - 1) : headers[at].top };
  }
}
