// Narrow boxes, which are too many to be drawn one by one. Each row of them is a strip of pixels, one pixel high, that is
// drawn as high as the row.

export class Strips {
  canvas = document.createElement('canvas');
  context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
  height = 0;
  width = 0;
  left = 0;
  used = 0; // rows of the canvas
  /** @type {number[]} */
  rows = []; // the upper edge and the height of each
  image = this.context.createImageData(1, 1);
  pixels = new Uint32Array(this.image.data.buffer);

  /**
   * Begins a picture whose strips reach from `left` to `right`, in pixels of the device.
   * @param {number} left
   * @param {number} right
   */
  begin(left, right) {
    const { pixels, width: before, used: usedBefore } = this;
    Object.assign(this, { left, width: Math.max(right - left, 1), rows: [], used: 0 });
    if (before === this.width) pixels.fill(0, 0, usedBefore * before);
    else this.resize(64);
  }

  /** @param {number} height */
  resize(height) {
    const before = this.used ? this.pixels : new Uint32Array();
    this.height = height;
    Object.assign(this.canvas, { width: this.width, height });
    this.image = this.context.createImageData(this.width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.pixels.set(before);
  }

  /**
   * Puts a box on the strip of a row. Boxes come row by row.
   * @param {number} y
   * @param {number} height
   * @param {number} from
   * @param {number} to
   * @param {number} pixel
   */
  put(y, height, from, to, pixel) {
    const { left, width, rows } = this;
    const last = rows.length - 2;
    if (rows[last] !== y || rows[last + 1] !== height) {
      if (this.used === this.height) this.resize(this.height * 2);
      rows.push(y, height);
      this.used++;
    }
    const row = (this.used - 1) * width;
    for (let x = Math.max(from - left, 0), end = Math.min(to - left, width); x < end; x++) this.pixels[row + x] = pixel;
  }

  /** @param {CanvasRenderingContext2D} context */
  draw(context) {
    const { canvas, rows, left, width, used } = this;
    if (!used) return;
    this.context.putImageData(this.image, 0, 0, 0, 0, width, used);
    context.imageSmoothingEnabled = false;
    for (let row = 0; row < used; row++) context.drawImage(canvas, 0, row, width, 1, left, rows[row * 2], width, rows[row * 2 + 1]);
  }
}

/**
 * A colour such as `#12345678` as a pixel; 0 for a colour that is written in another way.
 * @param {string} colour
 */
export function pixelOf(colour) {
  const [, rgb, alpha] = colour.match(/^#([0-9a-f]{6})([0-9a-f]{2})?$/i) ?? [];
  if (!rgb) return 0;
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(rgb.slice(at, at + 2), 16));
  // The lowest byte comes first.
  return ((parseInt(alpha ?? 'ff', 16) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
