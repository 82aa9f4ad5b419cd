import threads from 'node:worker_threads';
import { Inject, Injectable, ShutdownSignal } from '@nestjs/common';
import { type Clock, isLoopbackName, SystemClock } from '../clock/index.js';
import { describeRegistry, fewNames, messageOf, ShuttingDownError } from '../domain/index.js';
import { hostsOf, type SessionInfo } from '../registry/index.js';
import { ElasticJobRuntime } from '../runtime/index.js';
import { namesOfUnprovided } from './decorated-methods.js';
import { EventLogger } from './event.logger.js';
import { JobExplorer } from './job.explorer.js';
import { type EventLine, LineLog } from './line-log.js';
import { CLOCK, ELASTIC_JOB_OPTIONS } from './module-definition.js';
import type { ElasticJobModuleOptions } from './module-options.js';
import { JobEventExplorer } from './on-job-event.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';

const NO_JOB =
  'no job: no provider of this application has @ElasticJob, and the option jobs has none; list the class in ' +
  '"providers" of an imported module, or set processing: false if this process is to run none';

/** Reports to people that a start waits or has failed, and what the application has probably forgotten. */
@Injectable()
export class StartWarnings {
  /** Ends the wait for what the application is to do. */
  private stopWaiting = (): void => {};

  constructor(
    private readonly runtime: ElasticJobRuntime,
    private readonly explorer: JobExplorer,
    private readonly listeners: JobEventExplorer,
    @Inject(ELASTIC_JOB_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Waits for the first hook, until `stop`. */
  created(): void {
    this.stopWaiting = warnIfUncalled(this.clock);
  }

  /** Ends a wait: Nest has called the first hook, or the application stops. */
  stop(): void {
    this.stopWaiting();
  }

  /** Reports a wait for the registry. @returns ends the watch */
  whileConnecting(): () => void {
    const session = () => this.runtime.status().session;
    return reportWaitingStart(this.clock, this.options.registry.reveal(), session, (text) => this.logError(text));
  }

  /** Warns once the start is over. A process that is to run no jobs is asked for nothing. */
  started(hasJobs: boolean): void {
    if (!this.options.processing) return;
    const warn = (message: string) => this.runtime.events.emit({ kind: 'warning', jobName: undefined, message });
    if (!hasJobs) warn(NO_JOB);
    const loopback = findLoopbackWarning(this.clock.hostAddress(), this.options.registry.reveal());
    if (loopback !== undefined) warn(loopback);
    const jobNames = this.runtime.registrar.jobs.map(({ jobName }) => jobName);
    for (const message of this.listeners.findUnknown(jobNames)) warn(message);
    const line = unprovidedLine(namesOfUnprovided(this.explorer.providerClasses));
    if (line !== undefined) this.log(line);
    this.explorer.followLateOnes(warn);
    this.stopWaiting = warnIfUnhandled(this.clock, warn);
  }

  /** Nest logs no error of a hook: where nobody catches it, it ends the process with a stack alone. */
  failed(error: unknown): void {
    if (error instanceof ShuttingDownError) return;
    this.logError(`the start has failed: ${messageOf(error)}`);
  }

  private logError(text: string): void {
    this.log({ level: 'error', text: this.options.redact?.(text) ?? text });
  }

  private log(line: EventLine): void {
    for (const sink of this.options.tracing) if (sink instanceof EventLogger) sink.write(line);
  }
}

/**
 * The line of classes with jobs that are no providers. It is no warning: an application of a monorepo loads the jobs of
 * others by an index file.
 */
function unprovidedLine(names: readonly string[]): EventLine | undefined {
  if (names.length === 0) return undefined;
  const text = `classes with jobs that are no providers of this application: ${fewNames(names)}`;
  return {
    level: 'log',
    text: `${text}; list them in "providers" of an imported module if their jobs are to run here`,
  };
}

/**
 * The warning of a host that registers under an address which every host has, at a registry that others can reach.
 * @param host the address or name under which it registers
 */
function findLoopbackWarning(host: string, registry: ElasticJobModuleOptions['registry']): string | undefined {
  if (registry?.type !== 'zookeeper' || !isLoopbackName(host)) return undefined;
  const beyond = hostsOf(registry.servers).filter((server) => !isLoopbackName(server));
  if (beyond.length === 0) return undefined;
  return (
    `this host registers as ${host}, which is every host's own, at a registry on ${beyond.join(', ')}: hosts of that ` +
    'name are one server, which operators disable as a whole; give it an address or a name of its own (option host)'
  );
}

/**
 * A longer wait for a session is reported, in milliseconds. It is over before Jest's and Vitest's limits of 5 s for a
 * hook.
 */
const REPORT_AFTER_MS = 2_500;

/**
 * Reports once that a start waits for ZooKeeper. The log has it as an error: nothing else happens meanwhile, and the
 * logger of Nest's testing modules shows nothing below.
 * @returns ends the watch
 */
function reportWaitingStart(
  clock: Clock,
  registry: ElasticJobModuleOptions['registry'],
  session: () => SessionInfo,
  report: (text: string) => void,
): () => void {
  if (registry?.type !== 'zookeeper') return () => {};
  const { servers, namespace } = registry;
  const timer = clock.setTimer(REPORT_AFTER_MS, () => {
    const { state, problem = 'no answer' } = session();
    if (state !== undefined) return;
    const missing = `no session with ${describeRegistry(servers, namespace)} after ${REPORT_AFTER_MS / 1000} s`;
    report(`${missing}: ${problem}; the start goes on trying`);
  });
  return () => timer.cancel();
}

/** Longest time between the module's creation and its first hook that is taken for a slow start, in milliseconds. */
const LONGEST_START_MS = 30_000;

const UNCALLED =
  `ElasticJobModule was made ${LONGEST_START_MS / 1_000} s ago, and Nest has not called its onModuleInit yet: ` +
  'no job runs until then; unless another module is still starting, call app.init() or app.listen(), ' +
  'since startAllMicroservices() alone calls no hook';

/**
 * Warns if Nest does not call the module's hooks, as in a hybrid application that only starts its microservices. The
 * log is written directly, since the sinks of events start with the hooks.
 * @returns a function that ends the wait
 */
function warnIfUncalled(clock: Clock): () => void {
  return inService(clock, LONGEST_START_MS, () => new LineLog().write({ level: 'warn', text: UNCALLED }));
}

/** Time after the start in which an application has set its listeners, in milliseconds. */
const LISTENS_AFTER_MS = 5_000;

const UNHANDLED =
  'nobody listens to SIGTERM, so it ends this process in the middle of its runs; ' +
  'call app.enableShutdownHooks() in main.ts, or app.close() in a handler of your own';

/**
 * Listens for signals that this process handles, such as Nest's after `enableShutdownHooks`. Nest runs its shutdown
 * hooks only after the start is over, so a start that waits must listen itself. Unhandled signals end the process, as
 * ever.
 * @returns a function that stops listening
 */
export function onShutdownSignal(listener: () => void): () => void {
  const signals = Object.values(ShutdownSignal).filter((signal) => process.listenerCount(signal) > 0);
  for (const signal of signals) process.once(signal, listener);
  return () => {
    for (const signal of signals) process.removeListener(signal, listener);
  };
}

/**
 * Warns if nobody listens to SIGTERM some seconds after the start: the process would end without a drain.
 * @returns a function that ends the wait
 */
function warnIfUnhandled(clock: Clock, warn: (message: string) => void): () => void {
  return inService(clock, LISTENS_AFTER_MS, () => {
    if (process.listenerCount('SIGTERM') === 0) warn(UNHANDLED);
  });
}

/**
 * Calls back after a time, for checks of an application in service. They keep no process alive. In tests, on simulated
 * time, and in other threads, which get no signals, nothing is called.
 * @returns a function that withdraws the call
 */
function inService(clock: Clock, afterMs: number, callback: () => void): () => void {
  if (!(clock instanceof SystemClock) || !threads.isMainThread || isTest()) return () => {};
  const timer = clock.setTimer(afterMs, callback);
  timer.unref?.();
  return () => timer.cancel();
}

/** True in the tests of Jest and Vitest, which set the first variable, and of `node:test`. */
function isTest(): boolean {
  return process.env['NODE_ENV'] === 'test' || process.env['NODE_TEST_CONTEXT'] !== undefined;
}
