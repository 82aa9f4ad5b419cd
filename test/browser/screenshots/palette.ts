// A PNG in 256 colours: a page has few, and shades of its letters' edges. So a picture has a third of its bytes.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const MOST_COLOURS = 256;
/** Depth in bits, and the type of colours that have no transparency. */
const EIGHT_BITS = 8;
const TRUE_COLOURS = 2;
const PALETTE = 3;
const CHANNELS = 3;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/**
 * Colours that are not among the most frequent ones become the nearest of these.
 * @param png one as Chromium makes them: opaque, 8 bits for each of three colours, not interlaced
 */
export function inPalette(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const header = Buffer.from(chunks[0]!.data);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header[8] !== EIGHT_BITS || header[9] !== TRUE_COLOURS) throw new Error('The picture is not in 24 bits.');
  const data = chunks.filter(({ type }) => type === 'IDAT').map((part) => part.data);
  const colours = coloursOf(inflateSync(Buffer.concat(data)), width, height);
  const { indexOf, palette } = paletteOf(colours);
  const rows = Buffer.alloc(height * (width + 1));
  for (const [pixel, colour] of colours.entries()) {
    rows[pixel + Math.floor(pixel / width) + 1] = indexOf.get(colour)!;
  }
  header[9] = PALETTE;
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channelsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

/** @see PNG, section 9: each row begins with its filter, which tells what is added to its bytes */
function coloursOf(filtered: Buffer, width: number, height: number): Uint32Array {
  const stride = width * CHANNELS;
  const colours = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = filtered[y * (stride + 1)]!;
    const row = Buffer.from(filtered.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const left = x < CHANNELS ? 0 : row[x - CHANNELS]!;
      const aboveLeft = x < CHANNELS ? 0 : above[x - CHANNELS]!;
      row[x] = row[x]! + added(filter, left, above[x]!, aboveLeft);
    }
    for (let x = 0; x < width; x += 1) colours[y * width + x] = row.readUIntBE(x * CHANNELS, CHANNELS);
    above = row;
  }
  return colours;
}

function added(filter: number, left: number, above: number, aboveLeft: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return Math.floor((left + above) / 2);
    case 4:
      return nearest([left, above, aboveLeft], (one) => Math.abs(left + above - aboveLeft - one));
    default:
      throw new Error(`PNG has no filter ${filter}.`);
  }
}

/** The most frequent colours, and for each colour of the picture the place of the nearest one of them. */
function paletteOf(colours: Uint32Array) {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts]
    .toSorted(([one, ones], [other, others]) => others - ones || one - other)
    .slice(0, MOST_COLOURS)
    .map(([colour]) => colour);
  const placeOf = new Map(palette.map((colour, place) => [colour, place]));
  const indexOf = new Map(
    [...counts.keys()].map((colour) => [
      colour,
      placeOf.get(colour) ?? placeOf.get(nearest(palette, (one) => distance(one, colour)))!,
    ]),
  );
  return { palette, indexOf };
}

function distance(one: number, other: number): number {
  const others = channelsOf(other);
  return channelsOf(one).reduce((sum, channel, index) => sum + (channel - others[index]!) ** 2, 0);
}

function channelsOf(colour: number): readonly number[] {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

/** The first of the nearest. */
function nearest(all: readonly number[], distanceOf: (one: number) => number): number {
  return all.reduce((best, one) => (distanceOf(one) < distanceOf(best) ? one : best));
}
