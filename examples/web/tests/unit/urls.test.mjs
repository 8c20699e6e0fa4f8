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
