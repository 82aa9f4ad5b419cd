import type { FuzzedParser } from '../fuzzed-parser.js';
import { configuration, elasticJob2, elasticJob3, itemParameters } from './configuration.js';
import {
  arrival,
  ended,
  dependents,
  fence,
  instance,
  json,
  passedRounds,
  rerun,
  rerunProgress,
  path,
  record,
  session,
  startsAfterOthers,
  trigger,
} from './nodes.js';
import { cron, timeZone, traceparent } from './schedule.js';

/**
 * Every reader of texts in the tree, and of files that are imported. The texts of `servers`, `leader`, `term`, `cancel`
 * and the marks are only compared with others.
 */
export const PARSERS: readonly FuzzedParser[] = [
  [configuration, elasticJob2, elasticJob3, itemParameters],
  [
    record,
    instance,
    session,
    trigger,
    dependents,
    startsAfterOthers,
    ended,
    rerun,
    rerunProgress,
    arrival,
    passedRounds,
    path,
    fence,
    json,
  ],
  [cron, timeZone, traceparent],
].flat();
