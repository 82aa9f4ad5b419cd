import { expect, it } from 'vitest';
import {
  DistributeOnceElasticJobListener,
  distributesOnce,
  type ElasticJobListener,
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
