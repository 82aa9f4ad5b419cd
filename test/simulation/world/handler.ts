import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  LeaseLostError,
  manualOrigin,
  rerunOrigin,
  type ShardingContext,
  type TriggerOrigin,
} from '../../../libs/elastic-job/src/domain/index.js';
import type { Fact, RunFact } from '../log.js';
import type { Chance } from './chance.js';
import type { EffectStore } from './guarded-store.js';

/** Parts of a simulated handler. */
export interface HandlerParts {
  readonly instance: number;
  /** The process's own time. */
  readonly clock: Clock;
  readonly chance: Chance;
  readonly store: EffectStore;
  /** Limit of the length of a run, in milliseconds. The instances could not keep up with longer ones. */
  readonly longestMs: (jobName: string) => number;
  readonly isResident: (jobName: string) => boolean;
  /** True if an operator has asked for a re-run of this id. */
  readonly isRerun: (id: string) => boolean;
  /** True if it loads and saves checkpoints. */
  readonly checkpoints: boolean;
  readonly nextRun: () => number;
  /** Makes the process ask for the lease of a run when it goes on after a pause. Undefined: the run is over. */
  readonly onAsk: (ask: (() => void) | undefined) => void;
  readonly log: (fact: Fact) => void;
}

/**
 * A user's handler: quick or slow, careful or deaf, and failing now and then. It writes to a guarded store as it goes,
 * and asks if it still holds its item before each write, and when it is told to stop.
 */
export async function handle(context: ShardingContext, parts: HandlerParts): Promise<void> {
  const { chance, clock, log } = parts;
  const isDeaf = chance.is(0.1);
  const fails = chance.is(0.1);
  const { fact, ask } = noteRun(context, parts, isDeaf);
  const { run } = fact;
  const keep = checkpointOf(context, run, parts);
  try {
    const isResident = parts.isResident(context.jobName);
    for (const ms of isResident ? drawResidentSteps(chance) : drawSteps(chance, parts.longestMs(context.jobName))) {
      effect(fact, parts, ask);
      keep('save');
      await clock.sleep(ms, isDeaf ? undefined : context.signal);
      if (isResident && context.signal.aborted) break;
    }
    effect(fact, parts, ask);
    if (fails) throw new Error('the handler fails');
    if (run % 3 === 0) keep('clear');
    log({ kind: 'returned', run });
  } catch (error) {
    log({ kind: 'threw', run });
    throw error;
  } finally {
    parts.onAsk(undefined);
  }
}

/**
 * The use of a checkpoint, which nobody waits for: a request of a slow client would take longer than a run may. Each
 * run loads what there is.
 */
function checkpointOf(
  { checkpoint, token }: ShardingContext,
  run: number,
  { checkpoints, log }: HandlerParts,
): (what: 'save' | 'clear') => void {
  if (!checkpoints || token === undefined) return () => {};
  const loaded = (savedBy: number | undefined) => {
    if (savedBy !== undefined) log({ kind: 'loaded', run, savedBy });
  };
  checkpoint.load<number>().then(loaded, () => {});
  return (what) => void (what === 'save' ? checkpoint.save(run) : checkpoint.clear()).catch(() => {});
}

/** The facts that are noted of a run. */
export type RunParts = Pick<HandlerParts, 'instance' | 'isResident' | 'isRerun' | 'nextRun' | 'onAsk' | 'log'>;

/** Notes the begin of a run, and its signal. @returns with a function that asks for its lease */
export function noteRun(context: ShardingContext, parts: RunParts, isDeaf: boolean) {
  const { log } = parts;
  const run = parts.nextRun();
  const fact = factOf(context, run, parts, isDeaf);
  log({ kind: 'run', ...fact });
  const ask = () => log({ kind: 'held', run, isHeld: isHeld(context) });
  parts.onAsk(ask);
  const onAbort = () => {
    log({ kind: 'aborted', run, reason: nameOf(context.signal.reason) });
    ask();
  };
  if (context.signal.aborted) onAbort();
  else context.signal.addEventListener('abort', onAbort, { once: true });
  return { fact, ask };
}

function nameOf(reason: unknown): string {
  return reason instanceof Error ? reason.constructor.name : String(reason);
}

function isHeld(context: ShardingContext): boolean {
  try {
    context.assertHeld();
    return true;
  } catch (error) {
    if (error instanceof LeaseLostError) return false;
    throw error;
  }
}

// A handler writes even if its lease is lost, because the store has to refuse it as well.
function effect({ run, jobName, item, token }: RunFact, { store, log }: HandlerParts, ask: () => void): void {
  ask();
  if (token === undefined) return;
  const accepted = store.apply(`${jobName}/${item}`, token);
  log({ kind: 'effect', run, token, accepted });
}

/** The waits between its effects, in milliseconds: none, some, or longer than the job's period. */
function drawSteps(chance: Chance, longestMs: number): number[] {
  const total = chance.pick([0, 0, 5, 50, 0.2 * longestMs, 0.5 * longestMs, longestMs]);
  const steps = total === 0 ? 0 : chance.between(1, 3);
  return Array.from({ length: steps }, () => Math.round(total / steps));
}

/** Draws waits for a resident item. Some end soon, most when they are told to. */
function drawResidentSteps(chance: Chance): number[] {
  const [steps, ms] = [chance.pick([0, 2, 3_600, 3_600, 3_600]), chance.pick([200, 1_000, 5_000])];
  return Array.from({ length: steps }, () => ms);
}

function factOf(
  context: ShardingContext,
  run: number,
  parts: Pick<HandlerParts, 'instance' | 'isResident' | 'isRerun'>,
  isDeaf: boolean,
): RunFact {
  const { jobName, shardingItem, fireTime, trigger, source, token, shardingTotalCount, jobParameter } = context;
  const { instance, isRerun, isResident } = parts;
  const asked: TriggerOrigin =
    trigger === 'schedule' ? 'schedule' : isRerun(trigger.id) ? rerunOrigin(trigger.id) : manualOrigin(trigger.id);
  const origin = isResident(jobName) ? 'resident' : asked;
  return {
    run,
    instance,
    jobName,
    item: shardingItem,
    fireTime: fireTime.getTime(),
    origin,
    source,
    token,
    total: shardingTotalCount,
    parameter: jobParameter,
    isDeaf,
  };
}
