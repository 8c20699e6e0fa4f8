// What is hidden in place: categories, each with how many slices and instants have it, and names.
import { element, button } from './dom.js';
import { longList } from './list.js';
import { clean, grouped } from './text.js';

export class FilterPanel {
  /** @type {[string, number][] | undefined} */
  all = undefined;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /** @param {HTMLElement} panel */
  async fill(panel) {
    const { viewer } = this;
    const found = (this.all ??= listOf(await viewer.source.categories()));
    if (viewer.drawer.current !== 'categories') return;
    const { categories, names } = viewer.place;
    const all = button('Show all', 'Hide no category and no name', () => viewer.act({ filter: [[], []] }));
    const about = element('span', { className: 'dim', textContent: ` ● shown · names are hidden in the details of a slice` });
    const row = (/** @type {number} */ at) => (at < names.length ? this.row('names', names[at]) : this.row('categories', ...found[at - names.length]));
    longList(panel, panel, names.length + found.length, row, element('p', {}, all, about));
    all.disabled = !categories.length && !names.length;
  }

  /**
   * @param {'names' | 'categories'} kind
   * @param {string} text
   */
  row(kind, text, count = 0) {
    const { viewer } = this;
    const isHidden = viewer.place[kind].includes(text), label = clean(text) || '(none)';
    const toggle = button(isHidden ? '○' : '●', isHidden ? 'Show' : 'Hide', () => viewer.flip(kind, text));
    Object.assign(toggle, { ariaPressed: String(isHidden), ariaLabel: `${isHidden ? 'Show' : 'Hide'} ${label}` });
    toggle.dataset.key = `${kind} ${text}`;
    const made = element('p', { className: isHidden ? 'off' : '', title: label }, toggle, ` ${label} `);
    if (kind === 'names') made.append(element('span', { className: 'dim', textContent: 'name' }));
    else {
      const others = (this.all ?? []).map(([category]) => category).filter((category) => category !== text);
      made.append(element('span', { className: 'dim', textContent: `${grouped(count)} ` }), button('Only', `Hide all but ${label}`, () => viewer.act({ filter: [others, []] })));
    }
    return made;
  }
}

// The categories of texts that separate several by commas, the most frequent first. An event without one has the empty one.
/** @param {[string, number][]} texts */
function listOf(texts) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [text, count] of texts) {
    for (const category of text.split(',')) counts.set(category.trim(), (counts.get(category.trim()) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}
