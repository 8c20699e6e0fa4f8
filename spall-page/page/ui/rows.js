// The rows of a table that the engine has: they are asked for in pieces, and written as a whole.
import { element } from './dom.js';

const PIECE = 200; // rows that are asked for at once
const WRITTEN = 5000; // the same for a file
const KEPT = 50; // pieces

/**
 * Rows of which those are known that were in sight lately.
 * @template Row
 */
export class Rows {
  /** @type {Map<number, Row[] | undefined>} */
  pieces = new Map();

  /**
   * @param {(from: number, count: number) => Promise<Row[]>} ask
   * @param {(rows: Row[]) => void} arrived is called with rows that have come
   */
  constructor(ask, arrived) {
    this.ask = ask;
    this.arrived = arrived;
  }

  /**
   * A row, or nothing if it has not come yet. Then it is asked for.
   * @param {number} at
   */
  at(at) {
    const piece = Math.floor(at / PIECE);
    if (!this.pieces.has(piece)) this.load(at);
    return this.pieces.get(piece)?.[at % PIECE];
  }

  /**
   * Asks for a row and those around it, unless that was done.
   * @param {number} at
   */
  async load(at) {
    const { pieces } = this, piece = Math.floor(at / PIECE);
    if (pieces.has(piece)) return;
    pieces.set(piece, undefined);
    const rows = await this.ask(piece * PIECE, PIECE);
    pieces.set(piece, rows);
    for (const old of [...pieces.keys()].slice(0, -KEPT)) pieces.delete(old);
    this.arrived(rows);
  }
}

/**
 * All rows as text, in parts; nothing if they are gone, or it was given up.
 * @param {number} count
 * @param {(from: number, count: number) => Promise<string | undefined>} ask
 * @param {AbortSignal} signal
 * @param {(done: number) => void} tell
 */
export async function written(count, ask, signal, tell) {
  const parts = [];
  for (let from = 0; from === 0 || from < count; from += WRITTEN) {
    const part = await ask(from, WRITTEN);
    if (part === undefined || signal.aborted) return undefined;
    parts.push(part);
    if (count > WRITTEN) tell(Math.min(from + WRITTEN, count));
  }
  return parts;
}

/**
 * @param {string[]} parts
 * @param {string} name
 */
export function saveCsv(parts, name) {
  const link = element('a', { href: URL.createObjectURL(new Blob(parts, { type: 'text/csv' })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * Copies what is being written. The clipboard is asked at once, while the browser remembers the click.
 * @param {Promise<string[] | undefined>} parts
 */
export function copy(parts) {
  const text = parts.then((parts) => new Blob(parts ?? [], { type: 'text/plain' }));
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
}
