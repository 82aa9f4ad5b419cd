import { expect, it } from 'vitest';
import { sortedProblems } from './faults.js';

it('problems of the API stand beside their fields, a prop beside the props, and the rest below', () => {
  const { byField, others } = sortedProblems([
    { field: 'cron', problem: 'has 5 fields' },
    { field: 'props.http.uri', problem: 'is no allowed target' },
    { field: 'cron', problem: 'must not be given with resident: true' },
    { field: '', problem: 'job "settle": something' },
    { field: 'unheard', problem: 'is not an option of a job' },
  ]);
  expect(Object.fromEntries(byField)).toEqual({
    cron: ['has 5 fields', 'must not be given with resident: true'],
    props: ['http.uri is no allowed target'],
  });
  expect(others).toEqual(['job "settle": something', 'unheard is not an option of a job']);
});
