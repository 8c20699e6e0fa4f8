// `<trace-view>`: the viewer as an element of any page, in a shadow root of its own.
import { element, button } from './dom.js';
import { MARKUP } from './markup.js';
import { STYLE } from './style.js';
import { Viewer } from './viewer.js';
import { fromAddress, rangeOf, toAddress, withoutPlace } from './address.js';
import { grouped } from './text.js';
import { known, remember } from './again.js';

const FRAME = `
<div id="pane">
  <input id="file" type="file" multiple hidden aria-label="Open traces">
  <div id="welcome"><slot><p>Open a trace, or drop it here.</p></slot></div>
  <div id="notice" hidden></div>
  <div id="trace"></div>
</div>`;

const LARGE = 16 << 20, BEGINNING = 4 << 20; // in bytes

/**
 * @typedef {import('../page.js').Opened} Opened
 * @typedef {Opened | string | FileSystemFileHandle} Wanted a file, an address, or where a file is
 */

export class TraceView extends HTMLElement {
  static observedAttributes = ['src', 'theme', 'range', 'read-only'];

  /** @type {Viewer | undefined} */
  viewer = undefined;
  /** @type {Viewer | undefined} */
  beginning = undefined; // of a file that is being read
  /** @type {AbortController | undefined} */
  opening = undefined;
  /** @type {Wanted[]} */
  files = [];
  /** @type {Map<string, bigint>} */
  shifts = new Map(); // the nanoseconds that the user has added to files, by their names
  /** @type {string | undefined} */
  value = undefined; // of samples, if another one is wanted than the file says

  // Loads files; a promise of a source and what it says about itself. A notebook has its trace and loads none.
  /** @type {import('../page.js').Load | undefined} */
  static load = undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = FRAME;
    this.pane = /** @type {HTMLElement} */ (root.querySelector('#pane'));
    if (!TraceView.load) return;
    this.$('#welcome').append(this.opener());
    const field = this.$('#file');
    field.onchange = () => {
      const files = [...(field.files ?? [])];
      field.value = ''; // so that the same file can be opened again
      if (files.length) this.open(files);
    };
    this.acceptDrops();
  }

  /**
   * @template {string} Selector
   * @param {Selector} selector
   * @returns {Selector extends '#file' ? HTMLInputElement : HTMLElement}
   */
  $(selector) {
    const found = this.pane.querySelector(selector);
    if (!found) throw new Error(`there is no ${selector}`);
    return /** @type {Selector extends '#file' ? HTMLInputElement : HTMLElement} */ (found);
  }

  get isPage() {
    return this.hasAttribute('whole-page');
  }

  // Whether the reader of the page can open nothing else.
  get readOnly() { return this.hasAttribute('read-only'); }
  set readOnly(is) { this.toggleAttribute('read-only', is); }

  connectedCallback() {
    if (this.src && !this.viewer && !this.opening) this.open(this.src.split(/\s+/));
  }

  // Opens the files that the address names, if the page knows where they are. A browser may want to be asked by a click.
  async again() {
    const names = (fromAddress(location.hash).files ?? []).map(({ name }) => name);
    const files = await known(names).catch(() => []);
    if (!files.length || this.viewer || this.opening) return;
    const allowed = await Promise.all(files.map((file) => file.queryPermission?.() ?? 'granted'));
    if (allowed.every((state) => state === 'granted')) return this.open(files);
    const ask = async () => {
      for (const file of files) await file.requestPermission?.();
      return this.open(files);
    };
    this.$('#welcome').append(element('p', {}, button(`Open ${names.join(', ')} again`, 'Show what the address says', ask)));
  }

  // An element that is only moved within its page stays as it is.
  disconnectedCallback() {
    queueMicrotask(() => { if (!this.isConnected) this.close(); });
  }

  /**
   * @param {string} name
   * @param {string | null} before
   * @param {string | null} now
   */
  attributeChangedCallback(name, before, now) {
    if (name === 'src' && this.isConnected && now) this.open(now.split(/\s+/));
    if (name === 'read-only') for (const opener of this.pane.querySelectorAll('.opener')) /** @type {HTMLElement} */ (opener).hidden = this.readOnly;
    else if (name !== 'src') this.take(name);
  }

  /**
   * Does what an attribute says about the trace that is open.
   * @param {string} name
   */
  take(name, viewer = this.viewer) {
    const value = this.getAttribute(name);
    if (!viewer || value === null) return;
    if (name === 'range') viewer.setRange(rangeOf(value));
    else if (name === 'theme') {
      viewer.options.theme = value;
      viewer.theme();
    }
  }

  get src() { return this.getAttribute('src') ?? ''; }
  set src(value) { this.setAttribute('src', value); }
  get theme() { return this.getAttribute('theme') ?? 'auto'; }
  set theme(value) { this.setAttribute('theme', value); }
  /** @returns {import('./place.js').Range | null | undefined} */
  get range() { return this.viewer?.range; }
  set range(range) { this.viewer?.setRange(range ?? undefined); }
  /** @returns {import('./under.js').Element | number | { id: number } | null | undefined} */
  get selection() { return this.viewer?.selected; }

  // Everything that the user has set, such as marks, what is hidden and what is looked for. What is set becomes a part of that.
  /** @returns {import('./place.js').Place | undefined} */
  get place() { return this.viewer?.current; }
  /** @param {Partial<import('./place.js').Place>} part */
  set place(part) {
    const { files, panel = '', ...rest } = part, viewer = this.shown();
    viewer.change(rest);
    const [name, mode] = panel.split(' ');
    if (name) viewer.drawer.show(name, mode);
  }

  // What the user has set for all traces, and how boxes and arrows are drawn.
  /** @returns {Partial<import('./viewer.js').Settings> | undefined} */
  get settings() { return this.viewer?.settings; }
  set settings(settings) {
    const viewer = this.shown();
    for (const [key, value] of Object.entries(settings ?? {})) viewer.setOption(/** @type {keyof import('./viewer.js').Settings} */ (key), value);
  }

  // Selects a slice by its number and brings it into view, or selects nothing.
  set selection(slice) {
    if (slice === undefined || slice === null) this.viewer?.select(undefined);
    else this.viewer?.go(typeof slice === 'number' ? slice : slice.id);
  }

  // Opens files and addresses, several on one axis of time. What is open stays until all were read, and if they cannot be
  // read. Returns whether they could.
  /** @param {Wanted[]} files */
  async open(files) {
    this.opening?.abort();
    const current = (this.opening = new AbortController());
    const { signal } = current;
    const { load } = TraceView, title = files.map(nameOf).join(', ');
    if (!load) return false;
    const bar = element('progress', { ariaLabel: 'Read' }), text = element('span', { textContent: 'Reading …' });
    this.notify(element('p', {}, element('strong', { textContent: title }), ' ', text), bar, button('Cancel', 'Stop reading', () => this.cancel()));
    /** @type {(read: number, size: number, phase?: string) => void} */
    const tell = (read, size, phase) => {
      if (size) Object.assign(bar, { max: size, value: read });
      this.tell('progress', { read, size, phase });
      const megabytes = (/** @type {number} */ bytes) => grouped(bytes / 1e6, 1);
      text.textContent = phase ?? (size ? `${megabytes(read)} of ${megabytes(size)} MB` : `${megabytes(read)} MB`);
    };
    try {
      /** @type {Opened[]} */
      const all = [];
      for (const file of files) all.push(typeof file === 'string' ? await fetched(file, tell, signal) : isHandle(file) ? await file.getFile() : file);
      const size = all.reduce((sum, file) => sum + file.size, 0);
      if (this.isPage && !this.viewer) {
        const place = fromAddress(location.hash);
        for (const { name, offset } of place.files ?? []) if (offset !== undefined) this.shifts.set(name, BigInt(offset));
        this.value = place.value;
      }
      const offsets = all.map(({ name }) => this.shifts.get(name));
      if (!this.viewer && all.length === 1 && size > LARGE) this.begin(all[0], title, signal);
      const { source, about } = await load(all, (read, phase) => tell(read, size, phase), signal, offsets, this.value);
      this.opening = undefined;
      this.files = files;
      this.notify();
      if (this.isPage) remember(files.filter(isHandle)).catch(() => {}); // a browser that keeps nothing opens nothing again
      await this.show(source, about, title);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.cancel();
      const place = error.offset === undefined ? '' : ` The problem is at byte ${grouped(error.offset)}.`;
      const sentence = `${title} cannot be read: ${error.message}.${place}`;
      this.notify(element('p', { className: 'error', role: 'alert', textContent: sentence }), button('×', 'Close', () => this.notify()));
      this.tell('error', { message: error.message, offset: error.offset });
      return false;
    }
  }

  /**
   * Shows the beginning of a large file while all of it is read.
   * @param {Opened} file
   * @param {string} title
   * @param {AbortSignal} signal
   */
  async begin(file, title, signal) {
    const beginning = file instanceof Blob ? new File([file.slice(0, BEGINNING)], file.name) : { ...file, most: BEGINNING };
    const loaded = await TraceView.load?.([beginning], () => {}, signal, [undefined], this.value).catch(() => undefined);
    if (!loaded) return;
    const { source, about } = loaded;
    if (this.opening?.signal !== signal) return source.close?.();
    const viewer = (this.beginning = this.viewerOf(source, about, title));
    this.take('theme', viewer);
    await viewer.open();
    viewer.hint('This is the beginning. The rest is being read.');
  }

  /**
   * Opens another file beside those that are open.
   * @param {Wanted} file
   */
  addFile(file) {
    return this.open([...this.files, file]);
  }

  /**
   * Adds nanoseconds to the times of one of several files, instead of what the files say.
   * @param {string} name
   * @param {bigint | number} offset
   */
  shift(name, offset) {
    this.shifts.set(name, BigInt(offset));
    return this.open(this.files);
  }

  /**
   * Shows another value of the samples, or with `undefined` that of the file, in the panel that is open.
   * @param {string | undefined} value
   */
  async showValue(value) {
    const measure = this.viewer?.place.measure, current = this.viewer?.drawer.current;
    this.value = value;
    if (!(await this.open(this.files))) return;
    if (measure) await this.viewer?.change({ measure });
    if (current) this.viewer?.drawer.show(current);
  }

  // Gives up what is being opened.
  cancel() {
    if (!this.viewer) return this.close();
    this.opening?.abort();
    this.opening = undefined;
    this.notify();
  }

  /**
   * @param {import('../page.js').Source} source
   * @param {import('../engine.js').About} about
   * @param {string} title
   * @param {import('./viewer.js').Surroundings} [surroundings]
   */
  viewerOf(source, about, title, surroundings) {
    this.beginning?.close();
    this.beginning = undefined;
    this.pane.classList.add('open');
    this.$('#trace').innerHTML = MARKUP;
    return new Viewer(this.pane, source, about, title, surroundings);
  }

  /**
   * Shows what a source has: another trace, or with a place the finished one of a trace that has grown until now.
   * @param {import('../page.js').Source} source
   * @param {import('../engine.js').About} about
   * @param {string} title
   * @param {import('../engine.js').Place} [place]
   */
  async show(source, about, title, place) {
    if (this.viewer && this.isPage) {
      // The place in the address is that of the last trace.
      const hash = place ? toAddress(place) : withoutPlace(location.hash);
      history.replaceState(null, '', location.pathname + location.search + hash);
    }
    if (place) this.viewer?.leave();
    else this.viewer?.close();
    const viewer = (this.viewer = this.viewerOf(source, about, title, {
      isPage: this.isPage, tell: (...what) => this.tell(...what), moveFile: (...how) => this.shift(...how), showValue: (value) => this.showValue(value),
      grown: (finished, fault) => this.showFinished(finished, fault), hasGrown: Boolean(place),
    }));
    if (TraceView.load) this.$('#open-place').append(this.opener());
    if (this.isPage && this.files.some((file) => typeof file !== 'string' && !isHandle(file))) {
      // A browser asks for pages alone that somebody has touched, and complains of the others.
      const ask = (/** @type {Event} */ event) => { if (navigator.userActivation?.hasBeenActive ?? true) event.preventDefault(); };
      addEventListener('beforeunload', ask, { signal: viewer.ends.signal });
    }
    await viewer.open();
    for (const name of ['theme', 'range']) this.take(name);
    this.tell('loaded', { title, format: about.format, start: about.start, end: about.end, unit: about.unit });
  }

  /**
   * A trace has grown to its end. What is wrong if it should not have ended is said.
   * @param {import('../page.js').Finished} finished
   * @param {string | undefined} fault
   */
  async showFinished({ about, place }, fault) {
    if (!this.viewer) return;
    const { source, title } = this.viewer;
    await this.show(source, about, title, place);
    if (fault) this.viewer.hint(`Nothing comes any more: ${fault}.`);
  }

  close() {
    this.opening?.abort();
    this.opening = undefined;
    this.notify();
    for (const viewer of [this.beginning, this.viewer]) viewer?.close();
    this.beginning = this.viewer = undefined;
    this.pane.classList.remove('open');
    this.$('#trace').replaceChildren();
  }

  /**
   * Finds a text, or a regular expression between slashes. Returns how many slices and instants there are.
   * @param {string} text
   */
  async find(text) {
    const viewer = this.shown();
    await viewer.finder.search(text);
    const { found } = this.shown().finder;
    if (found && 'error' in found) throw new SyntaxError(found.error);
    return { slices: found?.slices ?? 0, instants: found?.instants ?? 0 };
  }

  /**
   * Shows a range of time, in ticks.
   * @param {number} start
   * @param {number} end
   */
  zoomTo(start, end) {
    this.shown().show(start, end);
  }

  // The timeline as it is drawn, as a PNG file.
  /** @returns {Promise<Blob | null>} */
  async picture() {
    const { canvas } = this.shown();
    return new Promise((resolve) => { canvas.toBlob(resolve); });
  }

  // A page that has the trace, the place and this viewer in one file.
  /** @returns {Promise<Blob>} */
  async save() {
    const { source, current } = this.shown();
    if (!source.save) throw new DOMException('This engine saves no page.', 'NotSupportedError');
    return source.save(current);
  }

  // What shows the trace. Without one, the error says so.
  shown() {
    if (!this.viewer) throw new DOMException('No trace is open.', 'InvalidStateError');
    return this.viewer;
  }

  /**
   * @param {string} name
   * @param {unknown} [detail]
   */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** @param {Node[]} parts */
  notify(...parts) {
    this.$('#notice').replaceChildren(...parts);
    this.$('#notice').hidden = !parts.length;
  }

  opener() {
    const opener = button('Open', 'Open a trace, or several on one axis of time', () => this.choose());
    opener.className = 'opener';
    opener.hidden = this.readOnly;
    return opener;
  }

  // Lets the user choose files, if possible so that the page knows where they are.
  async choose() {
    /** @type {FileSystemFileHandle[]} */
    let files = [];
    try {
      if (!this.isPage || !window.showOpenFilePicker) return this.$('#file').click();
      files = await window.showOpenFilePicker({ multiple: true });
    } catch (error) {
      if (error.name !== 'AbortError') this.$('#file').click();
    }
    if (files.length) this.open(files);
  }

  acceptDrops() {
    for (const type of /** @type {const} */ (['dragover', 'dragleave', 'drop'])) {
      this.addEventListener(type, async (event) => {
        event.preventDefault();
        this.pane.classList.toggle('dropping', type === 'dragover' && !this.readOnly);
        const items = type === 'drop' && !this.readOnly ? [...(event.dataTransfer?.items ?? [])] : [];
        const files = (await Promise.all(items.map(dropped))).flatMap((file) => file ?? []);
        if (files.length) this.open(files);
      });
    }
  }
}

/**
 * @param {Wanted} file
 * @returns {file is FileSystemFileHandle}
 */
const isHandle = (file) => typeof file !== 'string' && 'getFile' in file;

/**
 * What was dropped, if possible so that the page knows where it is. All of it is asked for before the event has ended.
 * @param {DataTransferItem} item
 */
async function dropped(item) {
  const file = item.getAsFile(), handle = await item.getAsFileSystemHandle?.().catch(() => null);
  return handle?.kind === 'file' ? /** @type {FileSystemFileHandle} */ (handle) : file;
}

/** @param {Wanted} file */
function nameOf(file) {
  return typeof file === 'string' ? decodeURIComponent(new URL(file, document.baseURI).pathname.split('/').pop() ?? '') : file.name;
}

/**
 * Reads what is at an address. `tell` is told how much that is so far, and how much it will be if that is known.
 * @param {string} address
 * @param {(read: number, size: number) => void} tell
 * @param {AbortSignal} signal
 */
async function fetched(address, tell, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const size = Number(answer.headers.get('Content-Length')), parts = [];
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (answer.body).getReader();
  for (let read = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    tell((read += value.length), size);
  }
  return new File(parts, nameOf(address));
}
