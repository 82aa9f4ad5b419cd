import { describe, expect, it } from 'vitest';
import {
  type JobBriefFacts,
  type JobBriefStatus,
  judgeItem,
  judgeJob,
  type ShardingFacts,
} from './operation-status.decision.js';

const WELL: JobBriefFacts = { instanceIds: ['a', 'b'], disabledServers: [false, true], owners: ['a', 'b', undefined] };

describe('the state of a job', () => {
  it.each<[string, Partial<JobBriefFacts>, JobBriefStatus]>([
    ['all owners there', {}, 'OK'],
    ['no instance, whatever else', { instanceIds: [], disabledServers: [true] }, 'CRASHED'],
    ['all servers disabled, whatever the owners', { disabledServers: [true, true], owners: [] }, 'DISABLED'],
    ['no server at all', { disabledServers: [] }, 'DISABLED'],
    ['an owner that is gone', { owners: ['a', 'gone'] }, 'SHARDING_FLAG'],
    ['no item with an owner', { owners: [undefined] }, 'SHARDING_FLAG'],
    ['no item', { owners: [] }, 'SHARDING_FLAG'],
  ])('is $2 with %s, as in ElasticJob', (_given, facts, status) => {
    expect(judgeJob({ ...WELL, ...facts })).toBe(status);
  });
});

describe('the state of an item', () => {
  it.each<[Partial<ShardingFacts>, ReturnType<typeof judgeItem>]>([
    [{}, 'PENDING'],
    [{ isOwnerOnline: false }, 'SHARDING_FLAG'],
    [{ isOwnerOnline: false, isRunning: true }, 'RUNNING'],
    [{ isRunning: true, isDisabled: true }, 'DISABLED'],
  ])('follows from the facts %j: %s', (facts, status) => {
    expect(judgeItem({ isDisabled: false, isRunning: false, isOwnerOnline: true, ...facts })).toBe(status);
  });
});
