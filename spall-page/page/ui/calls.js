// Call trees of the chosen range, drawn: flame graph, bottom-up, callers and callees of a function, and the comparison
// with another trace.
import { element, button, choice } from './dom.js';
import { drawBoxes, boxAt } from './boxes.js';
import { TreeTable } from './tree.js';
import { measureField, measuredUnit, tracksField, valueField } from './statistics.js';
import { clean, counted, duration, exactly, grouped } from './text.js';

const ROW = 18;
/**
 * @typedef {import('../engine.js').BoxFacts} BoxFacts
 * @typedef {'flame' | 'bottom-up' | 'sandwich' | 'comparison' | 'tree' | 'bottom-up-tree'} Mode
 */

/** @type {[Mode, string][]} */
const MODES = [['flame', 'Flame graph'], ['bottom-up', 'Bottom-up'], ['sandwich', 'Sandwich'], ['comparison', 'Comparison'], ['tree', 'Call tree'], ['bottom-up-tree', 'Bottom-up tree']];
// What tables are of.
/** @type {Partial<Record<Mode, import('../engine.js').GraphKind>>} */
const TABLES = { tree: 'flame', 'bottom-up-tree': 'bottom-up' };

export class CallsPanel {
  /** @type {Mode} */
  mode = 'flame';
  /** @type {string | undefined} */
  of = undefined; // the function whose callers and callees are shown, if it is not that of the selected slice
  /** @type {(Graph | TreeTable)[]} */
  graphs = [];
  number = 0; // of the last filling
  /** @type {BoxFacts | undefined} */
  chosen = undefined; // the box that was clicked
  /** @type {AbortController | undefined} */
  comparing = undefined;
  about = element('span', { className: 'dim' });
  tip = element('p', { className: 'graph-tip' });

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /**
   * @param {HTMLElement} panel
   * @param {string} [wantedMode]
   */
  async fill(panel, wantedMode = this.mode) {
    this.leave();
    const number = ++this.number;
    const isCurrent = () => number === this.number && viewer.drawer.current === 'calls';
    const [mode] = MODES.find(([mode]) => mode === wantedMode) ?? MODES[0];
    this.mode = mode;
    this.chosen = undefined;
    const { viewer } = this;
    const { range, about } = viewer;
    const modes = MODES.filter(([mode]) => mode !== 'comparison' || viewer.source.compareWith);
    const choose = choice('Kind of graph', modes, mode, (mode) => this.fill(panel, mode));
    const without = element('input', { type: 'search', placeholder: 'Without', value: viewer.place.without, ariaLabel: 'Leave out functions', title: 'Leaves out functions with this in their name or source. Their time is that of their callers.' });
    without.onchange = () => viewer.change({ without: without.value.trim() });
    const what = range ? `${duration(range.end - range.start, about.unit)} selected` : 'The whole trace';
    this.about.replaceChildren();
    const again = () => button('Add up', 'Begin again', () => this.fill(panel));
    const cancel = button('Cancel', 'Stop adding up', () => {
      this.leave();
      this.about.replaceChildren('Cancelled ', again());
    });
    const measure = mode === 'comparison' ? '' : measureField(viewer);
    const tools = element('p', {}, choose, tracksField(viewer), measure, valueField(viewer), ` ${what} `, without, button('Show all', 'Zoom out', () => this.zoomOut()), ' ', this.about);
    this.tip.replaceChildren();
    const graphs = element('div', { className: 'graphs' });
    panel.replaceChildren(tools, this.tip, graphs);
    if (mode === 'comparison') tools.append(this.chooser(panel));
    this.graphs = [];
    const { slice } = viewer;
    if (mode === 'sandwich' && slice === undefined && this.of === undefined) {
      this.about.textContent = 'Select a slice, or a function of the statistics, to see what calls it and what it calls.';
      return;
    }
    if (mode === 'comparison' && !viewer.compared) {
      this.about.textContent = 'Choose another trace. Red takes more time in this one, blue less.';
      return;
    }
    const far = element('span', { textContent: 'Adding up … ' });
    const progress = (/** @type {number} */ done, /** @type {string} */ what) => { far.textContent = `Adding up … ${grouped(done)} ${what} `; };
    this.about.append(far, cancel);
    /** @type {[import('../engine.js').GraphKind, string][]} */
    const kinds = mode === 'sandwich' ? [['callers', 'Callers'], ['callees', 'Callees']] : [[TABLES[mode] ?? /** @type {import('../engine.js').GraphKind} */ (mode), '']];
    const area = mode === 'comparison' ? { ...viewer.area, measure: undefined } : viewer.area; // the other tree is one of times
    const wanted = { ...(mode === 'sandwich' && (this.of === undefined ? { slice } : { of: this.of })), without: viewer.place.without };
    for (const [place, [graph, title]] of kinds.entries()) {
      const shape = await viewer.source.graph(place, area, { ...wanted, graph }, progress);
      if (!shape || !isCurrent()) return;
      const text = [title, clean(shape.of)].filter(Boolean).join(' of ');
      if (text) graphs.append(element('h3', { textContent: text }));
      if (TABLES[mode]) {
        const table = new TreeTable(this, panel, place, shape);
        graphs.append(table.made);
        this.graphs.push(table);
        await table.load();
        continue;
      }
      const made = new Graph(this, place, shape);
      graphs.append(made.canvas);
      this.graphs.push(made);
      made.draw();
    }
    const { total = 0, unmeasured } = this.graphs[0]?.shape ?? {};
    const missing = unmeasured ? `, and ${counted(unmeasured, 'slice')} without it` : '';
    this.about.textContent = `${duration(total, mode === 'comparison' ? about.unit : measuredUnit(viewer))} in all${missing}`;
  }

  // Gives up what is being added up or loaded.
  leave() {
    this.number++;
    this.comparing?.abort();
    this.viewer.source.cancelGraph();
  }

  /**
   * A field for the file to compare with.
   * @param {HTMLElement} panel
   */
  chooser(panel) {
    const { viewer } = this;
    const field = element('input', { type: 'file', ariaLabel: 'Trace to compare with' });
    field.onchange = async () => {
      const [file] = field.files ?? [];
      if (!file) return;
      this.leave();
      const current = (this.comparing = new AbortController());
      const text = element('span', { textContent: 'Loading … ' });
      this.about.replaceChildren(text, button('Cancel', 'Stop loading', () => this.fill(panel)));
      try {
        await viewer.source.compareWith?.(file, (read, phase) => { text.textContent = `${phase ?? `Loading … ${Math.round((100 * read) / file.size)} %`} `; }, current.signal);
        viewer.compared = file.name;
        this.fill(panel);
      } catch (error) {
        if (!current.signal.aborted) this.about.textContent = error.message;
      }
    };
    const label = element('label', { textContent: viewer.compared ? ` against ${viewer.compared} ` : ' ' });
    label.append(field);
    return label;
  }

  zoomOut() {
    for (const graph of this.graphs) graph.look(0, graph.shape.total);
  }

  redraw() {
    for (const graph of this.graphs) graph.draw();
  }

  // The rows of tables are in another order, or others of them are shown.
  sorted() {
    for (const graph of this.graphs) if (graph instanceof TreeTable) graph.load();
  }

  /**
   * Shows what calls a function, and what it calls.
   * @param {string} of
   */
  sandwichOf(of) {
    this.of = of;
    this.viewer.drawer.show('calls', 'sandwich');
  }

  selected() {
    this.of = undefined;
    if (this.mode === 'sandwich') this.viewer.drawer.show('calls', 'sandwich');
  }

  /**
   * What is under the pointer, or else the box that was clicked, which can be looked for in the timeline.
   * @param {BoxFacts} [box]
   */
  describe(box = this.chosen) {
    const { finder } = this.viewer;
    if (!box) return this.tip.replaceChildren();
    const find = () => finder.search(exactly(box.plain)).then(() => finder.next(false));
    const tools = box === this.chosen ? [' ', button('Find in the timeline', 'Select the next slice of this name and show where all are', find)] : [];
    this.tip.replaceChildren(element('strong', { textContent: clean(box.name) }), ` ${box.facts.map(([key, value]) => `${key} ${value}`).join(' · ')}`, ...tools);
  }

  /**
   * What can be done with the function of a row of a table.
   * @param {import('../engine.js').TreeRow} row
   * @param {() => unknown} focus
   */
  describeRow({ name, plain }, focus) {
    const { finder } = this.viewer;
    this.tip.replaceChildren(element('strong', { textContent: clean(name) }), ' ',
      button('Only this', 'Show this part of the tree alone', focus), ' ',
      button('Sandwich', 'What calls it, and what it calls', () => this.sandwichOf(name)), ' ',
      button('Leave out', 'Its time is that of its callers', () => this.viewer.change({ without: name })), ' ',
      button('Find in the timeline', 'Select the next slice of this name and show where all are', () => finder.search(exactly(plain)).then(() => finder.next(false))));
  }
}

// One graph, all of whose rows are drawn.
class Graph {
  /** @type {import('../engine.js').Boxes | undefined} */
  part = undefined;
  drawn = { scale: 1, shift: 0, left: 0, right: 0, ratio: 1, top: 0 };
  /** @type {number | undefined} */
  pointed = undefined;

  /**
   * @param {CallsPanel} panel
   * @param {number} place
   * @param {import('../engine.js').Shape} shape
   */
  constructor(panel, place, shape) {
    this.panel = panel;
    this.place = place;
    this.shape = shape;
    this.start = 0;
    this.end = Math.max(shape.total, 1);
    this.canvas = element('canvas', { tabIndex: 0, role: 'img', ariaLabel: 'Graph of calls' });
    this.canvas.style.height = `${Math.max(shape.rows, 1) * ROW}px`;
    this.canvas.onpointermove = (event) => this.point(event);
    this.canvas.onpointerleave = () => this.panel.describe();
    this.canvas.onclick = (event) => this.click(event);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  look(start, end) {
    [this.start, this.end] = [start, Math.max(end, start + 1)];
    this.draw();
  }

  async draw() {
    const { canvas, panel } = this;
    const { source, painter } = panel.viewer;
    if (!canvas.isConnected || !canvas.clientWidth) return;
    const ratio = painter.ratio;
    // A deep tree would need a canvas that browsers refuse.
    const height = Math.min(this.shape.rows * ROW, Math.floor(8000 / ratio));
    const width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
    const { part, names } = await source.graphFrame(this.place, Math.floor(this.start), Math.ceil(this.end), Math.min(width, 65535), Math.ceil(height / ROW), Math.round(4 * painter.palette.letter));
    if (panel.viewer.ends.signal.aborted) return;
    for (const [id, name] of names) panel.viewer.names.set(id, clean(name));
    Object.assign(canvas, { width, height: Math.max(Math.round(height * ratio), 1) });
    canvas.style.height = `${Math.max(height, ROW)}px`;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.fillStyle = painter.colour.page;
    context.fillRect(0, 0, canvas.width, canvas.height);
    this.part = part;
    this.drawn = { scale: 1, shift: 0, left: 0, right: width, ratio, top: 0 };
    drawBoxes(context, painter.palette, part, this.drawn, panel.viewer.names, false);
  }

  /** @param {MouseEvent} event */
  nodeAt(event) {
    if (!this.part) return undefined;
    const { ratio } = this.drawn;
    const at = boxAt(this.part, this.drawn, event.offsetX * ratio, event.offsetY * ratio, 2 * ratio);
    return at < 0 ? undefined : this.part.numbers[at + 2];
  }

  /** @param {MouseEvent} event */
  async point(event) {
    const node = this.nodeAt(event);
    if (node === this.pointed) return;
    this.pointed = node;
    const box = node === undefined ? undefined : await this.panel.viewer.source.graphBox(this.place, node);
    if (node === this.pointed) this.panel.describe(box);
  }

  /**
   * Zooms to a box, or out if it is all that is in view.
   * @param {MouseEvent} event
   */
  async click(event) {
    const node = this.nodeAt(event);
    if (node === undefined) return;
    const box = await this.panel.viewer.source.graphBox(this.place, node);
    if (!box) return;
    this.panel.chosen = box;
    this.panel.describe();
    const isWhole = box.start === this.start && box.end === this.end;
    if (isWhole) this.look(0, this.shape.total);
    else this.look(box.start, box.end);
  }
}
