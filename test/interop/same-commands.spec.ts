import { describe, expect, it } from 'vitest';
import { JobPaths, removeTree } from '../../libs/elastic-job/src/coordination/index.js';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { JobConfigurationApi, JobOperateApi, ShardingOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import {
  namesBelow,
  type Operation,
  type RegistryCenter,
  type RegistryNode,
} from '../../libs/elastic-job/src/registry/index.js';
import {
  type InteropStage,
  JavaPeer,
  JOB,
  jobSpec,
  NEVER,
  ORDERS,
  RELEASES,
  useInterop,
  whyNot,
} from './support/index.js';

const TOTAL = 3;
/** A job of the same tree, on the same servers. */
const OTHER = 'other-job';

/** Both lifecycle APIs, and a server of the job. */
interface Operators {
  readonly java: JavaPeer;
  readonly operate: JobOperateApi;
  readonly sharding: ShardingOperateApi;
  readonly configuration: JobConfigurationApi;
  readonly registry: RegistryCenter;
  readonly ip: string;
}

/** A command as Java's API has it, and as ours has it. */
interface Command {
  /** Makes the state that the command changes. */
  readonly given?: (operators: Operators) => Promise<unknown>;
  readonly theirs: (operators: Operators) => Promise<unknown>;
  readonly ours: (operators: Operators) => Promise<unknown>;
  /** True for one that writes the settings; a switch of Java's never does. */
  readonly writesSettings?: boolean;
  /** `disabled` of the settings, if ours alone writes it. */
  readonly disabled?: boolean;
}

type Call = Command['theirs'];

const java =
  (method: string, ...given: readonly (string | null)[]): Call =>
  (by) =>
    by.java.console('JobOperateAPI', method, ...given);
const onServer =
  (method: string, job: string | null): Call =>
  (by) =>
    by.java.console('JobOperateAPI', method, job, by.ip);
const item =
  (method: string): Call =>
  (by) =>
    by.java.console('ShardingOperateAPI', method, JOB, '1');

const EDIT = { cron: '0 0 12 * * ?', shardingTotalCount: 5, jobParameter: 'Köln: 1', misfire: false, failover: true };

const COMMANDS: Readonly<Record<string, Command>> = {
  trigger: { theirs: java('trigger', JOB), ours: ({ operate }) => operate.trigger(JOB) },
  'trigger, where one instance has not taken a request, and one that had has gone': {
    given: waitingRequests,
    theirs: java('trigger', JOB),
    ours: ({ operate }) => operate.trigger(JOB, { parameters: 'ours' }),
  },
  'disable one server of the job': {
    theirs: onServer('disable', JOB),
    ours: ({ operate, ip }) => operate.disable(JOB, { serverIp: ip }),
  },
  'enable one server of the job': {
    given: java('disable', JOB, null),
    theirs: onServer('enable', JOB),
    ours: ({ operate, ip }) => operate.enable(JOB, { serverIp: ip }),
  },
  'disable the servers of the job': {
    theirs: java('disable', JOB, null),
    ours: ({ operate }) => operate.disable(JOB, { newServers: false }),
  },
  'enable the servers of the job': {
    given: java('disable', JOB, null),
    theirs: java('enable', JOB, null),
    ours: ({ operate }) => operate.enable(JOB, { newServers: false }),
  },
  'disable the job, on new servers as well': {
    theirs: java('disable', JOB, null),
    ours: ({ operate }) => operate.disable(JOB),
    writesSettings: true,
    disabled: true,
  },
  'enable the job, on new servers as well': {
    given: ({ operate }) => operate.disable(JOB),
    theirs: java('enable', JOB, null),
    ours: ({ operate }) => operate.enable(JOB),
    writesSettings: true,
    disabled: false,
  },
  'disable a server in all jobs': {
    theirs: onServer('disable', null),
    ours: ({ operate, ip }) => operate.disableServer(ip),
  },
  'enable a server in all jobs': {
    given: onServer('disable', null),
    theirs: onServer('enable', null),
    ours: ({ operate, ip }) => operate.enableServer(ip),
  },
  'disable an item': { theirs: item('disable'), ours: ({ sharding }) => sharding.disable(JOB, 1) },
  'enable an item': { given: item('disable'), theirs: item('enable'), ours: ({ sharding }) => sharding.enable(JOB, 1) },
  'shut the job down': { theirs: java('shutdown', JOB, null), ours: ({ operate }) => operate.shutdown(JOB) },
  'shut the job down on one server': {
    theirs: onServer('shutdown', JOB),
    ours: ({ operate, ip }) => operate.shutdown(JOB, { serverIp: ip }),
  },
  'shut a server down in all jobs': {
    theirs: onServer('shutdown', null),
    ours: ({ operate, ip }) => operate.shutdownServer(ip),
  },
  'remove the servers of the job': { theirs: java('remove', JOB, null), ours: ({ operate }) => operate.remove(JOB) },
  'remove one server of the job': {
    theirs: onServer('remove', JOB),
    ours: ({ operate, ip }) => operate.remove(JOB, { serverIp: ip }),
  },
  'remove a server in all jobs': {
    theirs: onServer('remove', null),
    ours: ({ operate, ip }) => operate.removeServer(ip),
  },
  'remove the job': {
    theirs: (by) => by.java.console('JobConfigurationAPI', 'removeJobConfiguration', JOB),
    ours: ({ configuration }) => configuration.removeJobConfiguration(JOB),
  },
  'edit the settings': {
    theirs: (by) => by.java.edit(JOB, EDIT),
    ours: ({ configuration }) => configuration.updateJobConfiguration(JOB, EDIT),
    writesSettings: true,
  },
};

describe.skipIf(whyNot()).each(RELEASES)("ElasticJob %s's lifecycle API and ours", (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)(
    "leave the same tree but for a trigger's text and settings that ours alone writes, $first first",
    async (order) => {
      const { plant, tree, operators } = await quietJob(stage(), order);
      const after = async (command: Command, kind: 'theirs' | 'ours') => {
        await plant();
        await command.given?.(operators);
        const before = await tree();
        await command[kind](operators);
        const now = await tree();
        expect(now).not.toEqual(before);
        return now;
      };
      for (const [name, command] of Object.entries(COMMANDS)) {
        const theirs = await after(command, 'theirs');
        const ours = await after(command, 'ours');
        expect.soft(ours.map(withoutRequest), name).toEqual(theirs.map((line) => asOurs(line, command)));
      }
    },
  );
});

/** One instance has not taken a request of Java's yet. Another had one, and is gone. */
async function waitingRequests({ registry }: Operators): Promise<void> {
  const paths = new JobPaths(JOB);
  const [waiting = ''] = await namesBelow(registry, paths.instances);
  for (const id of [waiting, '10.9.9.9@-@1']) await registry.ensurePath(paths.trigger(id));
}

/** A job that both kinds have run once, as Java's, and whose tree is planted anew for each command. */
async function quietJob(stage: InteropStage, order: (typeof ORDERS)[number]) {
  const { journal } = stage;
  const witness = await stage.witness();
  const { registry } = witness;
  const peers = await stage.pair(order);
  await stage.startAtRest(witness, jobSpec({ cron: NEVER, shardingTotalCount: TOTAL }), peers);
  const operate = new JobOperateApi(registry, new SystemClock());
  await operate.trigger(JOB);
  await journal.until('each item has run', () => journal.begun().length === TOTAL);
  await witness.sync();
  await journal.until('rest', () => witness.isAtRest() && witness.children('trigger').length === 0);
  const nodes = [(await registry.read(`/${JOB}`))!, ...witness.nodes()];
  for (const peer of peers) await peer.leave();
  const operators: Operators = {
    java: peers.find((peer) => peer instanceof JavaPeer)!,
    operate,
    sharding: new ShardingOperateApi(registry),
    configuration: new JobConfigurationApi(registry),
    registry,
    ip: peers[0].ip,
  };
  return { operators, plant: () => plantAnew(registry, nodes), tree: () => linesBelow(registry, '/') };
}

/** Replaces the whole namespace by two jobs of the same tree, whose instances live as long as this session. */
async function plantAnew(registry: RegistryCenter, nodes: readonly RegistryNode[]): Promise<void> {
  for (const job of await namesBelow(registry, '/')) await removeTree(registry, job);
  for (const job of [JOB, OTHER]) {
    const planted = nodes.map(({ path, data, stat }): Operation => {
      const mode = stat.ephemeralOwner === undefined ? 'PERSISTENT' : 'EPHEMERAL';
      return { kind: 'create', path: path.replace(JOB, job), data: data.replaceAll(JOB, job), mode };
    });
    expect(await registry.transaction(planted)).toMatchObject({ kind: 'committed' });
  }
}

/** Every node below a path with its data, and if it is ephemeral. */
async function linesBelow(registry: RegistryCenter, path: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let parents = [path]; parents.length > 0;) {
    const names = await registry.childrenMany(parents);
    const paths = parents.flatMap((parent, index) =>
      names[index]!.map((name) => `${parent === '/' ? '' : parent}/${name}`),
    );
    const nodes = (await registry.readMany(paths)).map((node) => node!);
    const ephemeral = ({ stat }: RegistryNode) => (stat.ephemeralOwner === undefined ? '' : 'ephemeral ');
    lines.push(...nodes.map((node) => `${node.path} | ${ephemeral(node)}${node.data}`));
    parents = paths;
  }
  return lines.toSorted();
}

/** A line of our tree with a request for a run that says nothing, as Java's. Ours has an id and parameters. */
function withoutRequest(line: string): string {
  return line.replace(/^(\/[^/]+\/trigger\/\S+ \|) .*$/, '$1 ');
}

/**
 * A line of Java's tree as our command writes it. In settings of Java's it says as well what Java means by saying
 * nothing, as docs/interop.md has it.
 */
function asOurs(line: string, { disabled, writesSettings }: Command): string {
  if (!writesSettings || !line.startsWith(`/${JOB}/config | `)) return line;
  const switched = disabled === undefined ? line : line.replace(`disabled: ${!disabled}`, `disabled: ${disabled}`);
  if (line.includes('nestjs.clockChange')) return switched;
  return switched
    .replace(/^jobParameter: .*$/m, '$&\njobShardingStrategyType: AVG_ALLOCATION')
    .replace(/^overwrite: .*$/m, '$&\nprops:\n  nestjs.clockChange: quartz');
}
