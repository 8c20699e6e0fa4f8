// A wire to a server on this machine, which has the trace and the library: `spall open` and `spall serve`.
import { answered, messageOf, sourceOf, ERROR } from './source.js';

/**
 * @param {string} path
 * @param {Record<string, string>} parameters
 */
const at = (path, parameters = {}) => new URL(`${path}?${new URLSearchParams(parameters)}`, document.baseURI);
const LOST = 'the program that has the trace does not answer any more; it was ended, or the connection is lost';

/**
 * Sends bytes, or a file, and hands each message of the answer to `take`.
 * @param {URL} address
 * @param {BodyInit} body
 * @param {import('./source.js').Take} take
 * @param {AbortSignal=} signal
 */
async function send(address, body, take, signal) {
  try {
    const answer = await fetch(address, { method: 'POST', body, signal: signal ?? null });
    if (!answer.ok) throw new Error((await answer.text()) || `${answer.status} ${answer.statusText}`);
    const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (answer.body).getReader();
    let held = new Uint8Array();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      held = held.length ? joined(held, value) : value;
      // A message comes behind its length.
      while (held.length >= 4) {
        const end = 4 + new DataView(held.buffer, held.byteOffset).getUint32(0, true);
        if (held.length < end) break;
        take(held.slice(4, end));
        held = held.subarray(end);
      }
    }
    if (held.length) throw new TypeError('cut short');
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    take(messageOf(ERROR, { message: LOST }));
  }
}

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 */
function joined(first, second) {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/**
 * @param {URL} address
 * @param {AbortSignal=} signal
 * @returns {import('./source.js').Ask}
 */
const asked = (address, signal) => (question, take) => send(address, question, take, signal);

// What the server was started with: its files, and the place to show.
export async function started() {
  const answer = await fetch(at('started')), begun = await answer.json();
  answersSql = begun.sql;
  return begun;
}

let answersSql = false;

// The engines that this page has in the server, by the names that it has given them.
/** @type {Set<string>} */
const engines = new Set();

/** @param {string} engine */
function close(engine) {
  if (engines.delete(engine)) navigator.sendBeacon(at('closed', { engine }));
}

// The server is told when the page is closed. One that comes back from the memory of the browser begins anew.
addEventListener('pagehide', () => engines.forEach(close));
addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload(); });

// Loads files, which are those of the server, or others that it is sent. Of a file with `most` only so many bytes are read.
/** @type {import('./page.js').Load} */
export const open = async (files, progress, signal, offsets, value) => {
  /**
   * @param {import('./page.js').Opened[]} files
   * @param {(bigint | undefined)[]} offsets
   * @param {AbortSignal} signal
   */
  const wanted = async (files, offsets, signal) => {
    const numbers = [];
    for (const file of files) numbers.push('number' in file ? file.number : await sent(file, progress, signal));
    return { files: numbers, offsets: offsets.map((offset) => offset?.toString()), value, most: files[0] && 'most' in files[0] ? files[0].most : undefined };
  };
  const engine = crypto.randomUUID();
  engines.add(engine);
  signal.addEventListener('abort', () => close(engine));
  const closed = new AbortController();
  await answered(asked(at('open', { engine }), signal), await wanted(files, offsets, signal), progress);
  /** @type {import('./page.js').Source['compareWith']} */
  const compareWith = async (file, progress, signal) => {
    await answered(asked(at('compare', { engine }), signal), await wanted([file], [undefined], signal), progress);
  };
  // Finishes a trace that has come to its end.
  const finish = () => answered((_, take) => send(at('finish', { engine }), '', take, closed.signal), undefined);
  /** @type {import('./page.js').Source['save']} */
  const save = async (place) => {
    const answer = await fetch(at('save'), { method: 'POST', body: JSON.stringify(place) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.blob();
  };
  /** @type {import('./page.js').Source['query']} */
  const query = (sql, signal) => answered((_, take) => send(at('query', { engine }), sql, take, signal), undefined);
  const ended = () => {
    closed.abort();
    close(engine);
  };
  const source = sourceOf({ ask: asked(at('ask', { engine }), closed.signal), close: ended, compareWith, finish, save, ...(answersSql ? { query } : {}) });
  return { source, about: await source.about() };
};

/**
 * Sends a file, and returns the number that the server has for it.
 * @param {File} file
 * @param {import('./page.js').Progress} progress
 * @param {AbortSignal} signal
 */
function sent(file, progress, signal) {
  progress(0, `Sending ${file.name} …`);
  return answered((_, take) => send(at('file', { name: file.name }), file, take, signal), undefined);
}
