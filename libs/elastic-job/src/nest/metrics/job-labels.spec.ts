import { expect, it } from 'vitest';
import { JobLabels } from './job-labels.js';

function setUp() {
  const here = new Set(['a', 'b']);
  const labels = new JobLabels(2, (jobName) => here.has(jobName));
  const freed: string[] = [];
  labels.onFreed((job) => void freed.push(job));
  return { here, labels, freed };
}

it('gives a job of this process its name, and others none', () => {
  const { labels } = setUp();

  expect(['a', 'b', 'elsewhere'].map((job) => labels.of(job))).toEqual(['a', 'b', 'other']);
});

it('gives the label of a job that has left to another one, after two scrapes', () => {
  const { here, labels, freed } = setUp();
  for (const job of ['a', 'b']) labels.of(job);
  here.delete('a');
  here.add('c');

  labels.scrape();
  expect([labels.of('c'), freed]).toEqual(['other', []]);
  labels.scrape();
  expect([labels.of('c'), freed]).toEqual(['c', ['a']]);
});

it('keeps the label of a job that comes back in between', () => {
  const { here, labels, freed } = setUp();
  labels.of('a');
  here.delete('a');
  labels.scrape();
  here.add('a');
  labels.scrape();
  here.delete('a');
  labels.scrape();

  expect([labels.of('a'), freed]).toEqual(['a', []]);
});
