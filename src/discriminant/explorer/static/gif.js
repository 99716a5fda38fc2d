// An animated GIF by hand: a palette of the 256 most frequent colors, and Lempel, Ziv and Welch's compression.

/** @typedef {{pixels: ImageData, delay: number}} Frame  delay in hundredths of a second */

const short = (value) => [value & 255, (value >> 8) & 255];
const bucket = (data, at) => ((data[at] >> 3) << 10) | ((data[at + 1] >> 3) << 5) | (data[at + 2] >> 3);

/** The most frequent colors of all frames, each bucket of 5 bits a channel by the mean of what fell into it. */
function palette(frames) {
  const seen = new Map();
  for (const { pixels: { data } } of frames) {
    for (let at = 0; at < data.length; at += 4) {
      const key = bucket(data, at);
      let entry = seen.get(key);
      if (!entry) seen.set(key, (entry = [0, 0, 0, 0]));
      entry[0] += 1;
      for (let channel = 0; channel < 3; channel += 1) entry[channel + 1] += data[at + channel];
    }
  }
  const best = [...seen.values()].sort((a, b) => b[0] - a[0]).slice(0, 256);
  return best.map(([count, ...sums]) => sums.map((sum) => Math.round(sum / count)));
}

/** The pixels of a frame as places in the palette. */
function indexed({ data }, colors, known) {
  const found = new Uint8Array(data.length / 4);
  for (let i = 0; i < found.length; i += 1) {
    const key = bucket(data, 4 * i);
    let place = known.get(key);
    if (place === undefined) {
      const pixel = [data[4 * i], data[4 * i + 1], data[4 * i + 2]];
      const away = colors.map((color) => color.reduce((sum, c, j) => sum + (c - pixel[j]) ** 2, 0));
      place = away.indexOf(Math.min(...away));
      known.set(key, place);
    }
    found[i] = place;
  }
  return found;
}

/** Codes of 9 to 12 bits, least bit first; the table begins anew when it is full. */
export function compress(indices) {
  const [CLEAR, END, FIRST] = [256, 257, 258];
  const bytes = [];
  let [buffer, filled, width, next] = [0, 0, 9, FIRST];
  let table = new Map();
  const put = (code) => {
    buffer |= code << filled;
    filled += width;
    while (filled >= 8) {
      bytes.push(buffer & 255);
      buffer >>>= 8;
      filled -= 8;
    }
  };
  put(CLEAR);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i += 1) {
    const key = (prefix << 8) | indices[i];
    const code = table.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      if (next === 1 << width) width += 1;
      table.set(key, next);
      next += 1;
    } else {
      put(CLEAR);
      [table, width, next] = [new Map(), 9, FIRST];
    }
    prefix = indices[i];
  }
  put(prefix);
  put(END);
  if (filled > 0) bytes.push(buffer & 255);
  return bytes;
}

/** @param {Frame[]} frames of one size @returns {Uint8Array} */
export function encodeGif(frames) {
  const { width, height } = frames[0].pixels;
  const colors = palette(frames);
  const table = Array.from({ length: 256 }, (_, i) => colors[i] ?? [0, 0, 0]).flat();
  const ascii = (text) => [...text].map((letter) => letter.charCodeAt(0));
  const parts = [
    [...ascii("GIF89a"), ...short(width), ...short(height), 0xf7, 0, 0, ...table],
    [0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, 0, 0, 0], // for ever
  ];
  const known = new Map();
  for (const { pixels, delay } of frames) {
    parts.push([0x21, 0xf9, 4, 0, ...short(delay), 0, 0, 0x2c, 0, 0, 0, 0, ...short(width), ...short(height), 0, 8]);
    const packed = compress(indexed(pixels, colors, known));
    for (let at = 0; at < packed.length; at += 255) {
      const block = packed.slice(at, at + 255);
      parts.push([block.length, ...block]);
    }
    parts.push([0]);
  }
  parts.push([0x3b]);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
