import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import {
  afterNextLoad,
  beforeNextTransaction,
  JOB,
  type Member,
  Registry,
  SUCCEEDED,
} from '@test/support/unit/member.js';
import { reasonOf, withholdAnswer } from '@test/support/unit/unanswered.js';
import { purgeQueue } from './purged-queue.js';
import { removeRetiredFailover } from './retired-failover.js';
import { releaseStrayMarks } from './stray-marks.js';

const ENDED = new Error('It is over.');

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
    term = { ...leader.leader.term(JOB)!, signal: ending.signal };
  });

  it.each([1, 2, 3])('ends with the term, be it at request %i of a sweep', async (request) => {
    await worker.begin([0]);
    worker.die();
    withholdAnswer(registry, leader, request);
    expect(await reasonOf(registry, leader.orphans.sweep(leader.tree, term), () => ending.abort(ENDED))).toBe(ENDED);
  });

  it.each([1, 2])('ends with the term, be it at request %i of a purge', async (request) => {
    await registry.orphan(leader, [0]);
    await worker.queue.claim(JOB);
    await operator.create(leader.tree.paths.queued(0), '', 'PERSISTENT');
    withholdAnswer(registry, leader, request);
    expect(
      await reasonOf(
        registry,
        purgeQueue(leader.tree, term, 5_000, () => true),
        () => ending.abort(ENDED),
      ),
    ).toBe(ENDED);
  });

  it.each([1, 2])('ends with the term, be it at request %i for what a retired failover has left', async (request) => {
    await worker.begin([0]);
    await operator.delete(leader.tree.paths.mark(0, 'running'));
    await operator.create(leader.tree.paths.mark(0, 'failovering'), worker.id, 'PERSISTENT');
    withholdAnswer(registry, leader, request);
    expect(
      await reasonOf(
        registry,
        removeRetiredFailover(leader.tree, term, () => true),
        () => ending.abort(ENDED),
      ),
    ).toBe(ENDED);
  });
});

describe('work of an instance that the registry does not answer', () => {
  it.each([1, 2])('ends with the session, be it at request %i of a claim', async (request) => {
    await registry.orphan(leader, [0]);
    withholdAnswer(registry, worker, request);
    expect(await reasonOf(registry, worker.queue.claim(JOB), closeTree)).toBe(ENDED);
  });

  it('ends with the session, be it as an entry that stands for nothing is dropped', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);
    await operator.create(worker.tree.paths.queued(0), '', 'PERSISTENT');
    await worker.queue.pending(JOB);
    withholdAnswer(registry, worker, 1);
    expect(await reasonOf(registry, worker.queue.claim(JOB), closeTree)).toBe(ENDED);
  });

  it('ends with the session, be it after a claim that was lost', async () => {
    await registry.orphan(leader, [0]);
    const server = worker.tree.paths.server(worker.self.serverIp);
    beforeNextTransaction(worker, () => operator.set(server, 'ENABLED'));
    withholdAnswer(registry, worker, 3);
    expect(await reasonOf(registry, worker.queue.claim(JOB), closeTree)).toBe(ENDED);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'ends with the session, be it at request %i of a claim beside Java',
    async (request) => {
      await registry.orphan(leader, [0]);
      await operator.create(leader.tree.paths.instance('10.0.0.9@-@4711'), '', 'EPHEMERAL');
      await worker.tree.sync();
      withholdAnswer(registry, worker, request);
      expect(await reasonOf(registry, worker.queue.claim(JOB), closeTree)).toBe(ENDED);
    },
  );

  it.each([1, 2, 3])('ends with the session, be it at request %i of a look for its stray marks', async (request) => {
    const mark = worker.tree.paths.mark(0, 'running');
    await operator.create(mark, worker.id, 'PERSISTENT');
    await worker.tree.sync();
    afterNextLoad(worker, () => operator.set(mark, worker.id));
    withholdAnswer(registry, worker, request);
    expect(
      await reasonOf(
        registry,
        releaseStrayMarks(
          worker.tree,
          registry.clock,
          [0],
          () => false,
          () => {},
        ),
        closeTree,
      ),
    ).toBe(ENDED);
  });

  function closeTree(): void {
    worker.tree.close(ENDED);
  }
});
