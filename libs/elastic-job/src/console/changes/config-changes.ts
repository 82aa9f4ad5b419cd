import type { Clock } from '../../clock/index.js';
import { ConfigurationNodeError } from '../../coordination/index.js';
import { ConfigurationError, findUnshareable, nextFireTimes } from '../../domain/index.js';
import type { JobConfigurationChanges, StoredJobConfiguration } from '../../operations/index.js';
import {
  type ConfigAnswer,
  type ConfigChangedAnswer,
  type ConfigPreviewAnswer,
  type ConsoleCall,
  ConsoleProblem,
  HIDDEN,
  mayAs,
  unknownJobProblem,
} from '../contract/index.js';
import type { ConfigBody } from './bodies.js';
import { assertNotHidden, diffOf, maskChanges, shownSettings, withoutHidden } from './hiding.js';
import { noteOn } from './notes.js';
import type { AuditTrail, Configurations, FindJob, JobAbout } from './ports.js';
import { recorded } from './recording.js';
import { assertSeen, unseenIn } from './seen.js';
import { assertTargetsAllowed, type ConsoleTargets } from './targets.js';

interface ConfigChangeParts {
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly configurations: Configurations;
  readonly findJob: FindJob;
  readonly targets: ConsoleTargets;
  readonly showProps: readonly string[];
}

type ConfigCall = ConsoleCall<object, ConfigBody>;

interface Checked {
  /** Undefined if they break a rule. */
  readonly before: StoredJobConfiguration | undefined;
  readonly version: number;
  readonly changes: JobConfigurationChanges;
}

/** Settings that decide what runs, or on what: more than an operator may. */
const OF_ADMINS = ['shardingTotalCount', 'props', 'jobErrorHandlerType', 'jobExtraConfigurations', 'jobListenerTypes'];
/** Fire times that a preview shows, before and after. */
const PREVIEWED = 5;

/**
 * Settings of jobs. A change names the version that was read, so that nobody overwrites what another has changed
 * meanwhile; `hidden` in it means "as it is".
 *
 * A lost reply leaves the entry of a change `unknown`, with the version that was there and the wanted values. If it was
 * made, its version is an entry `outside` beside it. The two are not joined: the end of an entry stays, and nobody can
 * tell this change from one by another writer, since an entry keeps no text with secrets, nor a digest of one, by which
 * they could be guessed.
 *
 * Settings that break a rule are not shown, and a change can correct them. It names the `configVersion` of the job, and
 * what it gives stands as changed from `hidden`.
 */
export class ConfigChanges {
  constructor(private readonly parts: ConfigChangeParts) {}

  /** @throws {ConsoleProblem} 404 @throws {ConfigurationNodeError} */
  async show({ caller, params }: ConsoleCall): Promise<ConfigAnswer> {
    const { configurations, findJob, showProps } = this.parts;
    const job = params.job!;
    const [present, about] = await Promise.all([this.present(configurations, job), findJob(job)]);
    const settings = shownSettings(present, { ...caller, showProps });
    const { version } = present;
    return { job, version, settings, unshareable: unshareableIn(present), note: noteOn('config', about) };
  }

  /** @throws {ConsoleProblem} 403, 404, 412 @throws {ConfigurationError} that names every wrong setting */
  async preview(call: ConfigCall): Promise<ConfigPreviewAnswer> {
    const { configurations, findJob, showProps } = this.parts;
    const job = call.params.job!;
    const about = await findJob(job);
    const { before, changes, version } = await this.checked(call, about);
    const after = await configurations.previewJobConfiguration(job, changes).catch(withoutUnseen(call, before));
    const fields = Object.keys(changes);
    return {
      job,
      version,
      changes: diffOf(before, after, { ...call.caller, showProps, fields }),
      fireTimes: { before: before === undefined ? [] : this.fireTimes(before), after: this.fireTimes(after) },
      unshareable: unshareableIn(after),
      note: noteOn('config', about),
    };
  }

  /** @throws {ConsoleProblem} 403, 404, 412, 428 @throws {ConfigurationError} that names every wrong setting */
  async change(call: ConfigCall): Promise<ConfigChangedAnswer> {
    if (call.ifMatch === undefined) {
      throw new ConsoleProblem(
        428,
        'PRECONDITION_REQUIRED',
        'Name the version that you have read: If-Match with its ETag.',
      );
    }
    const { audit, configurations, findJob, showProps } = this.parts;
    const job = call.params.job!;
    const about = await findJob(job);
    const { before, changes: given, version } = await this.checked(call, about);
    const fields = Object.keys(given);
    const seeing = { ...call.caller, showProps, fields };
    const intended = { action: 'job.config', target: { job }, before: { version }, after: maskChanges(given) };
    const { result, audit: id } = await recorded(audit, call, intended, async () => {
      const after = await configurations
        .updateJobConfiguration(job, given, { version })
        .catch(withoutUnseen(call, before));
      const kept = diffOf(before, after, { role: 'viewer', showProps: [], fields });
      const valuesOf = (at: 'after' | 'before') => Object.fromEntries(kept.map((one) => [one.field, one[at]]));
      return {
        result: after,
        before: { version, ...valuesOf('before') },
        after: { version: after.version, ...valuesOf('after') },
      };
    });
    const changes = diffOf(before, result, seeing);
    return { version: result.version, changes, audit: id, note: noteOn('config', about) };
  }

  /** Checks a change before it is written down. */
  private async checked(call: ConfigCall, about: JobAbout): Promise<Checked> {
    const { configurations, targets } = this.parts;
    const { caller, ifMatch, params } = call;
    const before = await this.present(configurations, params.job!).catch((error: unknown) => {
      // A change may correct them, and is judged by its result.
      if (!(error instanceof ConfigurationNodeError) || about.configVersion === null) throw error;
      return undefined;
    });
    const version = before?.version ?? about.configVersion!;
    if (ifMatch !== undefined && ifMatch !== tagOf(version)) throw changed(version);
    if (before === undefined) assertNotHidden(call.body.settings, ['props']);
    assertSeen(caller, call.body.settings);
    const settings = withoutHidden(call.body.settings, before, caller);
    const ofAdmins = OF_ADMINS.filter((name) => Object.hasOwn(settings, name));
    if (ofAdmins.length > 0 && !mayAs(caller.role, 'admin')) {
      throw new ConsoleProblem(403, 'FORBIDDEN', `Only an admin may change ${ofAdmins.join(', ')}.`, { role: 'admin' });
    }
    assertTargetsAllowed(before?.props ?? {}, settings, targets);
    return { before, version, changes: settings };
  }

  private async present(configurations: Configurations, job: string): Promise<StoredJobConfiguration> {
    const present = await configurations.getJobConfiguration(job);
    if (present === undefined) throw unknownJobProblem(job);
    return present;
  }

  private fireTimes(configuration: StoredJobConfiguration): readonly string[] {
    return fireTimesOf(configuration, this.parts.clock.wallNow(), PREVIEWED);
  }
}

/** Makes a function that rethrows faults of settings, without the names of jobs that are not there for the caller. */
function withoutUnseen({ caller }: ConfigCall, before: StoredJobConfiguration | undefined) {
  const unseen = unseenIn(before?.after ?? [], caller);
  const shown = (text: string) => unseen.reduce((left, job) => left.replaceAll(JSON.stringify(job), HIDDEN), text);
  return (error: unknown): never => {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.place, error.problems.map(shown), { cause: error });
  };
}

/** Names of the settings that Java cannot follow. Their values may name jobs that are not there for the caller. */
function unshareableIn({ strategy, ...settings }: StoredJobConfiguration): readonly string[] {
  return findUnshareable({ ...settings, strategy: { type: strategy } }).map((text) => text.split(' ', 1)[0]!);
}

/** The ETag of settings. */
export function tagOf(version: number): string {
  return `"${version}"`;
}

/** The next fire times; none for a job that only runs when it is asked to. */
export function fireTimesOf(
  { clockChange, cron, timeZone }: StoredJobConfiguration,
  after: number,
  count: number,
): readonly string[] {
  if (cron === undefined) return [];
  const rule = clockChange === 'auto' ? 'natural' : clockChange;
  const times = nextFireTimes(cron, { after, count, clockChange: rule, ...(timeZone !== undefined && { timeZone }) });
  return times.map((time) => time.toISOString());
}

function changed(current: number): ConsoleProblem {
  return new ConsoleProblem(412, 'CHANGED', 'Somebody has changed the settings meanwhile; read them again.', {
    current,
  });
}
