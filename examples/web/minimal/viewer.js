// Opens a file and draws it. Drag to move, scroll to go up and down, scroll with Ctrl to zoom around the pointer.
import init, { Viewer } from './pkg/spall_web_minimal.js';

const RULER = 20, ROW = 17;
const [file, canvas, tip] = ['file', 'canvas', 'tip'].map((id) => document.getElementById(id));
const context = canvas.getContext('2d');
let viewer, top = 0, isAsked = false;

await init({ module_or_path: 'pkg/spall_web_minimal_bg.wasm' });

file.onchange = async () => {
  const bytes = new Uint8Array(await file.files[0].arrayBuffer());
  viewer?.free();
  try {
    viewer = new Viewer(bytes);
  } catch (error) {
    viewer = undefined;
    alert(error.message);
  }
  top = 0;
  navigate(0, 0);
};

// Moves by pixels and zooms; draws once per frame however many events there are.
function navigate(right, down, x = 0, factor = 1) {
  const height = canvas.clientHeight - RULER;
  viewer?.navigate(canvas.clientWidth, right, x, factor);
  top = Math.max(0, Math.min(top + down, (viewer?.height() ?? 0) - height));
  tip.hidden = true;
  if (!isAsked) requestAnimationFrame(draw);
  isAsked = true;
}

function draw() {
  isAsked = false;
  const { clientWidth: width, clientHeight: height } = canvas;
  [canvas.width, canvas.height] = [width * devicePixelRatio, height * devicePixelRatio];
  context.scale(devicePixelRatio, devicePixelRatio);
  if (!viewer) return;
  context.font = '11px monospace';
  context.textBaseline = 'middle';
  context.save();
  context.beginPath();
  context.rect(0, RULER, width, height - RULER);
  context.clip();
  context.translate(0, RULER - top);
  const bottom = top + height - RULER, letter = context.measureText('m').width;
  const boxes = viewer.boxes(top, bottom);
  for (let at = 0; at < boxes.length; at += 4) {
    const [x0, x1, y, color] = boxes.subarray(at, at + 4);
    context.fillStyle = '#' + color.toString(16).padStart(6, '0');
    context.fillRect(x0, y, Math.max(x1 - x0 - 0.5, 1), ROW);
    const room = Math.floor((x1 - x0 - 4) / letter);
    if (room < 3) continue;
    const name = viewer.name(at / 4);
    context.fillStyle = '#000';
    context.fillText(name.length > room ? name.slice(0, room - 1) + '…' : name, x0 + 3, y + ROW / 2);
  }
  labels(viewer.headers(top, bottom), -8);
  context.restore();
  labels(viewer.ruler(), RULER / 2);
}

function labels(labels, dy) {
  context.fillStyle = '#555';
  for (const label of labels) {
    if (dy > 0) context.fillRect(label.x, 0, 1, RULER);
    context.fillText(label.text, label.x + 3, label.y + dy);
    label.free();
  }
}

canvas.onpointermove = (event) => {
  if (event.buttons & 1) return navigate(-event.movementX, -event.movementY);
  const text = event.offsetY < RULER ? undefined : viewer?.tip(event.offsetX, event.offsetY - RULER + top);
  tip.hidden = !text;
  tip.textContent = text ?? '';
  tip.style.left = `${event.clientX + 12}px`;
  tip.style.top = `${event.clientY + 12}px`;
};
canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
canvas.onpointerleave = () => (tip.hidden = true);
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  if (event.ctrlKey) navigate(0, 0, event.offsetX, Math.exp(-event.deltaY / 300));
  else navigate(event.deltaX, event.deltaY);
}, { passive: false });
onresize = () => navigate(0, 0);
