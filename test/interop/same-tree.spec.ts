import { describe, expect, it } from 'vitest';
import {
  JOB,
  jobSpec,
  type JobSpec,
  type Journal,
  type PeerKind,
  RELEASES,
  type TreeWitness,
  useInterop,
  whyNot,
} from './support/index.js';

/** A node of a dump. */
interface TreeNode {
  readonly path: string;
  readonly data: string;
}

const INSTANCE = /(\d+\.){3}\d+@-@[\w-]+/g;
const ADDRESS = /(\d+\.){3}\d+/g;
/** Nodes that ours adds, as docs/interop.md lists them. */
const ADDED_NODES = /\/(usable|sessions|leader\/election\/term|sharding\/\d+\/record)(\/|$)/;
/** Ours makes the queue's parents at registration, Java at the first failover. */
const MADE_AHEAD = /\/leader\/failover(\/items)?$/;
/** Containers, which the server removes when they have been empty for a while. */
const COLLECTED = /\/latch$/;
/** Java takes each delay of a millisecond for a misfire, and keeps the flag where it does not catch up on it. */
const MISFIRE = /\/misfire$/;
const OUR_LABEL = /^labels: nestjs-elastic-job\/\d+( .*)?\n/m;
const OUR_PROPS = /^props:\n(?: {2}nestjs\..*\n)+/m;

const JOBS: Readonly<Record<string, JobSpec>> = {
  'a plain job': jobSpec(),
  'a job with failover': jobSpec({ failover: true, shardingItemParameters: '0=Köln,1=上海' }),
  'an unmonitored job': jobSpec({ monitorExecution: false, misfire: false, description: 'a: b' }),
};

describe.skipIf(whyNot()).each(RELEASES)('a job of ours, and the same job of ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(Object.entries(JOBS))(
    'make the same tree for %s, except for the nodes that docs/interop.md lists',
    async (_, spec) => {
      const theirs = await treeAfterARun('java', spec);
      const ours = await treeAfterARun('node', spec);

      expect(comparable(ours.filter(isJavas).map(withoutAdditions))).toBe(comparable(theirs.filter(isJavas)));
    },
  );

  it('show statistics and configuration of our job to Java', async () => {
    const { journal } = stage();
    const witness = await stage().witness();
    const [console, node] = [await stage().java(), await stage().node()];
    const spec = jobSpec({ shardingTotalCount: 2, shardingItemParameters: '0=a,1=b', failover: true });
    await node.behave(JOB, { kind: 'block' });
    await node.start(spec);
    const isRunning = (item: number) => witness.has(`sharding/${item}/running`);
    await journal.until('both items run', () => witness.isSettled() && isRunning(0) && isRunning(1));

    const [brief, servers, items, configuration] = await Promise.all([
      console.console('JobStatisticsAPI', 'getJobBriefInfo', JOB),
      console.console('ServerStatisticsAPI', 'getAllServersBriefInfo'),
      console.console('ShardingStatisticsAPI', 'getShardingInfo', JOB),
      console.console('JobConfigurationAPI', 'getJobConfiguration', JOB),
    ]);

    expect(brief).toMatchObject({
      jobName: JOB,
      status: 'OK',
      instanceCount: 1,
      shardingTotalCount: 2,
      cron: spec.cron,
    });
    expect(servers).toEqual([expect.objectContaining({ serverIp: node.ip, jobsNum: 1 })]);
    const running = { serverIp: node.ip, status: 'RUNNING', failover: false };
    expect(items).toEqual([
      expect.objectContaining({ item: 0, ...running }),
      expect.objectContaining({ item: 1, ...running }),
    ]);
    expect(configuration).toMatchObject(spec);
    await node.release(JOB);
  });

  async function treeAfterARun(kind: PeerKind, spec: JobSpec): Promise<readonly TreeNode[]> {
    const { journal } = stage();
    // The same job under another name, so that both kinds find an empty place. The names are replaced afterwards.
    const job = `${spec.jobName}-${kind}`;
    const witness = await stage().witness(job);
    const peer = await stage().peer(kind);
    await peer.start({ ...spec, jobName: job });
    const ended = () => journal.events.filter((told) => told.event === 'ended' && told.peer === peer.name);
    await journal.until('two rounds have ended', () => ended().length >= 2 * spec.shardingTotalCount);
    const nodes = await restingTree(journal, witness);
    return nodes.map(({ path, data }) => ({ path: renamed(path, job), data: renamed(data, job) }));
  }
});

/** The whole tree at a moment without a run. */
async function restingTree(journal: Journal, witness: TreeWitness): Promise<readonly TreeNode[]> {
  do {
    await journal.until('rest', () => witness.isAtRest());
    await witness.sync();
  } while (!witness.isAtRest());
  return witness.nodes();
}

function isJavas({ path }: TreeNode): boolean {
  return ![ADDED_NODES, MADE_AHEAD, COLLECTED, MISFIRE].some((expression) => expression.test(path));
}

function withoutAdditions({ path, data }: TreeNode): TreeNode {
  return { path, data: data.replace(OUR_LABEL, '').replace(OUR_PROPS, '') };
}

function comparable(nodes: readonly TreeNode[]): string {
  return nodes.map(({ path, data }) => `${path} | ${data}`).join('\n');
}

/** Replaces texts that differ from instance to instance. */
function renamed(text: string, job: string): string {
  return text.replaceAll(job, JOB).replaceAll(INSTANCE, 'instance').replaceAll(ADDRESS, 'address');
}
