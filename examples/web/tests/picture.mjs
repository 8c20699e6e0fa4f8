// Takes the pictures of the README: `node picture.mjs TRACE OUT.png`, which needs `dist`, which `cargo web --build` makes, and
// `node picture.mjs ADDRESS OUT.png` of the page of a trace that grows.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser } from './browser.mjs';
import { serve } from './server.mjs';

const [shown, out] = process.argv.slice(2);
const browser = await Browser.start();
const page = await browser.page(1000, 560);
if (shown.startsWith('http:')) {
  await page.open(shown);
  await page.until('viewer?.frame?.main.numbers.length');
  await page.key('t', 'KeyT');
  await page.until('root.querySelector("#panel tbody")');
} else {
  const server = await serve(join(dirname(fileURLToPath(import.meta.url)), '../dist'));
  await page.open(`http://127.0.0.1:${server.address().port}/`);
  await page.choose('#file', resolve(shown));
  await page.until('viewer?.frame');
  await page.value('viewer.setRange({ start: 0.3 * viewer.about.end, end: 0.8 * viewer.about.end })');
  await page.key('2', 'Digit2');
  await page.until('viewer.drawer.calls.graphs[0]?.part && !viewer.isAsking && !viewer.isDrawing');
  server.close();
}
await new Promise((done) => { setTimeout(done, 500); });
await page.screenshot(resolve(out));
await browser.close();
