import { expect, it } from 'vitest';
import { findUnshareableListeners } from './find-unshareable-listeners.js';

it('accepts distribute-once listeners whose types Java reads, and no listeners at all', () => {
  expect(findUnshareableListeners([{ type: 'once' }, { type: 'all' }], ['other', 'all', 'once'])).toEqual([]);
  expect(findUnshareableListeners([], [])).toEqual([]);
});

it('names each distribute-once listener whose type Java does not read, with the way to go', () => {
  expect(findUnshareableListeners([{ type: 'all' }, { type: 'once' }], ['all', 'other'])).toEqual([
    'jobListenerTypes lacks "once" where Java reads it, so Java peers do not call this distribute-once listener; ' +
      'start once with overwrite: true, or add it to the list in the config node, and then restart the Java peers',
  ]);
});

it('names a distribute-once listener without a type, which Java cannot find', () => {
  expect(findUnshareableListeners([{}], ['other', ''])).toEqual([expect.stringContaining('has no type by which Java')]);
});
