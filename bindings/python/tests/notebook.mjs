// A trace in a running JupyterLab, in a headless Chromium: `node notebook.mjs BIN FOLDER TRACE`.
//
// BIN has `jupyter` and the package. A cell shows the trace; what the page says is asked through the channel of the widget. The
// notebook is saved with the state of its widgets, opened again with a new process, and then shows the last picture.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '../../../examples/web/tests/browser.mjs';

const [bin, folder, trace] = process.argv.slice(2);
const PORT = 8877, TOKEN = 'notebook';
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

const settings = join(folder, 'settings');
mkdirSync(settings, { recursive: true });
writeFileSync(join(settings, 'overrides.json'), '{"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": true}}');
const source = `import spall_trace\nspall_trace.load(${JSON.stringify(trace)}).show(height=420)`;
writeFileSync(join(folder, 'show.ipynb'), JSON.stringify({
  nbformat: 4, nbformat_minor: 5, metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
  cells: [{ cell_type: 'code', id: 'show', source, metadata: {}, outputs: [], execution_count: null }],
}));
const lab = spawn(join(bin, 'jupyter'), ['lab', '--no-browser', '--allow-root', `--port=${PORT}`, `--ServerApp.token=${TOKEN}`, `--LabApp.app_settings_dir=${settings}`], { cwd: folder, stdio: 'ignore' });
const browser = await Browser.start();
let failed;
try {
  const tab = await browser.page(1400, 1000);
  const show = async (workspace) => {
    await tab.open(`http://127.0.0.1:${PORT}/lab/workspaces/${workspace}/tree/show.ipynb?token=${TOKEN}`);
    await tab.until('Boolean(document.querySelector(".jp-Notebook .jp-CodeCell .cm-content"))', 60);
    await tab.until('/Idle/.test(document.body.innerText)', 60);
  };
  const key = async (key, code, modifiers, text) => {
    const pressed = { key, code: key.length > 1 ? key : `Key${key.toUpperCase()}`, modifiers, windowsVirtualKeyCode: code };
    await tab.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed });
    if (text) await tab.send('Input.dispatchKeyEvent', { type: 'char', text, ...pressed });
    await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
  };
  for (let attempt = 0; ; attempt++) {
    await wait(500);
    if (await fetch(`http://127.0.0.1:${PORT}/api?token=${TOKEN}`).catch(() => undefined)) break;
    if (attempt > 60) throw new Error('JupyterLab does not start');
  }
  await show('first');
  const [x, y] = await tab.value('(({ x, y }) => [x, y])(document.querySelector(".jp-Notebook .cm-content").getBoundingClientRect())');
  await tab.click(x + 60, y + 8);
  await key('Enter', 13, 8, '\r');
  await tab.until('Boolean(document.querySelector("trace-view")?.viewer?.frame)', 60);
  const said = await tab.value(`(async () => {
    const { source, about, area } = document.querySelector('trace-view').viewer;
    const { slices } = await source.find('a'), { rows } = await source.statistics(area, 'name', { table: {}, most: 3 });
    return [about.counts.find(([what]) => what === 'slice')[1], slices, rows.length];
  })()`);
  if (!said.every((number) => number > 0)) throw new Error(`the page says ${said}`);
  await wait(3000);
  await tab.screenshot(join(folder, 'shown.png'));
  await key('s', 83, 2);
  await wait(2000);
  if (!readFileSync(join(folder, 'show.ipynb'), 'utf8').includes('data:image/png')) throw new Error('the notebook is saved without its picture');
  await tab.value(`(async () => {
    const headers = { 'X-XSRFToken': document.cookie.match(/_xsrf=([^;]*)/)?.[1] ?? '' };
    for (const { id } of await (await fetch('/api/sessions?token=${TOKEN}')).json()) await fetch('/api/sessions/' + id + '?token=${TOKEN}', { method: 'DELETE', headers });
  })()`);
  await show('second');
  await tab.until('document.querySelector("img[src^=\\"data:image\\"]")?.naturalWidth > 100', 30);
  await tab.screenshot(join(folder, 'opened.png'));
  if (tab.errors.length) throw new Error(`the console says ${tab.errors}`);
  console.log(`the notebook shows ${said[0]} slices, and its last picture when it is opened again`);
} catch (error) {
  failed = error;
}
await browser.close();
lab.kill();
if (failed) console.log(`FAILED ${failed.stack}`);
process.exit(failed ? 1 : 0);
