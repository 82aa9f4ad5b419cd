import { describe, expect, it } from 'vitest';
import { UnknownJobError } from './errors.js';

describe('the error of a job that nobody has', () => {
  it('says where it was looked for, and what to try', () => {
    expect(new UnknownJobError('settle').message).toMatch(
      /^No job "settle" is registered in this process; register it/,
    );
    expect(new UnknownJobError('settle', 'registry').message).toMatch(/^The registry has no job "settle" .*; compare/);
  });

  it('says of a job that is being removed that it can be added again later', () => {
    const error = new UnknownJobError('settle', 'process', true);
    expect(error.message).toBe('Job "settle" is being removed from this process; add it again once it has left.');
    expect([error.isLeaving, new UnknownJobError('settle').isLeaving]).toEqual([true, false]);
  });
});
