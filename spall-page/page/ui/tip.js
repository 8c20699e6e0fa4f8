// The tip beside the pointer, about what is under it now.
import { element, facts } from './dom.js';
import { clean, counted } from './text.js';

const MAX_ARGS = 6;
const shortened = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

export class Tip {
  constructor(viewer) {
    this.viewer = viewer;
    this.tip = viewer.$('#tip');
    this.shown = undefined;
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
      const details = await source.details(kind === 'counter' ? { kind, id, at } : { kind, id });
      if (this.shown !== shown) return;
      if (!details) return this.hide();
      this.fill(details, count, kind);
    } else if (this.tip.hidden) return; // The details are on their way.
    this.place(this.viewer.pointer ?? pointer);
  }

  // The header whose name is under the pointer.
  name() {
    const { pointer, painter, isDragging } = this.viewer;
    return pointer && !isDragging && pointer.x < painter.names ? this.viewer.headerAt(pointer.y) : undefined;
  }

  // The whole name of a track, of which the timeline may show a part.
  fillName({ item }) {
    const { label, detail, process } = this.viewer.labels.get(this.viewer.key(item));
    const group = process && this.viewer.labels.get(this.viewer.key(process));
    this.shown = undefined;
    this.tip.replaceChildren(element('strong', { textContent: label.trim() }), facts([['id', detail], ['process', group ? `${group.label} ${group.detail}` : '']].filter(([, text]) => text.trim())));
    this.place(this.viewer.pointer);
  }

  fill({ name, facts: pairs, args }, count, kind) {
    const args0 = args.slice(0, MAX_ARGS).map(([key, value]) => [clean(key), shortened(clean(value))]);
    if (args.length > MAX_ARGS) args0.push(['…', counted(args.length - MAX_ARGS, 'more argument')]);
    const wanted = kind === 'counter' ? ['time'] : ['category', 'start', 'time', 'duration', 'self', 'CPU', 'waiting', 'source'];
    const seen = pairs.filter(([key]) => wanted.includes(key)).map(([key, value]) => [key, clean(value)]);
    const more = count > 1 ? [element('p', { className: 'dim', textContent: `and ${counted(count - 1, `more ${kind}`)} here` })] : [];
    this.tip.replaceChildren(element('strong', { textContent: clean(name) || '(no name)' }), facts([...seen, ...args0]), ...more);
  }

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
