import { beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { beforeNextTransaction, type Member, Registry, triggerAt } from '@test/support/unit/member.js';
import { reasonOf, withholdAnswer } from '@test/support/unit/unanswered.js';
import { giveUpFireTimes } from './give-up.js';
import { confirmLost, removeLostRequests, removeStaleCancels } from './operator-requests.js';

const ENDED = new Error('It is over.');
const GONE = '10.0.0.77@-@1';

let registry: Registry;
let leader: Member;
let worker: Member;
let operator: RegistryCenter;
beforeEach(async () => {
  ({ registry, leader, worker, operator } = await Registry.ofTwo());
});

describe('work of a leader that the registry does not answer', () => {
  let ending: AbortController;
  let term: LeadershipTerm;
  beforeEach(() => {
    ending = new AbortController();
    term = { ...leader.leader.term(leader.tree.jobName)!, signal: ending.signal };
  });

  it.each([1, 2])('ends with the term, be it at request %i of a look for lost requests', async (request) => {
    const { paths } = leader.tree;
    await operator.create(paths.triggers, '', 'PERSISTENT');
    await operator.create(paths.trigger(GONE), '', 'PERSISTENT');
    await leader.tree.sync();
    withholdAnswer(registry, leader, request);
    const work = removeLostRequests(leader.tree, term, (missing) => missing);
    expect(await reasonOf(registry, work, () => ending.abort(ENDED))).toBe(ENDED);
  });

  it.each([1, 2])('ends with the term, be it at request %i of a look for stale cancels', async (request) => {
    const { paths } = leader.tree;
    await operator.create(paths.cancels, '', 'PERSISTENT');
    await operator.create(paths.cancel(0), 'a run', 'PERSISTENT');
    await leader.tree.sync();
    withholdAnswer(registry, leader, request);
    expect(await reasonOf(registry, removeStaleCancels(leader.tree, term), () => ending.abort(ENDED))).toBe(ENDED);
  });
});

describe('work of an instance that the registry does not answer', () => {
  it.each([1, 2, 3])('ends with the session, be it at request %i of a confirmed loss', async (request) => {
    await leader.begin([0]);
    withholdAnswer(registry, worker, request);
    expect(await reasonOf(registry, confirmLost(worker.tree, 0), closeTree)).toBe(ENDED);
  });

  it.each([1, 2])('ends with the session, be it at request %i of giving up fire times', async (request) => {
    const { lease } = await leader.begin([0]);
    await leader.end(lease!, 0);
    await worker.tree.sync();
    withholdAnswer(registry, worker, request);
    expect(await reasonOf(registry, giveUpFireTimes(worker.tree, new Map([[0, 5_000]])), closeTree)).toBe(ENDED);
  });

  it('ends with the session, be it as a begin reads its records', async () => {
    const { lease } = await leader.begin([0]);
    await leader.end(lease!, 0);
    await worker.tree.sync();
    withholdAnswer(registry, worker, 1);
    const begin = worker.executions.begin({ trigger: triggerAt(2_000), items: [0] });
    expect(await reasonOf(registry, begin, closeTree)).toBe(ENDED);
  });

  it('ends with the session, be it as an instance finds out why its begin was refused', async () => {
    beforeNextTransaction(worker, () => operator.delete(worker.tree.paths.instance(worker.id)));
    const { lease } = await leader.begin([1]);
    await leader.end(lease!, 1);
    await worker.tree.sync();
    await worker.tree.loadRecords([0]);
    withholdAnswer(registry, worker, 2);
    const begin = worker.executions.begin({ trigger: triggerAt(2_000), items: [0] });
    expect(await reasonOf(registry, begin, closeTree)).toBe(ENDED);
  });

  it('ends with the session, be it as a checkpoint is loaded', async () => {
    const { lease } = await worker.begin([0]);
    await lease!.checkpoint(0).save(1);
    withholdAnswer(registry, worker, 1);
    expect(await reasonOf(registry, lease!.checkpoint(0).load(), closeTree)).toBeInstanceOf(LeaseLostError);
  });

  it('ends with the run, be it at a look if that is the latest one', async () => {
    const { lease } = await worker.begin([0]);
    withholdAnswer(registry, worker, 1);
    const look = lease!.begun(0)!.isLatest();
    expect(await reasonOf(registry, look, () => lease!.abortItem(0, ENDED))).toBe(ENDED);
  });

  function closeTree(): void {
    worker.tree.close(ENDED);
  }
});
