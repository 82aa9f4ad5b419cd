import { check24HeldIsCurrent } from './assert-held.js';
import { check20FreshAssignment } from './assignment.js';
import { check25CallsAreDone } from './calls.js';
import { check10ConfigConvergence, check11ControlIsHonoured, check12Drain } from './control.js';
import { check05CompleteCover, check07BoundedResharding, check08Stickiness } from './cover.js';
import { check23StartedAfter } from './dependents.js';
import { check06BoundedFailover, check18NoClaimLost, check22OrphansAreQueued } from './failover.js';
import {
  check01ExclusiveShard,
  check02FenceMonotonic,
  check17SignalBeforeExpiry,
  check21OnceBegun,
  check28NothingEarly,
} from './holders.js';
import type { Invariant } from './invariant.js';
import { check09OneLeaderActs, check19NoOldTerm } from './leadership.js';
import { check26OwnMarks } from './own-marks.js';
import {
  check36ScheduleIsLeftAlone,
  check37RerunInOrder,
  check38ProgressWithSettle,
  check39RerunMayBegin,
  check40RerunsAreDone,
} from './reruns.js';
import { check27StopsAreBounded } from './stops.js';
import { check03NoLostTarget, check04NoSurplusRun, check13MisfireOracle, check16Progress } from './targets.js';
import {
  check29OneTask,
  check30LaunchedOnce,
  check31ReleasedAfterSettle,
  check32InnocentDeaths,
  check33LaunchIsCounted,
  check34SettledOnce,
  check35NothingLeft,
} from './tasks.js';
import { check14NoLitter, check15NothingSilent } from './traces.js';

export type { Invariant, Violation } from './invariant.js';

/** All invariants: 1 to 16 of the field study, 17 to 22 of the issue, and later ones. */
export const INVARIANTS: readonly Invariant[] = [
  { number: 1, name: 'exclusive shard', check: check01ExclusiveShard },
  { number: 2, name: 'fence monotonic', check: check02FenceMonotonic },
  { number: 3, name: 'no lost target', check: check03NoLostTarget },
  { number: 4, name: 'no surplus run', check: check04NoSurplusRun },
  { number: 5, name: 'complete cover', check: check05CompleteCover },
  { number: 6, name: 'bounded failover', check: check06BoundedFailover },
  { number: 7, name: 'bounded resharding', check: check07BoundedResharding },
  { number: 8, name: 'stickiness', check: check08Stickiness },
  { number: 9, name: 'one leader acts', check: check09OneLeaderActs },
  { number: 10, name: 'configuration converges', check: check10ConfigConvergence },
  { number: 11, name: 'control is honoured', check: check11ControlIsHonoured },
  { number: 12, name: 'drain', check: check12Drain },
  { number: 13, name: 'misfire oracle', check: check13MisfireOracle },
  { number: 14, name: 'no litter', check: check14NoLitter },
  { number: 15, name: 'nothing silent', check: check15NothingSilent },
  { number: 16, name: 'progress', check: check16Progress },
  { number: 17, name: 'signal before expiry', check: check17SignalBeforeExpiry },
  { number: 18, name: 'no claim lost or won twice', check: check18NoClaimLost },
  { number: 19, name: 'no write of an old term', check: check19NoOldTerm },
  { number: 20, name: 'assignment from a fresh view', check: check20FreshAssignment },
  { number: 21, name: 'once begun', check: check21OnceBegun },
  { number: 22, name: 'orphans are queued', check: check22OrphansAreQueued },
  { number: 23, name: 'started after its parents', check: check23StartedAfter },
  { number: 24, name: 'held means current', check: check24HeldIsCurrent },
  { number: 25, name: 'calls are done', check: check25CallsAreDone },
  { number: 26, name: 'own marks', check: check26OwnMarks },
  { number: 27, name: 'stops are bounded', check: check27StopsAreBounded },
  { number: 28, name: 'nothing early', check: check28NothingEarly },
];

/** Further invariants for re-runs of past fire times. */
export const RERUN_INVARIANTS: readonly Invariant[] = [
  { number: 36, name: 'the schedule is left alone', check: check36ScheduleIsLeftAlone },
  { number: 37, name: 're-run once, in order', check: check37RerunInOrder },
  { number: 38, name: 'progress with the settle', check: check38ProgressWithSettle },
  { number: 39, name: 're-run where it may', check: check39RerunMayBegin },
  { number: 40, name: 'no re-run forgotten', check: check40RerunsAreDone },
];

/** Further invariants for jobs whose items are tasks. */
export const TASK_INVARIANTS: readonly Invariant[] = [
  { number: 29, name: 'one task of an item', check: check29OneTask },
  { number: 30, name: 'launched once', check: check30LaunchedOnce },
  { number: 31, name: 'released after its settle', check: check31ReleasedAfterSettle },
  { number: 32, name: 'innocent deaths do not count', check: check32InnocentDeaths },
  { number: 33, name: 'launches are counted', check: check33LaunchIsCounted },
  { number: 34, name: 'settled once', check: check34SettledOnce },
  { number: 35, name: 'no task is left', check: check35NothingLeft },
];
