// Arguments of operators' commands: names, options and scopes, checked before anything is asked of the registry.
import { JobPaths } from '../coordination/index.js';
import {
  ConfigurationError,
  findJobNameFault,
  flag,
  type JobName,
  NODE_TEXT_LIMITS,
  number,
  type OptionRow,
  OptionTable,
  text,
} from '../domain/index.js';
import { RequestTooLargeError } from '../registry/index.js';
import { InvalidArgumentError } from './operations.errors.js';

/** The paths of a job that an operator names. @throws {InvalidArgumentError} if no job can have the name */
export function pathsOf(jobName: JobName): JobPaths {
  assertNodeName('jobName', jobName);
  return new JobPaths(jobName);
}

/** An address has to be a valid node name, as a job's name. @throws {InvalidArgumentError} */
export function assertServerIp(serverIp: string): void {
  assertNodeName('serverIp', serverIp);
}

/** @throws {InvalidArgumentError} */
export function assertItem(item: number): void {
  if (!Number.isSafeInteger(item) || item < 0) {
    throw new InvalidArgumentError('item', item, 'must be a whole number from 0');
  }
}

/** The id of a re-run has to be a valid node name. @throws {InvalidArgumentError} */
export function assertRerunId(id: string): void {
  assertNodeName('id', id);
}

/**
 * @param operation the operation that writes the data
 * @throws {RequestTooLargeError} if the data are beyond what instances read
 */
export function assertReadable(operation: string, data: string): void {
  const bytes = Buffer.byteLength(data);
  if (bytes > NODE_TEXT_LIMITS.bytes) throw new RequestTooLargeError(operation, bytes, NODE_TEXT_LIMITS.bytes);
}

function assertNodeName(argument: string, value: string): void {
  const fault = findJobNameFault(value);
  if (fault !== undefined) throw new InvalidArgumentError(argument, value, fault);
}

export interface TriggerOptions {
  /** Passed to the handlers of our instances; Java's never see it. @default none */
  readonly parameters?: string;
}

export interface DumpOptions {
  /** Writes `ip1`, `ip2`, ... for IPv4 addresses, as Java does, and for IPv6 addresses. @default true */
  readonly hideAddresses?: boolean;
  /**
   * Shows only what is known to hold no secret, and `hidden` for all else: parameters, props, extra configurations,
   * checkpoints, notes of backends, the contents of operators' triggers, and nodes that this package does not know. The
   * module's `redact` goes over the rest. Java hides nothing of this.
   * @default true
   */
  readonly hideSecrets?: boolean;
  /**
   * Most bytes of a dump; of a larger tree it has the first nodes, and a last line that says so. A node shows 10,000
   * children at most.
   * @default 5_000_000
   */
  readonly maxBytes?: number;
}

const TRIGGER = { parameters: { rule: text() } } as const satisfies Readonly<Record<keyof TriggerOptions, OptionRow>>;

/** Rows of a dump's options, for the server as well. */
export const DUMP = {
  hideAddresses: { rule: flag() },
  hideSecrets: { rule: flag() },
  maxBytes: { rule: number(1) },
} as const satisfies Readonly<Record<keyof DumpOptions, OptionRow>>;

export const TRIGGER_TABLE = new OptionTable(TRIGGER, 'a trigger');
export const DUMP_TABLE = new OptionTable(DUMP, 'a dump');

/** Scope of a command: one server, or all. */
export interface ServerScope {
  /** Only this server of the job; refused if it is there and undefined or null. @default all of them */
  readonly serverIp?: string;
}

/** Scope of `disable` and `enable`. */
export interface SwitchScope extends ServerScope {
  /**
   * Switches servers as well that the job has never had, such as new pods, by `disabled` of its settings. It is for all
   * servers: refused beside `serverIp`.
   * @default true
   */
  readonly newServers?: boolean;
}

const SCOPE = { serverIp: { rule: text() } } as const satisfies Readonly<Record<keyof ServerScope, OptionRow>>;
const SWITCH = {
  ...SCOPE,
  newServers: { rule: flag() },
} as const satisfies Readonly<Record<keyof SwitchScope, OptionRow>>;

const SCOPE_TABLE = new OptionTable(SCOPE, 'a scope');
const SWITCH_TABLE = new OptionTable(SWITCH, 'a scope');

/** The scope of a command for one job. @throws {ConfigurationError} for a wrong scope, which would be all servers */
export function scopeOf(command: string, jobName: JobName, scope: ServerScope): CommandScope {
  const place = placeOf(command);
  const { serverIp } = SCOPE_TABLE.checked(place, scope);
  assertSaid(place, scope, serverIp);
  return { jobName, serverIp };
}

/** The scope of `disable` or `enable`. @throws {ConfigurationError} */
export function switchScopeOf(
  command: string,
  scope: SwitchScope,
): Pick<SwitchScope, 'serverIp'> & { readonly newServers: boolean } {
  const place = placeOf(command);
  const { newServers, serverIp } = SWITCH_TABLE.checked(place, scope);
  assertSaid(place, scope, serverIp);
  if (serverIp !== undefined && newServers !== undefined) {
    throw new ConfigurationError(place, ['newServers is for all servers; leave it out beside serverIp']);
  }
  return { serverIp, newServers: newServers ?? true };
}

function placeOf(command: string): string {
  return `JobOperateApi.${command}`;
}

function assertSaid(place: string, scope: ServerScope, serverIp: string | undefined): void {
  if (serverIp !== undefined || !('serverIp' in scope)) return;
  throw new ConfigurationError(place, ['serverIp is given, but has no value; leave it out for all servers']);
}

/** One job or all, one server or all. */
export interface CommandScope extends ServerScope {
  readonly jobName?: JobName;
}

export function isIn(scope: CommandScope, { serverIp }: { readonly serverIp: string }): boolean {
  return scope.serverIp === undefined || scope.serverIp === serverIp;
}
