import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { beforeEach, expect, it, vi } from 'vitest';
import { type JobName, removedRoot } from '../../domain/index.js';
import type { MemoryRegistryCenter } from '../../registry/index.js';
import { AbandonedJobs } from './abandoned-jobs.js';

const { signal } = new AbortController();

let stage: MemoryStage;
let registry: MemoryRegistryCenter;
beforeEach(async () => {
  stage = new MemoryStage();
  registry = await stage.connected();
  await stage.during(() => registry.create('/a', removedRoot('report'), 'PERSISTENT'));
});

it('tries a job again whose deletion fails after pauses that double up to 30 s, and tells it once', async () => {
  const tries: number[] = [];
  vi.spyOn(registry, 'transaction').mockImplementation(async () => {
    tries.push(stage.clock.monotonicNow());
    throw new Error('It cannot be deleted');
  });
  const told: JobName[] = [];
  const jobs = abandonedJobs((jobName) => told.push(jobName));

  void jobs.isDeleted('a', signal);
  for (let seconds = 0; seconds < 300; seconds += 1) await stage.clock.advance(1_000);

  const pauses = tries.slice(1).map((at, index) => at - tries[index]!);
  expect(told).toEqual(['a']);
  expect(Math.max(...pauses)).toBeGreaterThan(15_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(31_000);
  expect(pauses[0]).toBeLessThanOrEqual(2_000);
  expect(tries.length).toBeLessThan(30);
  jobs.clear();
});

it('tells again of a job that fails after it was not to be deleted any more', async () => {
  vi.spyOn(registry, 'transaction').mockRejectedValue(new Error('It cannot be deleted'));
  const told: JobName[] = [];
  const jobs = abandonedJobs((jobName) => told.push(jobName));
  await stage.during(() => jobs.isDeleted('a', signal));

  jobs.forget('a');
  await stage.during(() => jobs.isDeleted('a', signal));

  expect(told).toEqual(['a', 'a']);
  jobs.clear();
});

function abandonedJobs(onFailed: (jobName: JobName) => void): AbandonedJobs {
  const jobs: AbandonedJobs = new AbandonedJobs(50, {
    registry,
    clock: stage.clock,
    onFailed,
    onTurn: (jobName) => void jobs.isDeleted(jobName, signal),
  });
  return jobs;
}
