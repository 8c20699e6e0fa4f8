// Serves the files of a folder to this machine, as any server of static files would, and those called `slow-…` slowly.
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const KINDS = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml' };

export function serve(folder) {
  const server = createServer((request, response) => {
    // What a browser asks for by itself where a page, such as a picture, names no icon.
    if (request.url === '/favicon.ico') return response.writeHead(204).end();
    const path = join(folder, decodeURIComponent(request.url.split('?')[0]).replace(/\/$/, '/index.html'));
    if (!path.startsWith(folder) || !existsSync(path)) return response.writeHead(404).end();
    const data = readFileSync(path);
    response.writeHead(200, { 'Content-Type': KINDS[extname(path)] ?? 'application/octet-stream', 'Content-Length': data.length });
    if (!path.includes('slow-')) return response.end(data);
    // Each piece a moment after the one before, as over a slow line.
    let at = 0;
    const timer = setInterval(() => {
      response.write(data.subarray(at, at += 65_536));
      if (at >= data.length) response.end();
    }, 20);
    response.on('close', () => clearInterval(timer));
  });
  return new Promise((done) => { server.listen(0, '127.0.0.1', () => done(server)); });
}
