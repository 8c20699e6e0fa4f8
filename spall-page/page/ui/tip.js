// The tip beside the pointer, about what is under it now.
import { element, facts } from './dom.js';
import { clean, counted } from './text.js';
import { headerAt } from './under.js';

const MAX_ARGS = 6;
const shortened = (/** @type {string} */ text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

export class Tip {
  /** @type {string | undefined} */
  shown = undefined;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.tip = viewer.$('#tip');
  }

  hide() {
    this.tip.hidden = true;
    this.shown = undefined;
  }

  async update() {
    const { hover, pointer, source } = this.viewer;
    const name = !hover && this.name();
    if (name) return this.fillName(name);
    if (!hover || !pointer) return this.hide();
    const { kind, id, count = 1, at } = hover;
    const shown = `${kind} ${id} ${count} ${at}`;
    if (shown !== this.shown) {
      this.hide(); // What it says is about something else.
      this.shown = shown;
      const details = await source.details({ kind, id }, (kind === 'counter' && at) || 0);
      if (this.shown !== shown) return;
      if (!details) return this.hide();
      this.fill(details, count, kind);
    } else if (this.tip.hidden) return; // The details are on their way.
    this.place(this.viewer.pointer ?? pointer);
  }

  // The header whose name is under the pointer.
  name() {
    const { pointer, painter, isDragging } = this.viewer;
    return pointer && !isDragging && pointer.x < painter.names ? headerAt(this.viewer, pointer.y) : undefined;
  }

  // The whole name of a track, of which the timeline may show a part.
  /** @param {import('../engine.js').Header} header */
  fillName({ item }) {
    const { labels, key } = this.viewer.arranged;
    const { label, detail, process } = labels.get(key(item)) ?? { label: '', detail: '' };
    const group = process && labels.get(key(process));
    this.shown = undefined;
    this.tip.replaceChildren(element('strong', { textContent: label.trim() }), facts(/** @type {[string, string][]} */ ([['id', detail], ['process', group ? `${group.label} ${group.detail}` : '']]).filter(([, text]) => text.trim())));
    if (this.viewer.pointer) this.place(this.viewer.pointer);
  }

  /**
   * @param {import('../engine.js').Details} details
   * @param {number} count
   * @param {string} kind
   */
  fill({ name, facts: pairs, args }, count, kind) {
    /** @type {[string, string][]} */
    const args0 = args.slice(0, MAX_ARGS).map(([key, value]) => [clean(key), shortened(clean(value))]);
    if (args.length > MAX_ARGS) args0.push(['…', counted(args.length - MAX_ARGS, 'more argument')]);
    const wanted = kind === 'counter' ? ['time'] : ['category', 'start', 'time', 'duration', 'self', 'CPU', 'waiting', 'source'];
    /** @type {[string, string][]} */
    const seen = pairs.filter(([key]) => kind === 'derived' || wanted.includes(key)).map(([key, value]) => [key, clean(value)]);
    const more = count > 1 ? [element('p', { className: 'dim', textContent: `and ${counted(count - 1, `more ${kind === 'derived' ? 'span' : kind}`)} here` })] : [];
    this.tip.replaceChildren(element('strong', { textContent: clean(name) || '(no name)' }), facts([...seen, ...args0]), ...more);
  }

  /** @param {{ x: number, y: number }} pointer */
  place({ x, y }) {
    this.tip.hidden = false;
    const { canvas, pane } = this.viewer;
    const [box, around] = [canvas, pane].map((one) => one.getBoundingClientRect());
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = box.left - around.left + x + 14, top = box.top - around.top + y + 16;
    this.tip.style.left = `${Math.max(left + width > around.width ? left - width - 24 : left, 2)}px`;
    this.tip.style.top = `${Math.max(top + height > around.height ? top - height - 28 : top, 2)}px`;
  }
}
