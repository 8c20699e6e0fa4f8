// Draws boxes on a canvas: those of the timeline, and those of flame graphs.
import { Strips, pixelOf } from './strips.js';

export const NUMBERS = 6; // of each box: top, height, id, name, count, style
export const UNFINISHED = 1 << 7; // flags of the style
export const HIT = 1 << 8;
export const STATE = 1 << 9;
export const CHANGE = 1 << 10;
export const OWN = 1 << 11;
export const UPPER_BITS = 12;
const NARROW = 3; // pixels of the device
const KINDS = /** @type {const} */ (['state', 'object', 'derived']); // of what is no slice, by the upper bits
const STRENGTHS = ['b0', 'c8', 'e0', 'ff'], DIMMED = 4, SHADES = 32;

// The colours of a theme and of the file itself, and the font of labels. Its letters are equally wide, so that labels
// are cut by arithmetic.
export class Palette {
  letter = 0; // the width of one, in pixels of the device
  deviceFont = '';
  hit = '';

  /**
   * @param {string[]} shades
   * @param {string} text
   * @param {string[]} own
   * @param {number} size
   */
  constructor(shades, text, own, size) {
    const inStrengths = (/** @type {string[]} */ colours) => [...STRENGTHS, '58'].map((alpha) => colours.map((colour) => colour + alpha));
    this.fills = inStrengths(shades);
    this.ownFills = inStrengths(own);
    this.ownTexts = own.map(textOn);
    this.pixels = this.fills.map((colours) => colours.map(pixelOf));
    this.ownPixels = this.ownFills.map((colours) => colours.map(pixelOf));
    this.text = text;
    this.size = size;
    this.font = `${size}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
  }

  /**
   * The colour of a box, in one of the strengths or dimmed.
   * @param {number} style
   * @param {number} strength
   */
  fill(style, strength) {
    if (style & CHANGE) return changeColour((style >>> UPPER_BITS) - 32);
    return style & OWN ? this.ownFills[strength][style >>> UPPER_BITS] : this.fills[strength][style % SHADES];
  }

  /**
   * The same as a pixel; 0 if it is not known as one.
   * @param {number} style
   * @param {number} strength
   */
  pixel(style, strength) {
    if (style & CHANGE) return 0;
    return style & OWN ? this.ownPixels[strength][style >>> UPPER_BITS] : this.pixels[strength][style % SHADES];
  }

  /** @param {number} style */
  textOf(style) {
    return style & OWN ? this.ownTexts[style >>> UPPER_BITS] : this.text;
  }
}

/**
 * Black or white, whichever is legible on a colour.
 * @param {string} colour
 */
function textOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

/**
 * What a box is.
 * @param {number} style
 */
export const kindOf = (style) => (style & STATE ? KINDS[style >>> UPPER_BITS] : 'slice');

/** @type {Strips | undefined} */
let strips; // used again for each picture

/**
 * Where columns of a picture are on the canvas: a column `c` is `c * scale + shift` pixels of the device from the left.
 * `left` and `right` are the pixels between which something is drawn, and `ratio` is the number of them in a CSS pixel.
 * @typedef {{ scale: number, shift: number, left: number, right: number, ratio: number, top: number }} Where
 * @typedef {import('../engine.js').Boxes} Boxes
 */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Palette} palette
 * @param {Boxes} part
 * @param {Where} place
 * @param {Map<number, string>} names
 * @param {boolean} isSearching
 */
export function drawBoxes(context, palette, part, place, names, isSearching) {
  const { edges, numbers } = part;
  const { scale, shift, left, right, ratio, top } = place;
  /** @type {Map<number, number[]>} */
  const buckets = new Map();
  const hitPixel = pixelOf(palette.hit);
  strips ??= new Strips();
  strips.begin(left, right);
  /** @type {number[]} */
  const labels = [], outlined = /** @type {number[]} */ ([]);
  /** @type {[number, number, number, number, string][]} */
  const torn = [];
  for (let box = 0, at = 0; at < numbers.length; box += 2, at += NUMBERS) {
    const style = numbers[at + 5];
    const x = Math.max(Math.round(edges[box] * scale + shift), left - 2);
    const end = Math.min(Math.round(edges[box + 1] * scale + shift), right + 2);
    if (end < left || x > right) continue;
    const width = Math.max(end - x, 1);
    const y = Math.round((numbers[at] - top) * ratio), height = Math.round(numbers[at + 1] * ratio) - 1;
    const isHit = isSearching && style & HIT;
    const strength = isSearching && !isHit ? DIMMED : (style >> 5) & 3;
    if (width <= NARROW) {
      const pixel = isHit ? hitPixel : palette.pixel(style, strength);
      if (pixel) {
        strips.put(y, height, x, x + width, pixel);
        continue;
      }
    }
    if (style & UNFINISHED && width > 8) torn.push([x, y, width, height, palette.fill(style, strength === DIMMED ? DIMMED : 3)]);
    else {
      // What decides on the colour: the strength, and the shade or what is in the upper bits.
      const key = strength * 2 ** 32 + (style & (CHANGE | OWN) ? style >>> 10 << 10 >>> 0 : style % SHADES);
      let bucket = buckets.get(key);
      if (!bucket) buckets.set(key, (bucket = []));
      bucket.push(x, y, width > NARROW ? width - 1 : width, height);
    }
    if (isHit) outlined.push(x, y, width, height);
    if (width >= 4 * palette.letter + 6 && (!(style & STATE) || kindOf(style) === 'derived')) labels.push(at, x, width, y, height);
  }
  for (const [key, bucket] of buckets) {
    context.fillStyle = palette.fill(key % 2 ** 32, Math.floor(key / 2 ** 32));
    for (let at = 0; at < bucket.length; at += 4) context.fillRect(bucket[at], bucket[at + 1], bucket[at + 2], bucket[at + 3]);
  }
  strips.draw(context);
  for (const box of torn) drawTorn(context, ...box);
  context.strokeStyle = palette.hit;
  context.lineWidth = ratio;
  for (let at = 0; at < outlined.length; at += 4) {
    context.strokeRect(outlined[at] + 0.5, outlined[at + 1] + 0.5, Math.max(outlined[at + 2] - 1, 1), outlined[at + 3] - 1);
  }
  drawLabels(context, palette, labels, numbers, place, names);
  return { boxes: numbers.length / NUMBERS, labels: labels.length / 5 };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Palette} palette
 * @param {number[]} labels
 * @param {Uint32Array} numbers
 * @param {Where} place
 * @param {Map<number, string>} names
 */
function drawLabels(context, palette, labels, numbers, { left, right, ratio }, names) {
  context.font = palette.deviceFont;
  context.textBaseline = 'middle';
  let filled;
  for (let at = 0; at < labels.length; at += 5) {
    const [box, x, width, y, height] = labels.slice(at, at + 5);
    const colour = palette.textOf(numbers[box + 5]);
    if (colour !== filled) context.fillStyle = filled = colour;
    const from = Math.max(x, left) + 3 * ratio;
    const room = Math.floor((Math.min(x + width, right) - from - 2 * ratio) / palette.letter);
    const more = numbers[box + 4] > 1 ? ` +${numbers[box + 4] - 1}` : '';
    const text = cut((names.get(numbers[box + 3]) ?? '') + more, room);
    if (text) context.fillText(text, from, y + height / 2 + ratio / 2);
  }
}

/**
 * The text, or its beginning and an ellipsis if there is no room for all. Letters of East Asia are twice as wide.
 * @param {string} text
 * @param {number} room
 */
export function cut(text, room) {
  if (room < 3) return '';
  if (text.length * 2 <= room) return text;
  let width = 0, fits = 0;
  for (let at = 0; at < text.length; at++) {
    width += text.charCodeAt(at) >= 0x1100 && !(text.charCodeAt(at) >= 0x2000 && text.charCodeAt(at) < 0x2e80) ? 2 : 1;
    if (width <= room - 1) fits = at + 1;
    if (width > room) {
      const isHalf = /[\uD800-\uDBFF]/.test(text[fits - 1] ?? '');
      return `${text.slice(0, isHalf ? fits - 1 : fits)}…`;
    }
  }
  return text;
}

/**
 * The text, or an ellipsis and its end if there is no room for all: the end of a number tells more than its beginning.
 * @param {string} text
 * @param {number} room
 */
export function cutFront(text, room) {
  return text.length <= room ? text : `…${text.slice(text.length - room + 1)}`;
}

/**
 * A box whose right edge is torn off: nobody knows where it ends.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} colour
 */
function drawTorn(context, x, y, width, height, colour) {
  const right = x + width, tooth = height / 4;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y);
  for (const [index, back] of [4, 0, 4, 0, 4].entries()) context.lineTo(right - back, y + index * tooth);
  context.lineTo(x, y + height);
  context.fill();
}

/**
 * Blue for what takes less, red for what takes more, from -31 to 31.
 * @param {number} change
 */
function changeColour(change) {
  const part = Math.min(Math.abs(change) / 31, 1);
  return change < 0 ? `hsl(210 ${20 + 60 * part}% ${75 - 20 * part}%)` : `hsl(8 ${part ? 20 + 60 * part : 0}% ${75 - 15 * part}%)`;
}

/**
 * The box at a place on the canvas, in pixels of the device, or the closest one within `reach`; -1 if there is none.
 * @param {Boxes} part
 * @param {Pick<Where, 'scale' | 'shift' | 'ratio' | 'top'>} place
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 */
export function boxAt(part, { scale, shift, ratio, top }, x, y, reach) {
  const { edges, numbers } = part;
  let found = -1, distance = reach;
  for (let box = 0, at = 0; at < numbers.length; box += 2, at += NUMBERS) {
    const above = (numbers[at] - top) * ratio;
    if (y < above || y >= above + numbers[at + 1] * ratio) continue;
    const left = edges[box] * scale + shift, right = Math.max(edges[box + 1] * scale + shift, left + 1);
    const away = Math.max(left - x, x - right, 0);
    if (away < distance || (away === 0 && x < right)) {
      found = at;
      distance = away;
    }
  }
  return found;
}
