import { expect, it } from 'vitest';
import { Audience, type Hearing, JobNewsFeed } from './job-news.js';

class HearsWork implements Hearing {
  heard = 0;

  WorkExpected(): void {
    this.heard += 1;
  }
}

class HearsSweeps implements Hearing {
  heard = 0;

  SweepNeeded(): void {
    this.heard += 1;
  }
}

it('notifies each of its own listeners once, although feeds share an audience', () => {
  const audience = new Audience();
  const hearers = [0, 1].map(() => [new HearsWork(), new HearsSweeps(), new HearsWork()]);
  const feeds = hearers.map((of) => feedOf(audience, of));

  for (let times = 0; times < 2; times += 1) feeds[1]!.tell({ kind: 'WorkExpected' });

  expect(hearers.map((of) => of.map(({ heard }) => heard))).toEqual([
    [0, 0, 0],
    [2, 0, 2],
  ]);
});

it('notifies the right listeners if feeds have them in another order or fewer of them', () => {
  const audience = new Audience();
  const hearers = [[new HearsWork(), new HearsSweeps()], [new HearsSweeps(), new HearsWork()], [new HearsWork()]];
  const feeds = hearers.map((of) => feedOf(audience, of));

  for (const feed of feeds) feed.tell({ kind: 'SweepNeeded' });

  expect(hearers.map((of) => of.map(({ heard }) => heard))).toEqual([[0, 1], [1, 0], [0]]);
});

it('notifies a listener that is added later of the next news', () => {
  const feed = new JobNewsFeed();
  feed.tell({ kind: 'WorkExpected' });
  const late = new HearsWork();

  feed.on(late);
  feed.tell({ kind: 'WorkExpected' });

  expect(late.heard).toBe(1);
});

function feedOf(audience: Audience, hearers: readonly Hearing[]): JobNewsFeed {
  const feed = new JobNewsFeed(audience);
  for (const hearer of hearers) feed.on(hearer);
  return feed;
}
