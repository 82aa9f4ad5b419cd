import type { Entry, EntryOf, TaskFact } from './log.js';

/** A task from its launch to its release. Times in milliseconds since the epoch. */
export interface TaskLife extends Pick<
  TaskFact,
  'jobName' | 'item' | 'uid' | 'fireTime' | 'origin' | 'launch' | 'run' | 'token'
> {
  readonly launchedAt: number;
  /** Its holders, in the order of their claims. The first one has launched it. */
  readonly holders: readonly Holder[];
  readonly openedAt: number | undefined;
  /** When it was RUNNING first. */
  readonly startedAt: number | undefined;
  /** Its end, after which its process does nothing. */
  readonly end: (EntryOf<'task'> & { readonly what: 'ended' }) | undefined;
  readonly release: EntryOf<'task'> | undefined;
}

type Holder = Pick<TaskFact, 'run' | 'token'> & { readonly at: number };

/** The tasks of a log, in the order of their launches. */
export function readTasks(entries: readonly Entry[]): readonly TaskLife[] {
  const lives = new Map<string, { -readonly [Field in keyof TaskLife]: TaskLife[Field] }>();
  for (const entry of entries) {
    if (entry.kind !== 'task') continue;
    const { at, uid, run, token, jobName, item, fireTime, origin, launch } = entry;
    const holder = { at, run, token };
    const known = lives.get(uid);
    if (known === undefined) {
      const what = { jobName, item, uid, fireTime, origin, launch, run, token, launchedAt: at };
      lives.set(uid, {
        ...what,
        holders: [holder],
        openedAt: undefined,
        startedAt: undefined,
        end: undefined,
        release: undefined,
      });
    } else if (entry.what === 'adopted') known.holders = [...known.holders, holder];
    else if (entry.what === 'opened') known.openedAt ??= at;
    else if (entry.what === 'started') known.startedAt ??= at;
    else if (entry.what === 'ended') known.end = { ...entry, what: 'ended' };
    else known.release = entry;
  }
  return [...lives.values()];
}

/** The target of a task, or of a begin, as text. */
export function targetKey(of: Pick<TaskLife, 'jobName' | 'item' | 'fireTime' | 'origin'>): string {
  return `${of.jobName}/${of.item} for ${new Date(of.fireTime).toISOString().slice(11, 19)} of ${of.origin}`;
}
