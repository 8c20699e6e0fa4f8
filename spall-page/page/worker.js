// Holds a trace, compiled Rust and nothing else. The page sends `{ id, open }` or `{ id, question }`, and gets messages.
import init, { Viewer } from './pkg/spall_web.js';
import { ANSWER, ERROR, LATER, PROGRESS, messageOf } from './source.js';

const PIECE = 4 << 20; // bytes that are read at once
const BY_ITSELF = -(2n ** 63n); // the offset of a file that says where it belongs

/**
 * @typedef {{ files: File[], offsets?: (bigint | undefined)[], value?: string | undefined, wasm?: ArrayBuffer }} Files
 * @typedef {(at: number, phase?: string) => void} Tell
 */

/** @type {Viewer} */
let viewer;
/** @type {Error | undefined} */
let ended; // why there is none any more

// Makes a viewer of files, whose bytes Rust asks for piece by piece. The page is told how far that is. Returns the files as
// they were read.
/**
 * @param {Files} _
 * @param {Tell} tell
 * @returns {Promise<File[]>}
 */
async function open({ files, offsets = files.map(() => undefined), value, wasm }, tell) {
  await init({ module_or_path: wasm ?? new URL('./pkg/spall_web_bg.wasm', import.meta.url) });
  let failed, /** @type {Uint8Array} */ unread = new Uint8Array(files.length).fill(1);
  try {
    viewer = new Viewer(...inputs(files, offsets, tell), value);
    unread = viewer.unread();
  } catch (error) {
    failed = error;
  }
  // A saved page has no module for brotli, and needs none.
  const unpacked = wasm ? files : await Promise.all(files.map((file, at) => (unread[at] ? withoutBrotli(file) : file)));
  if (unpacked.some((file, at) => file !== files[at])) {
    try {
      return await open({ files: unpacked, offsets, value }, tell);
    } catch {
      // It was no brotli after all.
    }
  }
  if (failed) throw failed;
  return files;
}

/**
 * What Rust gets of files: their names, what reads them, and their offsets.
 * @param {File[]} files
 * @param {(bigint | undefined)[]} offsets
 * @param {Tell} tell
 * @returns {[string[], ((from: number, to: number) => Uint8Array)[], BigInt64Array]}
 */
function inputs(files, offsets, tell) {
  const reader = new FileReaderSync();
  const size = files.reduce((sum, file) => sum + file.size, 0);
  let told = 0, before = 0;
  const readers = files.map((file) => {
    const base = before;
    before += file.size;
    // Rust asks for small pieces, and the browser takes its time for each.
    let held = new Uint8Array(), start = 0;
    return (/** @type {number} */ from, /** @type {number} */ to) => {
      if (from < start || from >= start + held.length) {
        held = new Uint8Array(reader.readAsArrayBuffer(file.slice(from, from + PIECE)));
        start = from;
      }
      const at = base + Math.min(to, file.size);
      if (performance.now() - told > 50 || at >= size) {
        told = performance.now();
        tell(at, at >= size ? 'Laying out …' : undefined);
      }
      return held.subarray(from - start, to - start);
    };
  });
  return [files.map(({ name }) => name), readers, BigInt64Array.from(offsets, (offset) => offset ?? BY_ITSELF)];
}

// The content of a file that is a brotli stream, or the file itself. Brotli has no mark: only a file that is nothing else is
// asked, and its decoder is a module that few pages load.
/** @param {File} file */
async function withoutBrotli(file) {
  const { default: init, decode, may_be_brotli } = await import('./pkg/spall_web_brotli.js');
  await init({ module_or_path: new URL('./pkg/spall_web_brotli_bg.wasm', import.meta.url) });
  /** @param {Blob} blob */
  const bytes = async (blob) => new Uint8Array(await blob.arrayBuffer());
  if (!may_be_brotli(await bytes(file.slice(0, 1 << 16)))) return file;
  const content = decode(await bytes(file));
  return content.length ? new File([content], file.name) : file;
}

const channel = new MessageChannel();
/** @type {(() => void)[]} */
const pausing = [];
channel.port1.onmessage = () => pausing.shift()?.();

// Lets other questions be answered first.
const pause = () => /** @type {Promise<void>} */ (new Promise((resolve) => {
  pausing.push(resolve);
  channel.port2.postMessage(0);
}));

/**
 * Answers a question, a long one for 8 ms at a time.
 * @param {Uint8Array} question
 * @param {(message: Uint8Array<ArrayBuffer>) => void} take
 */
async function ask(question, take) {
  let message = viewer.ask(question), told = performance.now();
  for (const later = message; message[0] === LATER || message[0] === PROGRESS; ) {
    if (message[0] === PROGRESS) {
      if (performance.now() - told > 100) {
        told = performance.now();
        take(message);
      }
      await pause();
    }
    const until = performance.now() + 8;
    message = viewer.go_on(later, () => performance.now() < until);
  }
  take(message);
}

onmessage = async ({ data: { id, open: files, question } }) => {
  const take = (/** @type {Uint8Array<ArrayBuffer>} */ message) => postMessage({ id, message }, { transfer: [message.buffer] });
  try {
    if (ended) throw ended;
    if (question) return await ask(question, take);
    const read = await open(files, (...told) => take(messageOf(PROGRESS, told)));
    postMessage({ id, message: messageOf(ANSWER, undefined), files: read });
  } catch (error) {
    const isMemory = error instanceof RangeError || /memory|unreachable/.test(error?.message);
    // Rust that was cut short cannot go on.
    if (isMemory) ended ??= new Error('the trace needs more memory than a browser gives; `spall open FILE` shows files of any size');
    const { message = String(error), offset } = isMemory ? ended : error;
    take(messageOf(ERROR, { message, offset }));
  }
};
