import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Palette, boxAt, cut, kindOf, OWN, CHANGE, STATE, UPPER_BITS } from '../../../../spall-page/page/ui/boxes.js';
import { pixelOf } from '../../../../spall-page/page/ui/strips.js';

const place = { scale: 2, shift: 10, ratio: 2, top: 5 };
const part = { edges: Float32Array.of(0, 10, 10, 10, 20, 30), numbers: Uint32Array.of(5, 18, 1, 0, 1, 0, 5, 18, 2, 0, 1, 0, 23, 18, 3, 0, 1, 0) };
const at = (x, y, reach = 3) => boxAt(part, place, x, y, reach) / 6;

test('the box under a place is found, half open on the right', () => {
  assert.deepEqual([at(10, 0), at(29, 35), at(50, 40)], [0, 0, 2]);
});

test('a box that is too narrow to be seen is a pixel wide, and found beside a wide one', () => {
  assert.equal(at(30, 0), 1);
});

test('beside boxes the closest one within reach is found, on the same row alone', () => {
  assert.deepEqual([at(33, 0), at(8, 0), at(34, 0) * 6, at(10, 40) * 6], [1, 0, -1, -1]);
});

test('a style says what a box is', () => {
  assert.deepEqual([0, STATE, STATE | (1 << UPPER_BITS), STATE | (2 << UPPER_BITS)].map(kindOf), ['slice', 'state', 'object', 'derived']);
});

test('a text is cut at its room, and never within a letter', () => {
  assert.equal(cut('abc', 2), '');
  assert.equal(cut('abcdef', 6), 'abcdef');
  assert.equal(cut('abcdef', 5), 'abcd…');
  assert.equal(cut('日本語の名前', 6), '日本…');
  for (let room = 3; room < 12; room++) assert.ok(!/[\uD800-\uDBFF]…/.test(cut('a\u{1F600}b\u{1F600}c', room)), String(room));
});

test('a box has the colour of its shade, of the file, or of its change', () => {
  const palette = new Palette(Array.from({ length: 32 }, (_, shade) => `#0000${shade.toString(16).padStart(2, '0')}`), '#111', ['#ffffff', '#000000'], 11);
  assert.equal(palette.fill(5, 3), '#000005ff');
  assert.equal(palette.fill(OWN | (1 << UPPER_BITS), 3), '#000000ff');
  assert.deepEqual([palette.textOf(OWN), palette.textOf(OWN | (1 << UPPER_BITS)), palette.textOf(5)], ['#000', '#fff', '#111']);
  assert.match(palette.fill(CHANGE | ((32 - 31) << UPPER_BITS) >>> 0, 3), /^hsl\(210 80%/);
  assert.match(palette.fill((CHANGE | (63 << UPPER_BITS)) >>> 0, 3), /^hsl\(8 80%/);
});

test('a colour is a pixel whose lowest byte is red', () => {
  assert.equal(pixelOf('#12345678'), 0x78563412);
  assert.equal(pixelOf('#123456'), 0xff563412);
  for (const other of ['red', '#123', 'rgb(1, 2, 3)', '']) assert.equal(pixelOf(other), 0);
});
