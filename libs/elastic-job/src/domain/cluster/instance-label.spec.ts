import { describe, expect, it } from 'vitest';
import { formatInstanceLabel, parseInstanceLabel } from './instance-label.js';

describe('the label of an instance', () => {
  it('has the protocol, the release and the abilities, and is read as it was written', () => {
    const label = formatInstanceLabel({ version: '1.43.1', can: ['reruns', 'bulk'] });
    expect(label).toBe('nestjs-elastic-job/1 v=1.43.1 can=reruns,bulk');
    expect(parseInstanceLabel(label)).toEqual({ protocol: 1, version: '1.43.1', can: ['reruns', 'bulk'] });
  });

  it('of a release before has the protocol alone', () => {
    expect(formatInstanceLabel()).toBe('nestjs-elastic-job/1');
    expect(parseInstanceLabel('nestjs-elastic-job/1')).toEqual({ protocol: 1, version: undefined, can: [] });
  });

  it.each(['', 'Bean', 'nestjs-elastic', 'other/1 v=1'])('is none of ours: "%s"', (text) => {
    expect(parseInstanceLabel(text)).toBeUndefined();
  });

  it.each([
    ['nestjs-elastic-job/2 color=red v=2.0.0', { protocol: 2, version: '2.0.0', can: [] }],
    ['nestjs-elastic-job/x', { protocol: 1, version: undefined, can: [] }],
    ['nestjs-elastic-job/1 v= can=', { protocol: 1, version: undefined, can: [''] }],
    [`nestjs-elastic-job/1 v=${'9'.repeat(65)}`, { protocol: 1, version: undefined, can: [] }],
    ['nestjs-elastic-job/1 v=<script>', { protocol: 1, version: undefined, can: [] }],
  ])('is read as far as it is known: "%s"', (text, label) => {
    expect(parseInstanceLabel(text)).toEqual(label);
  });

  it.each(['1 0', 'a/b', '', 'x'.repeat(65)])('leaves a release out that it cannot have: "%s"', (version) => {
    expect(formatInstanceLabel({ version })).toBe('nestjs-elastic-job/1');
  });
});
