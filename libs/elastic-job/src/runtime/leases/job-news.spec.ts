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

it('given feeds that share an audience, when one tells, then each of its own hearers hears it once', () => {
  const audience = new Audience();
  const hearers = [0, 1].map(() => [new HearsWork(), new HearsSweeps(), new HearsWork()]);
  const feeds = hearers.map((of) => feedOf(audience, of));

  for (let times = 0; times < 2; times += 1) feeds[1]!.tell({ kind: 'WorkExpected' });

  expect(hearers.map((of) => of.map(({ heard }) => heard))).toEqual([
    [0, 0, 0],
    [2, 0, 2],
  ]);
});

it('given hearers of the same classes in another order, or fewer of them, then they hear what is theirs', () => {
  const audience = new Audience();
  const hearers = [[new HearsWork(), new HearsSweeps()], [new HearsSweeps(), new HearsWork()], [new HearsWork()]];
  const feeds = hearers.map((of) => feedOf(audience, of));

  for (const feed of feeds) feed.tell({ kind: 'SweepNeeded' });

  expect(hearers.map((of) => of.map(({ heard }) => heard))).toEqual([[0, 1], [1, 0], [0]]);
});

it('given news were told, when somebody comes who hears them, then he hears the next ones', () => {
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
