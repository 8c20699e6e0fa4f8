// A headless Chromium, driven through its DevTools protocol. Node brings all that it takes.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--remote-debugging-pipe',
];

// What tests say `root` and `viewer` for: the shadow root of the first viewer of a page, and its trace.
const GLOBALS = `for (const [name, get] of Object.entries({
  root: () => document.querySelector('trace-view')?.shadowRoot ?? document,
  viewer: () => document.querySelector('trace-view')?.viewer,
})) Object.defineProperty(window, name, { get });`;

export class Browser {
  static async start(program = 'chromium') {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), 'viewer-'));
    // The browser reads from file 3 and writes to file 4: messages of JSON that end with a zero.
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'];
    browser.process = spawn(program, [...FLAGS, `--user-data-dir=${browser.folder}`, 'about:blank'], { stdio });
    browser.process.on('error', (error) => { throw error; });
    let rest = Buffer.alloc(0);
    browser.process.stdio[4].on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) browser.receive(JSON.parse(rest.subarray(0, end)));
    });
    return browser;
  }

  last = 0;
  waiting = new Map();
  sessions = new Map();

  receive({ id, sessionId, method, params, result, error }) {
    if (id) {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    } else this.sessions.get(sessionId)?.event(method, params);
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.waiting.set(id, { resolve, reject });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async page(width, height) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    this.sessions.set(sessionId, page);
    for (const domain of ['Page', 'Runtime', 'Log', 'DOM']) await page.send(`${domain}.enable`);
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: GLOBALS });
    await page.resize(width, height);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => { this.process.on('exit', resolve); });
    await this.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

export class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.errors = []; // what the console complained about
    this.asked = []; // the dialogs that the page has opened
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  event(method, params) {
    if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') this.errors.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    if (method === 'Page.loadEventFired') this.loaded?.();
    // A page that is left asks whether it may be.
    if (method === 'Page.javascriptDialogOpening') {
      this.asked.push(params.type);
      this.send('Page.handleJavaScriptDialog', { accept: true });
    }
  }

  async resize(width, height, ratio = 1, mobile = false) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: ratio, mobile });
  }

  async open(url) {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    await this.send('Page.navigate', { url });
    await loaded;
  }

  async reload() {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    await this.send('Page.reload');
    await loaded;
  }

  // What an expression of the page is, once it has settled.
  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until an expression of the page is truthy, and returns it.
  async until(expression, seconds = 60) {
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {
      const value = await this.value(expression);
      if (value) return value;
      await new Promise((resolve) => { setTimeout(resolve, 30); });
    }
    throw new Error(`never true: ${expression}; the page says ${await this.value('(root.querySelector("#pane") ?? document.body).innerText.slice(0, 400)')}`);
  }

  async mouse(type, x, y, more = {}) {
    await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'none', ...more });
  }

  async move(x, y) {
    await this.mouse('mouseMoved', x, y);
  }

  async click(x, y, more = {}) {
    await this.move(x, y);
    await this.mouse('mousePressed', x, y, { button: 'left', clickCount: 1, ...more });
    await this.mouse('mouseReleased', x, y, { button: 'left', clickCount: 1, ...more });
  }

  async drag(from, to, more = {}) {
    await this.move(...from);
    await this.mouse('mousePressed', ...from, { button: 'left', clickCount: 1, ...more });
    for (let step = 1; step <= 5; step++) {
      const at = from.map((start, axis) => start + ((to[axis] - start) * step) / 5);
      await this.mouse('mouseMoved', ...at, { buttons: 1, ...more });
      await new Promise((resolve) => { setTimeout(resolve, 30); });
    }
    await this.mouse('mouseReleased', ...to, { button: 'left', clickCount: 1, ...more });
  }

  async wheel(x, y, deltaX, deltaY, modifiers = 0) {
    await this.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX, deltaY, modifiers });
  }

  // A finger goes down at a place, rests there for a while, moves to other places, and goes up.
  async touch(from, rest, ...places) {
    const at = ([x, y]) => [{ x, y }];
    const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
    await this.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(from) });
    await wait(rest);
    for (const place of places) {
      await this.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(place) });
      await wait(30);
    }
    await this.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  // Presses a key, such as { key: 'f', code: 'KeyF' }.
  async key(key, code = key, modifiers = 0) {
    const text = key.length === 1 && !modifiers ? { text: key } : {};
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, modifiers, ...text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, modifiers });
  }

  async type(text) {
    await this.send('Input.insertText', { text });
  }

  async choose(selector, ...files) {
    const { result } = await this.send('Runtime.evaluate', { expression: `root.querySelector(${JSON.stringify(selector)})` });
    await this.send('DOM.setFileInputFiles', { objectId: result.objectId, files });
  }

  async screenshot(path) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
}
