import { expect, it } from 'vitest';
import { DistributeOnceElasticJobListener, distributesOnce } from './listener.js';

const plain = { beforeJobExecuted() {}, afterJobExecuted() {} };
const ofAnotherCopy = { ...plain, doBeforeJobExecutedAtLastStarted() {}, doAfterJobExecutedAtLastCompleted() {} };

class Once extends DistributeOnceElasticJobListener {
  override doBeforeJobExecutedAtLastStarted() {}
  override doAfterJobExecutedAtLastCompleted() {}
}

it('tells which listeners distribute once, also for those of another copy of the package', () => {
  expect([plain, ofAnotherCopy, new Once()].map(distributesOnce)).toEqual([false, true, true]);
});
