// Takes the picture of the README: `node picture.mjs TRACE OUT.png`. Needs `dist`, which `cargo web --build` makes.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser } from './browser.mjs';
import { serve } from './server.mjs';

const [trace, out] = process.argv.slice(2).map((path) => resolve(path));
const server = await serve(join(dirname(fileURLToPath(import.meta.url)), '../dist'));
const browser = await Browser.start();
const page = await browser.page(1000, 560);
await page.open(`http://127.0.0.1:${server.address().port}/`);
await page.choose('#file', trace);
await page.until('viewer?.frame');
await page.value('viewer.setRange({ start: 0.3 * viewer.about.end, end: 0.8 * viewer.about.end })');
await page.key('2', 'Digit2');
await page.until('viewer.drawer.calls.graphs[0]?.part && !viewer.isAsking && !viewer.isDrawing');
await new Promise((done) => { setTimeout(done, 500); });
await page.screenshot(out);
await browser.close();
server.close();
