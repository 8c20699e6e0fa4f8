import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// It is part of a page, and no module.
const text = readFileSync(new URL('../../../../spall-page/page/urls.js', import.meta.url), 'utf8');
const { urls, inside } = new Function(`${text}; return { urls, inside };`)();

test('modules in texts import each other', async () => {
  const modules = { 'ui/a.js': "import { b } from '../b.js';\nexport const a = b + 1;", 'b.js': "export const b = 1; // it's 100 %" };
  const { a } = await import(urls(modules, inside)('ui/a.js'));
  assert.equal(a, 2);
});

test('each module is made once', () => {
  const made = [];
  const url = urls({ 'a.js': "import './c.js'; import './b.js';", 'b.js': "export { c } from './c.js';", 'c.js': '' }, (text) => `m${made.push(text)}`);
  url('a.js');
  assert.deepEqual(made, ['', "export { c } from 'm1';", "import 'm1'; import 'm2';"]);
});

test('no two modules of the page import each other', () => {
  const page = new URL('../../../../spall-page/page/', import.meta.url);
  const entered = new Set(), left = new Set();
  const visit = (path) => {
    if (left.has(path)) return;
    assert.ok(!entered.has(path), `${path} imports itself`);
    entered.add(path);
    const text = readFileSync(new URL(path, page), 'utf8');
    for (const [, , other] of text.matchAll(/\b(from|import) '(\.[^']+\.js)'/g)) visit(new URL(other, `file:///${path}`).pathname.slice(1));
    left.add(path);
  };
  for (const path of ['served.js', 'wasm.js', 'widget.js', 'ui/element.js']) visit(path);
  assert.ok(left.size > 25);
});
