/**
 * Switches of servers: one server of a job, one in all of its jobs, or a whole job.
 *
 * State: `servers/{ip}` says if the server is ENABLED or DISABLED in the job. `disabled` of the settings in `config`
 * says how a server starts that was never there, such as a new pod.
 *
 * Guarantees: the switch of a whole job changes its servers and its settings in one transaction. A server that was
 * registered by the former settings meanwhile is switched right after it; later ones start by the new settings.
 *
 * Failures: if such a later switch fails, a `PartlyDoneError` says so. Settings that cannot be read stay as they are,
 * and the outcome says so; the servers are switched all the same. A Java instance writes the status of its server at
 * each start, by the settings, or with `overwrite` by its own, which it writes to the settings as well.
 */
import {
  errorOfLaterStep,
  isCommitted,
  isCreated,
  parseConfiguration,
  type ServerStatus,
  untilAccepted,
} from '../coordination/index.js';
import { ElasticJobError, type JobName, type ShardingStrategy, UnknownJobError } from '../domain/index.js';
import { namesBelow, type Operation, type RegistryCenter } from '../registry/index.js';
import { repeat } from '../repeat/index.js';
import { type CommandScope, isIn, pathsOf, type ServerScope } from './command-arguments.js';
import { editConfiguration } from './edit-configuration.js';
import type { JobFacts } from './job-facts.js';
import { commitInScope, jobsIn } from './scoped-commands.js';

/** Result of `disable` or `enable`. */
export interface SwitchOutcome {
  /** Addresses of the servers that were switched, in Java's order. The others of the scope were so already. */
  readonly servers: readonly string[];
  /**
   * `disabled` of the settings, by which a server starts that was never there: `switched` now; `already` so; `left` as
   * it is, since the command was for one server, or without new servers; `unreadable`: the settings cannot be read or
   * written, such as a broken text or that of ElasticJob 2, so a new server starts as it did before.
   */
  readonly newServers: 'switched' | 'already' | 'left' | 'unreadable';
  /**
   * Ids of the Java instances in the job, in Java's order; empty if new servers were left. One that has `overwrite`
   * writes its own `disabled` to the settings at its next start, for its own server and new ones.
   */
  readonly javaPeers: readonly string[];
  /** Version of the settings that were switched by this. */
  readonly version?: number;
}

/** Switches a whole job, or one of its servers. */
export async function switchScope(
  registry: RegistryCenter,
  strategies: readonly ShardingStrategy[],
  status: ServerStatus,
  { jobName, newServers, serverIp }: ServerScope & { readonly jobName: JobName; readonly newServers: boolean },
): Promise<SwitchOutcome> {
  if (serverIp === undefined) return switchJob(registry, { jobName, newServers, status, strategies });
  const switched = await switchServers(registry, { jobName, serverIp }, status);
  return Object.freeze({
    servers: Object.freeze(switched.map((server) => server.serverIp)),
    newServers: 'left',
    javaPeers: Object.freeze([]),
  });
}

/** Switches a server in all of its jobs. @returns the jobs in which it had another status */
export async function switchServer(
  registry: RegistryCenter,
  serverIp: string,
  status: ServerStatus,
): Promise<readonly JobName[]> {
  const switched = await switchServers(registry, { serverIp }, status);
  return Object.freeze(switched.map(({ jobName }) => jobName));
}

/** A job that is switched as a whole. */
interface WholeJob {
  readonly jobName: JobName;
  readonly status: ServerStatus;
  /** True if servers that come later are switched as well. */
  readonly newServers: boolean;
  readonly strategies: readonly ShardingStrategy[];
}

/** Switches servers that are there. @returns those that had another status, each with its job */
async function switchServers(
  registry: RegistryCenter,
  scope: CommandScope,
  status: ServerStatus,
): Promise<readonly { readonly jobName: JobName; readonly serverIp: string }[]> {
  const how = { work: workOf(status), parts: ['servers'] } as const;
  const operations = await commitInScope(registry, scope, how, (job) => serverOperations(scope, job, status));
  return operations.map(({ path }) => {
    const [, jobName = '', , serverIp = ''] = path.split('/');
    return { jobName, serverIp };
  });
}

/** Switches a whole job. 3 requests; 4 with `newServers`, and 3 more if a server has come meanwhile. */
async function switchJob(registry: RegistryCenter, whole: WholeJob): Promise<SwitchOutcome> {
  const { known, ...first } = await switchOnce(registry, whole);
  const outcome = Object.freeze(first);
  if (outcome.newServers === 'left' || outcome.newServers === 'unreadable') return outcome;
  const { jobName, status } = whole;
  try {
    const present = await namesBelow(registry, pathsOf(jobName).servers);
    if (present.every((serverIp) => known.has(serverIp))) return outcome;
    const { servers } = await switchOnce(registry, whole);
    return Object.freeze({ ...outcome, servers: Object.freeze([...outcome.servers, ...servers]) });
  } catch (error) {
    if (error instanceof UnknownJobError) return outcome; // It was removed since, with all of its servers.
    throw errorOfLaterStep(error, { jobName, work: workOf(status), done: outcome });
  }
}

function switchOnce(
  registry: RegistryCenter,
  { jobName, newServers, status, strategies }: WholeJob,
): Promise<SwitchOutcome & { readonly known: ReadonlySet<string> }> {
  return repeat(untilAccepted(jobName, workOf(status)), async () => {
    const jobs = await jobsIn(registry, { jobName }, newServers ? ['instances', 'servers'] : ['servers']);
    const job = jobs[0]!;
    const settings = newServers ? switchSettings(job, status === 'DISABLED', strategies) : LEFT;
    const switched = serverOperations({ jobName }, job, status);
    if (!(await isCommitted(registry, [...settings.operations, ...switched]))) return undefined;
    const servers = switched.map(({ path }) => path.slice(job.paths.servers.length + 1));
    const javaPeers = job.instances.flatMap(({ isOurs, jobInstanceId }) => (isOurs ? [] : jobInstanceId));
    return {
      servers: Object.freeze(servers),
      newServers: settings.kind,
      javaPeers: Object.freeze(javaPeers),
      ...(settings.version !== undefined && { version: settings.version }),
      known: new Set(job.servers.map(({ serverIp }) => serverIp)),
    };
  });
}

interface SettingsSwitch {
  readonly kind: SwitchOutcome['newServers'];
  /** Version that the settings will have. */
  readonly version?: number;
  readonly operations: readonly Operation[];
}

const LEFT: SettingsSwitch = { kind: 'left', operations: [] };
const UNREADABLE: SettingsSwitch = { kind: 'unreadable', operations: [] };

function switchSettings(
  { config, paths: { jobName } }: JobFacts,
  disabled: boolean,
  strategies: readonly ShardingStrategy[],
): SettingsSwitch {
  if (config === undefined) return UNREADABLE;
  const { data, path, stat } = config;
  try {
    const stored = parseConfiguration(data, jobName);
    // A created job that says nothing goes by its template, which is not known here.
    const unsaid = isCreated(stored) ? undefined : false;
    if ((stored.disabled ?? unsaid) === disabled) return { kind: 'already', operations: [] };
    const { text } = editConfiguration(jobName, data, { disabled }, { strategies });
    const operations: readonly Operation[] = [{ kind: 'set', path, data: text, version: stat.version }];
    // Each write of a node raises its version by 1.
    return { kind: 'switched', version: stat.version + 1, operations };
  } catch (error) {
    if (error instanceof ElasticJobError) return UNREADABLE;
    throw error;
  }
}

function serverOperations(scope: CommandScope, { paths, servers }: JobFacts, status: ServerStatus): Operation[] {
  return servers
    .filter((server) => isIn(scope, server) && server.status !== status)
    .map(({ serverIp }) => ({ kind: 'set', path: paths.server(serverIp), data: status }));
}

function workOf(status: ServerStatus): string {
  return `setting servers ${status}`;
}
