import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf } from '../../../../spall-page/page/ui/keys.js';

const name = (key, code = key, held = {}) => nameOf({ key, code, shiftKey: false, ctrlKey: false, metaKey: false, ...held });

test('letters and digits are places on the keyboard, whatever is printed on them', () => {
  assert.equal(name('w', 'KeyW'), 'W');
  assert.equal(name('z', 'KeyY'), 'Y', 'a keyboard of another country');
  assert.equal(name('ц', 'KeyW'), 'W', 'a keyboard with other letters');
  assert.equal(name('à', 'Digit0'), '0');
  assert.equal(name('W', 'KeyW', { shiftKey: true }), 'Shift+W');
});

test('everything else is the character or the name of the key', () => {
  assert.equal(name('/', 'Slash'), '/');
  assert.equal(name('?', 'Minus', { shiftKey: true }), '?', 'with Shift where it is printed so');
  assert.equal(name('{', 'Digit7', { ctrlKey: false }), '{');
  assert.equal(name('ArrowLeft'), 'ArrowLeft');
});

test('Ctrl and the command key are one', () => {
  assert.equal(name('f', 'KeyF', { ctrlKey: true }), 'Ctrl+F');
  assert.equal(name('f', 'KeyF', { metaKey: true }), 'Ctrl+F');
  assert.equal(name('P', 'KeyP', { ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+P');
});
