import { linesAndColumnsOf, type PlaceOf } from '../coordination/index.js';
import { findNearestName } from '../domain/index.js';
import type { NotTakenOver } from './imported.js';

/** The source of the settings, as errors name it. */
export const PLACE = 'ElasticJob configuration';

const SECRET =
  /password|passwd|secret|token|digest|credential|datasource|extraconfigurations|webhook|parameter|\bprops\b/i;

/** Most faults that are reported of one text. */
const MOST_PROBLEMS = 20;
const SHOWN_CHARACTERS = 200;

/** Faults, and settings that are not taken over. */
export class Findings {
  readonly problems: string[] = [];
  private readonly found: { readonly at: number; readonly entry: NotTakenOver }[] = [];

  /** Names a position of the text: `line 3, column 5`. */
  readonly placeOf: PlaceOf;

  constructor(readonly source: string) {
    this.placeOf = linesAndColumnsOf(source);
  }

  get notTakenOver(): readonly NotTakenOver[] {
    return this.found.toSorted((a, b) => a.at - b.at).map(({ entry }) => entry);
  }

  leaveOut(path: string, value: string, at: number, { reason, remedy }: Advice): void {
    const shown = SECRET.test(path) ? '(not shown)' : value;
    this.found.push({ at, entry: { path, value: shown, reason, remedy, place: this.placeOf(at) } });
  }

  refuse(at: number, problem: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(`${this.placeOf(at)}: ${problem}`);
  }

  refuseTwice(what: string, at: number, earlier: number): void {
    this.refuse(at, `${what.slice(0, SHOWN_CHARACTERS)} is there twice, also in ${this.placeOf(earlier)}`);
  }
}

/** Why a setting is not taken over, and what to do instead. */
export type Advice = Pick<NotTakenOver, 'reason' | 'remedy'>;

const RECONNECTING: Advice = {
  reason: 'the client of this package decides itself when it connects again',
  remedy: 'leave it out; requestTimeoutMs of the registry limits how long a request waits',
};

/** Settings of `elasticjob.regCenter`. */
export const REGISTRY_ADVICE: Readonly<Record<string, Advice>> = {
  type: {
    reason: 'the registry of this package is ZooKeeper',
    remedy: "give the module registry: { type: 'zookeeper', servers, namespace }",
  },
  baseSleepTimeMilliseconds: RECONNECTING,
  maxSleepTimeMilliseconds: RECONNECTING,
  maxRetries: RECONNECTING,
};

export const TRACING_ADVICE: Advice = {
  reason: 'a history writes through a database client of the application, not through a JDBC data source',
  remedy: 'give the module tracing: [new SqlHistory(db)] of nestjs-elastic-job/tracing/sql; it writes the same tables',
};

export const DUMP_ADVICE: Advice = {
  reason: 'the dump service is no option of the module',
  remedy: 'call startDumpServer of nestjs-elastic-job/operations with this port',
};

export const CLASS_ADVICE: Advice = {
  reason: "it is a type of ElasticJob's, and not the class whose name Java writes into the registry",
  remedy: 'set className to the class of the Spring bean if Java instances share the job, else leave it out',
};

export const BEAN_ADVICE: Advice = {
  reason: 'it names a Spring bean',
  remedy: 'leave it out; JobOperateApi.trigger of nestjs-elastic-job/operations runs a job that has no cron',
};

export const FAILOVER_ADVICE: Advice = {
  reason:
    'without monitorExecution Java never fails over, so it has no effect there; monitorExecution is false unless given',
  remedy: 'set monitorExecution: true and failover: true if items of a crashed instance are to run again',
};

export const SURPLUS_ADVICE: Advice = {
  reason: 'Java ignores parameters of items from shardingTotalCount on',
  remedy: 'leave them out, or raise shardingTotalCount',
};

export const STRATEGY_ADVICE: Advice = {
  reason: 'it is a class or type of the Java application',
  remedy: "write a ShardingStrategy, give it to the module's strategies, and name its type as strategy of the job",
};

export const POOL_SIZE_ADVICE: Advice = {
  reason: 'it is a type of the Java application',
  remedy: 'set concurrency of the job: a number, CPU or SINGLE_THREAD',
};

export const ERROR_HANDLER_ADVICE: Advice = {
  reason: 'it is a type of the Java application',
  remedy: "write a JobErrorHandler, give it to the module's errorHandlers, and name its type in jobErrorHandlerType",
};

export const LISTENER_ADVICE: Advice = {
  reason: 'it is a class of the Java application',
  remedy:
    "write an ElasticJobListener with a type, give it to the module's listeners, and name the type in jobListenerTypes",
};

export const EXTRA_ADVICE: Advice = {
  reason: 'it sets up the tracing of Java instances, with the password of their database',
  remedy: 'leave it out, since the registry keeps it; tracing of the module takes a SqlHistory',
};

export const MAIL_SERVER_ADVICE: Advice = {
  reason: 'the error handler EMAIL does not read it from props, so that no editor of the registry redirects its mails',
  remedy: 'give host, port, secure, auth or ca to the EmailErrorHandler of nestjs-elastic-job/email',
};

export const NOT_ENABLED_ADVICE: Advice = {
  reason: 'Java starts no job and no registry with it, so nothing else of the text was imported',
  remedy: 'leave out the ElasticJobModule where enabled of the import is false; name a profile that switches it on',
};

export const UNKNOWN_ADVICE: Advice = {
  reason: 'it is no setting of ElasticJob 3.0.x',
  remedy: 'check the name; JobOptions lists the options of a job',
};

export const NO_VALUE_ADVICE: Advice = {
  reason: 'it has no usable value without the variable that it names',
  remedy: 'name the variable in placeholders of the import, or set the option by hand',
};

export const REGISTRY_PART_ADVICE: Advice = {
  reason: 'a registry needs servers and namespace, and the other one is not known',
  remedy: "give the module registry: { type: 'zookeeper', servers, namespace }",
};

/** For an active profile that no document names, although documents name others. */
export function profileAdvice(profile: string, named: readonly string[]): Advice {
  const meant = findNearestName(profile, named);
  return {
    reason: `no document of the text names this profile; ${named.join(', ')} are named`,
    remedy:
      meant === undefined
        ? 'check the name; it is right if only other files, or other settings, depend on the profile'
        : `did you mean ${meant}?`,
  };
}

/** For a text in which the default of a placeholder was taken. */
export function defaultAdvice(names: readonly string[]): Advice {
  return {
    reason: `the default of ${names.join(', ')} was taken: the variable is not among the placeholders of the import`,
    remedy: 'name the variable in placeholders of the import, or read it from the environment in the options',
  };
}
