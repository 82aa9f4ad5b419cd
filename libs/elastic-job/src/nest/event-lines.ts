import {
  describeAwayParents,
  fewNames,
  handOverOf,
  instant,
  messageOf,
  type SettledOutcome,
  triggerIdOf,
} from '../domain/index.js';
import type { JobEvent } from '../tracing/index.js';
import { debug, describeAssignment, error, type EventLine, itemsText, log, thrown, warn } from './line-log.js';

/** Two applications that overwrite the settings of one job. */
const LAST_START = 'if another application has that too, the last start wins';

type EventOf<Kind extends JobEvent['kind']> = Extract<JobEvent, { kind: Kind }>;

/** Default `tickTime` of ZooKeeper's servers. */
const ZOOKEEPER_TICK_MS = 2_000;

/**
 * Lines of the events. A warning means that somebody should look, though the job goes on. While all is well, the levels
 * above `debug` have one line for each job that joins or leaves, and none for what is planned, begun and ended.
 */
const LINES: { readonly [Kind in JobEvent['kind']]: (event: EventOf<Kind>, place?: string) => EventLine } = {
  session: sessionLine,
  clock: clockLine,
  mixed: mixedLine,
  joined: ({ jobName, instanceId }) => log(`${jobName}: joined as ${instanceId}`),
  left: leftLine,
  'leader-elected': ({ jobName, instanceId, term }) => debug(`${jobName}: ${instanceId} leads, term ${term}`),
  resharded: ({ jobName, assignment, cause }) =>
    debug(`${jobName}: resharded (${cause ?? 'nothing moves'}), ${describeAssignment(assignment)}`),
  'server-switched': ({ jobName, serverIp, status }) =>
    log(`${jobName}: server ${serverIp} is ${status ?? 'neither enabled nor disabled'}`),
  'configuration-differs': differenceLine,
  'configuration-changed': ({ jobName, fields, count }) =>
    debug(`${jobName}: edited in the registry${count === 1 ? '' : `, ${count} times`}: ${fewNames(fields)}`),

  'trigger-requested': ({ trigger }) => log(`${trigger.jobName}: triggered by an operator, ${trigger.origin}`),
  'cancel-requested': ({ jobName, item }) =>
    log(`${jobName}: item ${item} is to stop: an operator has cancelled its run`),
  triggered: runLine,
  begun: runLine,
  finished: runLine,
  started: ({ trigger, item }) => debug(`${trigger.jobName}: item ${item} started`),
  late: lateLine,
  settled: settledLine,
  refused: refusedLine,
  postponed: ({ trigger, items }) =>
    log(`${trigger.jobName}: ${itemsText(items)} busy; will run for ${trigger.origin} once free`),
  skipped: ({ trigger, reason }) => warn(`${trigger.jobName}: skipped ${instant(trigger.fireTime)}, ${reason}`),
  misfired: ({ jobName, items }) => warn(`${jobName}: ${itemsText(items)} still running, misfired`),
  missed: (event) => warn(`${event.jobName}: ${itemsText(event.items)} missed ${span(event)}, ${event.reason}`),
  early: ({ jobName, items, fireTime }) =>
    error(
      `${jobName}: ${itemsText(items)} begun for ${instant(fireTime)}, which is yet to come by the registry's clock; ` +
        'fire times up to then may run twice',
    ),
  'sharding-timeout': ({ jobName, fireTime }) =>
    warn(`${jobName}: not resharded in time for ${instant(fireTime)}; going on with the last assignment`),
  'dependency-not-met': ({ jobName, parent, fireTime, reason }) =>
    warn(`${jobName}: not started for ${instant(fireTime)}, the run of ${parent} is ${reason}`),
  'parents-away': awayLine,

  orphaned: ({ jobName, items }) =>
    warn(`${jobName}: ${itemsText(items)} of an instance that is gone queued for failover`),
  'cut-short': cutShortLine,
  claimed: ({ jobName, items, source }) => log(`${jobName}: claimed ${itemsText(items)}, ${source}`),
  'failover-overflow': ({ jobName, items }) =>
    error(
      `${jobName}: the failover queue is full; ${itemsText(items)} of an unfinished run dropped, and not run again; ` +
        'raise failoverQueueLimit, or repeat the work by hand',
    ),
  'failover-purged': ({ jobName, items }) => warn(`${jobName}: ${itemsText(items)} removed from the failover queue`),
  'executor-died': deathLine,
  'task-launched': (event) => debug(`${taskText(event)} launched`),
  'task-adopted': (event) => log(`${taskText(event)} adopted`),
  'task-queued': (event) => debug(`${taskText(event)} waits for room${detailText(event.detail)}`),
  'task-state': (event) => debug(`${taskText(event)} is ${event.state}${detailText(event.detail)}`),
  'task-lost': (event) => warn(`${taskText(event)} is ${event.state}${detailText(event.detail)}`),
  'task-released': (event) => debug(`${taskText(event)} released`),
  hung: hungLine,
  'settle-delayed': (event) =>
    error(
      `${event.jobName}: could not record the end of ${itemsText(event.items)} since ${instant(event.since)}; ` +
        `trying again: ${messageOf(event.error)}`,
    ),
  'mark-released': ({ jobName, item, marks }) =>
    warn(
      `${jobName}: item ${item} had marks of this instance (${marks.join(', ')}), which does not run it; ` +
        'marks removed',
    ),

  retrying: ({ trigger, item, attempt, delayMs, error: reason }) =>
    warn(
      `${trigger.jobName}: item ${item} failed, attempt ${attempt} in ${Math.round(delayMs)} ms: ${messageOf(reason)}`,
    ),
  unanswered: unansweredLine,
  'error-handler-failed': (event) =>
    thrown(`${event.jobName}: a failure could not be handed to ${event.type}`, event.error),
  'history-dropped': ({ sink, count }) => warn(`history ${sink}: ${count} rows dropped`),
  warning: (event) => warn(subjectLine(event)),
  error: (event) => thrown(subjectLine(event), event.error),
};

/** @param place servers and namespace in words, for the line of the first session */
export function eventLine<Kind extends JobEvent['kind']>(event: EventOf<Kind>, place?: string): EventLine {
  return (LINES[event.kind] as (event: EventOf<Kind>, place?: string) => EventLine)(event, place);
}

/** Without a job, the message names its subject itself. */
function subjectLine({ jobName, message }: EventOf<'warning' | 'error'>): string {
  return jobName === undefined ? message : `${jobName}: ${message}`;
}

function taskText(
  event: EventOf<'task-launched' | 'task-adopted' | 'task-queued' | 'task-state' | 'task-lost' | 'task-released'>,
): string {
  const { item, jobName, task } = event;
  const { launch, node, uid } = task;
  return `${jobName}: task ${uid} of item ${item}, launch ${launch}${node === undefined ? '' : `, on ${node}`},`;
}

function detailText(detail: string | undefined): string {
  return detail === undefined ? '' : `: ${detail}`;
}

function sessionLine({ state, sessionId, timeoutMs }: EventOf<'session'>, place?: string): EventLine {
  const line = `session ${sessionId ?? '(none)'} ${state}`;
  if (state === 'CONNECTED') return log([line, place, describeTimeout(timeoutMs)].filter(Boolean).join(', '));
  if (state === 'LOST') return error(line);
  return state === 'SUSPENDED' ? warn(line) : log(line);
}

function leftLine({ jobName, instanceId, isSessionLost }: EventOf<'left'>): EventLine {
  if (!isSessionLost) return log(`${jobName}: left as ${instanceId}`);
  return warn(`${jobName}: out as ${instanceId}, whose session is lost; joins again in the next session`);
}

/** Meaning of a session's length for failover: the servers check once a tick. */
function describeTimeout(timeoutMs: number): string {
  const [first, last] = [timeoutMs, timeoutMs + ZOOKEEPER_TICK_MS].map((ms) => Math.round(ms / 100) / 10);
  return `granted for ${timeoutMs} ms: a crash is noticed after about ${first} to ${last} s`;
}

function clockLine({ state, offsetMs }: EventOf<'clock'>): EventLine {
  switch (state) {
    case 'registry-wrong':
      return warn(
        `registry: its clock is wrong, by ${-offsetMs} ms as most instances say; let NTP set the clocks of its servers`,
      );
    case 'behind':
      return error(
        `registry: the clock of this host is ${-offsetMs} ms behind the registry's; ` +
          'fire times come late; let NTP set it',
      );
    case 'ahead':
      return error(
        `registry: the clock of this host is ${offsetMs} ms ahead of the registry's; ` +
          "fire times wait until they are due by the registry's",
      );
    default:
      return log('registry: fire times come by the clock of this host again');
  }
}

function awayLine({ jobName, parents }: EventOf<'parents-away'>): EventLine {
  if (parents.length === 0) return log(`${jobName}: all jobs that it starts after run again`);
  return warn(
    `${jobName}: cannot start until the jobs that it starts after run: ${describeAwayParents(parents)}; ` +
      'start their services, enable them, or correct the names',
  );
}

function mixedLine({ jobName, peers, unshareable }: EventOf<'mixed'>): EventLine {
  const line = `${jobName}: shared with ${fewNames(peers)}`;
  if (unshareable.length === 0) return log(line);
  return error(`${line}; nothing is begun until they leave or these are changed: ${unshareable.join('; ')}`);
}

function differenceLine(event: EventOf<'configuration-differs'>): EventLine {
  const { jobName, edited, differences, agreed, total, count, isRefused, overwrite } = event;
  const again = total === 0 ? ['code and registry agree again'] : agreed.map((field) => `${field} as here again`);
  const news = [...differences, ...again].join('; ') || 'differs as before';
  const text = count > 1 ? `${news}; the last of ${count} changes` : news;
  if (differences.length === 0) return log(`${jobName}: edited in the registry, ${text}`);
  const followed = `${jobName}: edited in the registry, ${text}; in force until`;
  // Somebody has another opinion than this code, and the next start is about to undo what they wanted.
  const others = differences.some((difference) => !difference.startsWith('disabled: '));
  if (edited && overwrite && others) return warn(`${followed} the next start with overwrite: true; ${LAST_START}`);
  if (edited) return log(`${followed} it is edited again`);
  // Each of them names its remedy.
  if (isRefused) return warn(`${jobName}: the code stays in force, ${text}`);
  return warn(`${jobName}: the registry overrules, ${text}; ${remedyFor(differences, overwrite)}`);
}

/** The code says `disabled` for a new job only: neither `overwrite` nor an edit switches servers that are there. */
function remedyFor(differences: readonly string[], overwrite: boolean): string {
  const edit = overwrite ? 'edit it there' : 'edit it there, or set overwrite: true here';
  const switches = 'JobOperateApi.enable and disable switch the job, its present servers and new ones';
  const others = differences.filter((difference) => !difference.startsWith('disabled: '));
  const remedies = [...(others.length > 0 ? [edit] : []), ...(others.length < differences.length ? [switches] : [])];
  return remedies.join('; ');
}

function runLine({ kind, trigger, items }: EventOf<'triggered' | 'begun' | 'finished'>): EventLine {
  return debug(`${trigger.jobName}: ${kind}, ${itemsText(items)}`);
}

/** An operator waits for what was triggered, unless it has run already: its item has moved with the request. */
function refusedLine({ trigger, items, cause }: EventOf<'refused'>): EventLine {
  const { jobName, origin } = trigger;
  if (triggerIdOf(origin) === undefined || cause === 'alreadyBegun') {
    return debug(`${jobName}: ${itemsText(items)} not begun, ${cause}`);
  }
  return warn(`${jobName}: ${itemsText(items)} not run for ${origin}: ${cause}`);
}

function lateLine({ trigger, latenessMs, lateAfterMs, count }: EventOf<'late'>): EventLine {
  const line = `${trigger.jobName}: begun ${Math.round(latenessMs)} ms late for ${instant(trigger.fireTime)}`;
  return warn(count === 1 ? line : `${line}, the latest of ${count} runs that were more than ${lateAfterMs} ms late`);
}

function settledLine({ trigger, item, outcome, durationMs }: EventOf<'settled'>): EventLine {
  return outcomeLine(`${trigger.jobName}: item ${item}`, outcome, `after ${Math.round(durationMs)} ms`);
}

function outcomeLine(item: string, outcome: SettledOutcome, after: string): EventLine {
  const line = `${item} ${outcome.kind} ${after}`;
  switch (outcome.kind) {
    case 'succeeded':
      return debug(line);
    case 'failed':
      return debug(`${line}: ${messageOf(outcome.error)}`); // The error handler decides how it is reported.
    case 'aborted': {
      const handOver = handOverOf(outcome.reason);
      const reason = messageOf(outcome.reason);
      return handOver === undefined
        ? warn(`${line}: ${reason}`)
        : log(`${item} handed over ${after}, ${handOver}: ${reason}`);
    }
    default:
      return warn(`${line}: its lease is over; ${fencedText(outcome)}`);
  }
}

const CUT_SHORT_REASONS = {
  'failover-off': 'failover is off; set failover: true for work that has to be done',
  'beyond-total': 'the job has fewer items now',
  cancelled: 'an operator has cancelled it',
  'timed-out': 'it has taken longer than timeoutMs',
} as const satisfies Record<EventOf<'cut-short'>['reason'], string>;

function cutShortLine({ jobName, items, fireTime, reason }: EventOf<'cut-short'>): EventLine {
  const run = `${jobName}: ${itemsText(items)} of an instance that is gone cut short for ${instant(fireTime)}`;
  return warn(`${run}, not repeated: ${CUT_SHORT_REASONS[reason]}`);
}

function fencedText({ unrecorded }: Extract<SettledOutcome, { readonly kind: 'fenced' }>): string {
  if (unrecorded === undefined) return 'another run has the item, the session has ended or the job was removed';
  return (
    `its handler had returned before (${unrecorded}), but the registry has not confirmed that; ` +
    'failover may run the item again'
  );
}

function hungLine({ trigger, item, since, reason, isReleased, listener = 'the handler' }: EventOf<'hung'>): EventLine {
  const consequence = isReleased ? 'others may run the item' : 'the item starts nowhere until it returns';
  return error(
    `${trigger.jobName}: ${listener} of item ${item} has not returned since it was aborted at ${instant(since)} ` +
      `(${messageOf(reason)}); ${consequence}`,
  );
}

function deathLine({ trigger, item, state, requeue }: EventOf<'executor-died'>): EventLine {
  const line = `${trigger.jobName}: the executor of item ${item} is ${state}`;
  if (requeue === 'exhausted') return error(`${line}; its target has lost too many executors and is given up`);
  if (requeue === 'hold') return error(`${line}; it may still run, so the item is kept until this session ends`);
  return warn(requeue === 'queue' ? `${line}; queued for failover` : line);
}

function unansweredLine({ counts, error: reason }: EventOf<'unanswered'>): EventLine {
  const jobs = [...counts].map(([jobName, count]) => `${jobName || 'no single job'} ${count}`);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return warn(`registry: no answer to ${total} triggers or other work (${fewNames(jobs)}): ${messageOf(reason)}`);
}

function span({ count, fireTime, since }: EventOf<'missed'>): string {
  return count === 1 ? instant(fireTime) : `${count} fire times from ${instant(since)} to ${instant(fireTime)}`;
}
