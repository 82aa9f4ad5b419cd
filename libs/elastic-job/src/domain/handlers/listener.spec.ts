import { expect, it } from 'vitest';
import {
  DistributeOnceElasticJobListener,
  distributesOnce,
  type ElasticJobListener,
  findUnshareableListeners,
  readListener,
} from './listener.js';

const plain = { beforeJobExecuted() {}, afterJobExecuted() {} };
const ofAnotherCopy = { ...plain, doBeforeJobExecutedAtLastStarted() {}, doAfterJobExecutedAtLastCompleted() {} };

class Once extends DistributeOnceElasticJobListener {
  override doBeforeJobExecutedAtLastStarted() {}
  override doAfterJobExecutedAtLastCompleted() {}
}

it('tells which listeners distribute once, also for those of another copy of the package', () => {
  expect([plain, ofAnotherCopy, new Once()].map(distributesOnce)).toEqual([false, true, true]);
});

it.each([
  ['its class', new Once(), 'Once'],
  ['its type', { ...plain, type: 'audit' }, 'audit'],
  ['no name if it is an object without a type', { ...plain }, 'a listener'],
  ['no name if it has neither, as an imported module', Object.assign(Object.create(null), plain), 'a listener'],
])('has %s in messages', (_, listener: ElasticJobListener, name) => {
  expect(readListener(listener).name).toBe(name);
});

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
