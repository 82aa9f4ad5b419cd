import { describe, expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from './open-telemetry-tracer.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('the name of a run', () => {
  it('reads the context of the same span that it has written', () => {
    const text = formatTraceparent({ traceId: TRACE, spanId: SPAN, traceFlags: 1 });

    expect(text).toBe(`00-${TRACE}-${SPAN}-01`);
    expect(parseTraceparent(text!)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
  });

  it('is read from the first fields of a header of a later version', () => {
    expect(parseTraceparent(`01-${TRACE}-${SPAN}-00-more`)).toMatchObject({ traceId: TRACE, spanId: SPAN });
  });

  it.each([
    '',
    'nothing',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ])('is not found in the text "%s"', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('is missing if there is no span', () => {
    expect(formatTraceparent({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })).toBeUndefined();
  });
});
