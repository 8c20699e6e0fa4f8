// Shows what a saved page has in itself. `worker` is the address of the worker, and `bytes` are those of some elements.
import { TraceView } from './ui/element.js';
import { toAddress } from './ui/address.js';
import { open, parts } from './wasm.js';
import { template } from './save.js';

export async function start(worker, bytes) {
  template.text = `<!doctype html>\n<html lang="en">\n${document.head.outerHTML}\n<body>\n<trace-view whole-page></trace-view>\n`;
  parts.worker = worker;
  parts.wasm = await (await bytes([document.querySelector('#wasm')])).arrayBuffer();
  TraceView.load = open;
  customElements.define('trace-view', TraceView);
  const place = document.querySelector('#place'), elements = [...document.querySelectorAll('[data-file]')];
  if (place && !location.hash) history.replaceState(null, '', toAddress(JSON.parse(place.textContent)));
  const files = [];
  for (const numbers = [...new Set(elements.map(({ dataset }) => dataset.file))]; numbers.length; ) {
    const number = numbers.shift(), own = elements.filter(({ dataset }) => dataset.file === number);
    files.push(new File([await bytes(own)], own[0].dataset.name));
  }
  for (const done of elements) done.remove();
  if (files.length) document.querySelector('trace-view').open(files);
}
