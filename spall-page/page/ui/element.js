// `<trace-view>`: the viewer as an element of any page, in a shadow root of its own.
import { element, button } from './dom.js';
import { MARKUP } from './markup.js';
import { STYLE } from './style.js';
import { Viewer } from './viewer.js';
import { fromAddress, rangeOf, toAddress, withoutPlace } from './address.js';
import { grouped } from './text.js';

const FRAME = `
<div id="pane">
  <input id="file" type="file" multiple hidden aria-label="Open traces">
  <div id="welcome"><slot><p>Open a trace, or drop it here.</p></slot></div>
  <div id="notice" hidden></div>
  <div id="trace"></div>
</div>`;

const LARGE = 16 << 20, BEGINNING = 4 << 20; // in bytes

export class TraceView extends HTMLElement {
  static observedAttributes = ['src', 'theme', 'range'];

  // Loads files; a promise of a source and what it says about itself. A notebook has its trace and loads none.
  static load = undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = FRAME;
    this.pane = root.querySelector('#pane');
    this.files = [];
    this.shifts = new Map(); // the nanoseconds that the user has added to files, by their names
    this.value = undefined; // of samples, if another one is wanted than the file says
    if (!TraceView.load) return;
    this.$('#welcome').append(this.opener());
    const field = this.$('#file');
    field.onchange = () => {
      const files = [...field.files];
      field.value = ''; // so that the same file can be opened again
      if (files.length) this.open(files);
    };
    this.acceptDrops();
  }

  $(selector) {
    return this.pane.querySelector(selector);
  }

  get isPage() {
    return this.hasAttribute('whole-page');
  }

  connectedCallback() {
    if (this.src && !this.viewer && !this.opening) this.open(this.src.split(/\s+/));
  }

  // An element that is only moved within its page stays as it is.
  disconnectedCallback() {
    queueMicrotask(() => { if (!this.isConnected) this.close(); });
  }

  attributeChangedCallback(name, before, now) {
    if (name === 'src' && this.isConnected && now) this.open(now.split(/\s+/));
    if (name !== 'src') this.take(name);
  }

  // Does what an attribute says about the trace that is open.
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
  get range() { return this.viewer?.range; }
  set range(range) { this.viewer?.setRange(range ?? undefined); }
  get selection() { return this.viewer?.selected; }

  // Selects a slice by its number and brings it into view, or selects nothing.
  set selection(slice) {
    if (slice === undefined || slice === null) this.viewer?.select(undefined);
    else this.viewer?.go(slice.id ?? slice);
  }

  // Opens files and addresses, several on one axis of time. What is open stays until all were read, and if they cannot be
  // read. Returns whether they could.
  async open(files) {
    this.opening?.abort();
    const current = (this.opening = new AbortController());
    const { signal } = current;
    const title = files.map((file) => file.name ?? nameOf(file)).join(', ');
    const bar = element('progress', { ariaLabel: 'Read' }), text = element('span', { textContent: 'Reading …' });
    this.notify(element('p', {}, element('strong', { textContent: title }), ' ', text), bar, button('Cancel', 'Stop reading', () => this.cancel()));
    const tell = (read, size, phase) => {
      if (size) Object.assign(bar, { max: size, value: read });
      const megabytes = (bytes) => grouped(bytes / 1e6, 1);
      text.textContent = phase ?? (size ? `${megabytes(read)} of ${megabytes(size)} MB` : `${megabytes(read)} MB`);
    };
    try {
      const all = [];
      for (const file of files) all.push(typeof file === 'string' ? await fetched(file, tell, signal) : file);
      const size = all.reduce((sum, file) => sum + file.size, 0);
      if (this.isPage && !this.viewer) {
        const place = fromAddress(location.hash);
        this.shifts = new Map(place.files.flatMap(({ name, offset }) => (offset === undefined ? [] : [[name, BigInt(offset)]])));
        this.value = place.value;
      }
      const offsets = all.map(({ name }) => this.shifts.get(name));
      if (!this.viewer && all.length === 1 && size > LARGE) this.begin(all[0], title, signal);
      const { source, about } = await TraceView.load(all, (read, phase) => tell(read, size, phase), signal, offsets, this.value);
      this.opening = undefined;
      this.files = files;
      this.notify();
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

  // Shows the beginning of a large file while all of it is read.
  async begin(file, title, signal) {
    const beginning = file instanceof Blob ? new File([file.slice(0, BEGINNING)], file.name) : { ...file, most: BEGINNING };
    const { source, about } = await TraceView.load([beginning], () => {}, signal, [undefined], this.value).catch(() => ({}));
    if (!source || this.opening?.signal !== signal) return source?.close();
    const viewer = (this.beginning = this.viewerOf(source, about, title));
    this.take('theme', viewer);
    await viewer.open();
    viewer.hint('This is the beginning. The rest is being read.');
  }

  // Opens another file beside those that are open.
  addFile(file) {
    return this.open([...this.files, file]);
  }

  // A file as a place names it.
  named(file) {
    const name = file.name ?? nameOf(file);
    return { name, offset: this.shifts.get(name)?.toString() };
  }

  // Adds nanoseconds to the times of one of several files, instead of what the files say.
  shift(name, offset) {
    this.shifts.set(name, BigInt(offset));
    return this.open(this.files);
  }

  // Shows another value of the samples, or with `undefined` that of the file, in the panel that is open.
  async showValue(value) {
    const { measure, drawer: { current } } = this.viewer;
    this.value = value;
    if (!(await this.open(this.files))) return;
    this.viewer.measure = measure;
    if (current) this.viewer.drawer.show(current);
  }

  // Gives up what is being opened.
  cancel() {
    if (!this.viewer) return this.close();
    this.opening?.abort();
    this.opening = undefined;
    this.notify();
  }

  viewerOf(source, about, title, options) {
    this.beginning?.close();
    this.beginning = undefined;
    this.pane.classList.add('open');
    this.$('#trace').innerHTML = MARKUP;
    return new Viewer(this.pane, source, about, title, options);
  }

  // Shows what a source has: another trace, or with a place the finished one of a trace that has grown until now.
  async show(source, about, title, place) {
    if (this.viewer && this.isPage) {
      // The place in the address is that of the last trace.
      const hash = place ? toAddress(place) : withoutPlace(location.hash);
      history.replaceState(null, '', location.pathname + location.search + hash);
    }
    if (place) this.viewer?.leave();
    else this.viewer?.close();
    const viewer = (this.viewer = this.viewerOf(source, about, title, {
      isPage: this.isPage, tell: (...what) => this.tell(...what), files: this.files.map((file) => this.named(file)), moveFile: (...how) => this.shift(...how), showValue: (value) => this.showValue(value),
      grown: (finished, fault) => this.showFinished(finished, fault), hasGrown: Boolean(place),
    }));
    if (TraceView.load) this.$('#open-place').append(this.opener());
    if (this.isPage && this.files.some((file) => typeof file !== 'string')) {
      // A browser asks for pages alone that somebody has touched, and complains of the others.
      const ask = (event) => { if (navigator.userActivation?.hasBeenActive ?? true) event.preventDefault(); };
      addEventListener('beforeunload', ask, { signal: viewer.ends.signal });
    }
    await viewer.open();
    for (const name of ['theme', 'range']) this.take(name);
    this.tell('loaded', { title, format: about.format, start: about.start, end: about.end, unit: about.unit });
  }

  // A trace has grown to its end. What is wrong if it should not have ended is said.
  async showFinished({ about, place }, fault) {
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

  // Finds a text, or a regular expression between slashes. Returns how many slices and instants there are.
  async find(text) {
    await this.viewer.finder.search(text);
    const { slices = 0, instants = 0, error } = this.viewer.finder.found ?? {};
    if (error) throw new SyntaxError(error);
    return { slices, instants };
  }

  // Shows a range of time, in ticks.
  zoomTo(start, end) {
    this.viewer.view.fit(start, end, 0);
    this.viewer.moved();
  }

  // The timeline as it is drawn, as a PNG file.
  picture() {
    return new Promise((resolve) => { this.viewer.canvas.toBlob(resolve); });
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  notify(...parts) {
    this.$('#notice').replaceChildren(...parts);
    this.$('#notice').hidden = !parts.length;
  }

  opener() {
    return button('Open', 'Open a trace, or several on one axis of time', () => this.$('#file').click());
  }

  acceptDrops() {
    for (const type of ['dragover', 'dragleave', 'drop']) {
      this.addEventListener(type, (event) => {
        event.preventDefault();
        this.pane.classList.toggle('dropping', type === 'dragover');
        if (type === 'drop' && event.dataTransfer.files.length) this.open([...event.dataTransfer.files]);
      });
    }
  }
}

function nameOf(address) {
  return decodeURIComponent(new URL(address, document.baseURI).pathname.split('/').pop());
}

// Reads what is at an address. `tell` is told how much that is so far, and how much it will be if that is known.
async function fetched(address, tell, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const size = Number(answer.headers.get('Content-Length')), parts = [];
  const reader = answer.body.getReader();
  for (let read = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    tell((read += value.length), size);
  }
  return new File(parts, nameOf(address));
}
