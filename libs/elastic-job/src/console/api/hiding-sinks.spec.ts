import { describe, expect, it } from 'vitest';
import type { ConsoleCaller, FrameSink } from '../contract/index.js';
import { HidingSinks } from './hiding-sinks.js';

const VERA: ConsoleCaller = { name: 'Vera', role: 'viewer', by: 'page' };
const VIC: ConsoleCaller = { ...VERA, name: 'Vic' };
const OLI: ConsoleCaller = { ...VERA, name: 'Oli', role: 'operator' };
const FIN: ConsoleCaller = { ...VERA, name: 'Fin', jobPrefix: 'finance-' };

/** Streams of callers that get the same frames, which show by whom they were hidden. */
function written(callers: readonly ConsoleCaller[], frames: readonly string[]) {
  let hidings = 0;
  const sinks = new HidingSinks((data, { jobPrefix = '', role }) => {
    hidings += 1;
    return { ...Object(data), as: role + jobPrefix };
  });
  const streams = callers.map((caller) => {
    const got: string[] = [];
    return { got, sink: sinks.of(caller, sinkOf(got)) };
  });
  for (const frame of frames) for (const { sink } of streams) sink.write(frame);
  return { got: streams.map(({ got }) => got), hidings };
}

function sinkOf(got: string[]): FrameSink {
  return { write: (frame) => got.push(frame) > 0, onDrain: () => {}, onClose: () => {}, end: () => {} };
}

describe('a frame that goes to many', () => {
  it('is hidden once for those of one role and prefix, and for each other one on its own', () => {
    const { got, hidings } = written([VERA, OLI, VIC, FIN, VERA], ['id: 1\ndata: {"n":1}\n\n']);

    expect(got.flat()).toEqual([
      'id: 1\ndata: {"n":1,"as":"viewer"}\n\n',
      'id: 1\ndata: {"n":1,"as":"operator"}\n\n',
      'id: 1\ndata: {"n":1,"as":"viewer"}\n\n',
      'id: 1\ndata: {"n":1,"as":"viewerfinance-"}\n\n',
      'id: 1\ndata: {"n":1,"as":"viewer"}\n\n',
    ]);
    expect(hidings).toBe(3);
  });

  it('is not taken for the one before', () => {
    const { got } = written([VERA, VIC], ['data: {"n":1}\n\n', 'data: {"n":2}\n\n', 'data: {"n":1}\n\n']);

    expect(got[1]).toEqual([1, 2, 1].map((n) => `data: {"n":${n},"as":"viewer"}\n\n`));
  });

  it('is hidden whatever texts it has, also those that end a line for others than a stream', () => {
    expect(written([VERA], ['data: {"label":"a\u2028b\u2029c\u0085d"}\n\n']).got).toEqual([
      ['data: {"label":"a\u2028b\u2029c\u0085d","as":"viewer"}\n\n'],
    ]);
  });

  it.each([': alive\n\n', 'data: no JSON\n\n', 'data: 7\n\n'])('stays as it is if it has no object: %j', (frame) => {
    expect(written([VERA], [frame]).got).toEqual([[frame]]);
  });
});
