import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { save, template } from '../../../../spall-page/page/save.js';

// What browsers have and Node has not.
globalThis.FileReader ??= class {
  readAsDataURL(blob) {
    blob.arrayBuffer().then((bytes) => {
      this.result = `data:;base64,${Buffer.from(bytes).toString('base64')}`;
      this.onload();
    });
  }
};
template.text = '<empty>\n';
const parts = (html) => [...html.matchAll(/<script type="application\/octet-stream" data-file="(\d+)" data-name="([^"]*)"( data-gzip)?>([^<]*)<\/script>/g)].map(([, at, name, packed, text]) => ({ at, name, packed, bytes: Buffer.from(text, 'base64') }));

test('a page has its files, packed unless they are already, and its place', async () => {
  const plain = Buffer.from('[]'), packed = gzipSync('[1]');
  const html = await (await save([new File([plain], 'a "b" & c'), new File([packed], 'd.gz')], { search: '</script><b>' })).text();
  assert.ok(html.startsWith('<empty>\n'));
  const [first, second] = parts(html);
  assert.equal(first.name, 'a &quot;b&quot; &amp; c');
  assert.equal(gunzipSync(first.bytes).toString(), '[]');
  assert.deepEqual([second.packed, Buffer.compare(second.bytes, packed)], [undefined, 0]);
  const [, place] = html.match(/<script id="place" type="application\/json">([^]*?)<\/script>/);
  assert.deepEqual(JSON.parse(place), { search: '</script><b>' });
});

test('an empty file is an element', async () => {
  assert.equal(gunzipSync(parts(await (await save([new File([], 'e')], {})).text())[0].bytes).length, 0);
});

test('a page that no browser opens is not made', async () => {
  const large = { name: 'l', size: 6e8, slice: () => new Blob([Buffer.from('1f8b0808', 'hex')]) };
  await assert.rejects(save([large], {}), /more than 500 MB/);
});
