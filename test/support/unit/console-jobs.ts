import { formatInstance, JobPaths } from '../../../libs/elastic-job/src/coordination/index.js';
import type { CreateMode, Operation, RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';

export const SERVER_IP = '10.0.0.7';
export const OWN = `${SERVER_IP}@-@1-a`;
export const JAVA = '10.0.0.8@-@2';

/** A job in a namespace, as its instances would have left it. */
export interface PlantedJob {
  readonly items?: number;
  /** Lines of its `config` beside those that each job has. */
  readonly config?: readonly string[];
  /** @default one of ours */
  readonly instances?: readonly string[];
  /** Releases that instances tell, by instance. @default none */
  readonly versions?: Readonly<Record<string, string>>;
  readonly servers?: Readonly<Record<string, 'ENABLED' | 'DISABLED' | ''>>;
  readonly root?: string;
  /** @default the first instance */
  readonly leader?: string | null;
  /** Texts of records, by item. */
  readonly records?: Readonly<Record<number, string>>;
  readonly running?: readonly number[];
  readonly disabledItems?: readonly number[];
  readonly queued?: readonly number[];
  /** Texts of session nodes, by instance. @default none */
  readonly sessions?: Readonly<Record<string, string>>;
  /** False: no instance of ours was ever there. */
  readonly isOurs?: boolean;
}

export function configOf(job: string, items: number, lines: readonly string[] = []): string {
  const usual = [`jobName: ${job}`, `shardingTotalCount: ${items}`, 'monitorExecution: true', 'misfire: true'];
  const ours = lines.some((line) => line.startsWith('props:')) ? [] : ['props:', '  nestjs.clockChange: auto'];
  return `${[...usual, ...lines, ...ours].join('\n')}\n`;
}

export function recordOf(outcome: string | undefined, fireTime: number): string {
  const settled = outcome === undefined ? undefined : { at: fireTime + 1_000, outcome };
  const target = { fireTime, origin: 'schedule' };
  return JSON.stringify({ v: 1, run: 'r1', by: OWN, target, attempt: 1, begunAt: fireTime, settled });
}

/** The operations that create a job. */
export function plantingOf(job: string, planted: PlantedJob = {}): Operation[] {
  const { items = 2, instances = [OWN], isOurs = true, records = {}, root = '' } = planted;
  const leader = planted.leader === undefined ? instances[0] : planted.leader;
  const servers = planted.servers ?? Object.fromEntries(instances.map((id) => [id.split('@')[0]!, 'ENABLED']));
  const paths = new JobPaths(job);
  const made: Operation[] = [];
  const make = (path: string, data = '', mode: CreateMode = 'PERSISTENT') => {
    made.push({ kind: 'create', path, data, mode });
  };
  make(paths.root, root);
  make(paths.config, configOf(job, items, planted.config));
  for (const path of paths.laid) if (isOurs || (path !== paths.term && path !== paths.sessions)) make(path);
  for (const id of instances) {
    const text = formatInstance({
      jobInstanceId: id,
      serverIp: id.split('@')[0]!,
      version: planted.versions?.[id],
    });
    make(paths.instance(id), id === JAVA ? text.replace(/^labels:.*\n/m, '') : text, 'EPHEMERAL');
  }
  for (const [id, text] of Object.entries(planted.sessions ?? {})) make(paths.session(id), text, 'EPHEMERAL');
  for (const [ip, text] of Object.entries(servers)) make(paths.server(ip), text);
  if (leader !== null && leader !== undefined) make(paths.leader, leader, 'EPHEMERAL');
  for (const item of planted.queued ?? []) make(paths.queued(item));
  for (let item = 0; item < items; item += 1) {
    make(paths.item(item));
    if (instances.length > 0) make(paths.mark(item, 'instance'), instances[item % instances.length]);
    if (records[item] !== undefined) make(paths.record(item), records[item]);
    if (planted.running?.includes(item)) make(paths.mark(item, 'running'), instances[0], 'EPHEMERAL');
    if (planted.disabledItems?.includes(item)) make(paths.mark(item, 'disabled'));
  }
  return made;
}

export async function plant(center: RegistryCenter, job: string, planted?: PlantedJob): Promise<void> {
  const result = await center.transaction(plantingOf(job, planted));
  if (result.kind !== 'committed') throw new Error(`The job was refused at ${result.path}.`);
}
