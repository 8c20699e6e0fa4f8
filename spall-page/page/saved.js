// Shows what a saved page has in itself.
import { TraceView } from './ui/element.js';
import { kept, toAddress } from './ui/address.js';
import { open, parts } from './wasm.js';
import { template } from './save.js';

/** @typedef {HTMLElement & { dataset: { file: string, name: string } }} Kept an element that has a part of a file */

/**
 * @param {string} worker the address of the worker
 * @param {(elements: Element[]) => Promise<Blob>} bytes those of some elements
 */
export async function start(worker, bytes) {
  template.text = `<!doctype html>\n<html lang="en">\n${document.head.outerHTML}\n<body>\n<trace-view whole-page></trace-view>\n`;
  parts.worker = worker;
  parts.wasm = await (await bytes([...document.querySelectorAll('#wasm')])).arrayBuffer();
  TraceView.load = open;
  customElements.define('trace-view', TraceView);
  const place = document.querySelector('#place'), elements = /** @type {Kept[]} */ ([...document.querySelectorAll('[data-file]')]);
  /** @type {import('./engine.js').Place} */
  const saved = JSON.parse(place?.textContent ?? '{}');
  for (const track of saved.derived ?? []) if (typeof track === 'object' && 'rows' in track) kept.set(track.rows.title, track.rows);
  if (place && !location.hash) history.replaceState(null, '', toAddress(saved));
  const files = [];
  for (const number of new Set(elements.map(({ dataset }) => dataset.file))) {
    const own = elements.filter(({ dataset }) => dataset.file === number);
    files.push(new File([await bytes(own)], own[0].dataset.name));
  }
  for (const done of elements) done.remove();
  if (files.length) document.querySelector('trace-view')?.open(files);
}
