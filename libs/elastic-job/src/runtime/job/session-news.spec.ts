import { methodOf } from '@test/support/unit/job-news.js';
import { beforeEach, expect, it } from 'vitest';
import { Cancellations, HandOvers } from '../runs/aborted-runs.js';
import { CatchUp } from '../triggering/catch-up.js';
import { FailingItems } from '../runs/failing-items.js';
import { FailoverClaims } from '../rescuing/failover-claims.js';
import { KeptNodes } from './kept-nodes.js';
import { LeaderDuties } from '../leading/leader-duties.js';
import { ManualTriggers } from '../triggering/manual-triggers.js';
import { MissedFireTimes } from '../triggering/owed-fire-times.js';
import { OperatorSwitches } from '../triggering/operator-switches.js';
import { OwnMarks } from '../runs/own-marks.js';
import { Reruns } from '../triggering/reruns.js';
import { ResidentItems } from '../triggering/resident-items.js';
import { DependencyStarts } from '../triggering/dependency-starts.js';
import { type Duties, RECEIVERS, SessionNews, type SessionJob } from './session-news.js';

const CLASSES = {
  leader: LeaderDuties,
  switches: OperatorSwitches,
  nodes: KeptNodes,
  failing: FailingItems,
  missed: MissedFireTimes,
  catchUp: CatchUp,
  claims: FailoverClaims,
  manual: ManualTriggers,
  reruns: Reruns,
  residents: ResidentItems,
  starts: DependencyStarts,
  cancellations: Cancellations,
  handOvers: HandOvers,
  marks: OwnMarks,
};
const KINDS: (keyof typeof RECEIVERS)[] = Object.keys(RECEIVERS).map(asKind);

/** Hearers of the news, in order. */
let heard: string[];
let news: SessionNews;
beforeEach(() => {
  heard = [];
  news = new SessionNews(hearer('job'));
});

it.each(KINDS)('brings %s to each duty that has a method for it', (kind) => {
  news.open(duties());
  const hearers = Object.entries(CLASSES).filter(([, { prototype }]) => methodOf(kind) in prototype);

  tell(kind);

  expect(heard.filter((name) => name !== 'job').toSorted()).toEqual(hearers.map(([name]) => name).toSorted());
});

it.each(['ServerChanged', 'ItemSwitched', 'TreeReset'] as const)(
  'notes at %s what is switched off before anything is begun',
  (kind) => {
    news.open(duties());

    tell(kind);

    expect(heard.indexOf('switches')).toBeLessThan(heard.indexOf('catchUp'));
    expect(heard.indexOf('switches')).toBeGreaterThan(-1);
  },
);

it.each(['ConfigurationChanged', 'TreeReset', 'InstanceLost'] as const)(
  'lets the job hear %s before its duties, which ask for its settings',
  (kind) => {
    news.open(duties());

    tell(kind);

    expect(heard[0]).toBe('job');
  },
);

/** News without the rest, which no hearer here reads. */
function tell(kind: keyof typeof RECEIVERS): void {
  news.emit(Object.assign(Object.create(null), { kind }));
}

function asKind(name: string): keyof typeof RECEIVERS {
  if (!isKind(name)) throw new Error(`no kind of news: ${name}`);
  return name;
}

function isKind(name: string): name is keyof typeof RECEIVERS {
  return name in RECEIVERS;
}

function duties(): Duties {
  const all = Object.keys(CLASSES).map((name) => [name, hearer(name)]);
  return Object.assign(Object.create(null), Object.fromEntries(all));
}

/** Notes its name at each call. */
function hearer(name: string): SessionJob {
  return new Proxy(Object.create(null), { get: () => () => void heard.push(name) });
}
