import { describe, expect, it } from 'vitest';
import { removedRoot } from '../../../libs/elastic-job/src/domain/index.js';
import {
  JOB,
  jobSpec,
  type JavaPeer,
  NEVER,
  type PeerEvent,
  RELEASES,
  type TreeWitness,
  useInterop,
  whyNot,
} from '../support/index.js';

const TOTAL = 4;
const ITEMS = [...Array(TOTAL).keys()];
const TEMPLATE = 'report';
const CREATED = { name: JOB, template: TEMPLATE, cron: NEVER, shardingTotalCount: TOTAL };
const A_WHILE_MS = 2_500;
/** Java's error for a job whose root is not the name of its own class. */
const REFUSAL = /JobConfigurationException.*conflict.*nestjs\.(template|removed):report/;

interface Attempt {
  readonly before: unknown;
  readonly after: unknown;
}

describe.skipIf(whyNot()).each(RELEASES)('a job created from a template, beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each([false, true])('refuses a Java job of its name while ours runs it (overwrite: %s)', async (overwrite) => {
    const { journal } = stage();
    const witness = await stage().witness();
    const [node, java] = [await stage().node(), await stage().java()];
    await node.declare(TEMPLATE);
    await node.create(CREATED);
    // The leader writes the settings after the plan.
    const isDone = () => witness.isSharedBy([node], TOTAL) && witness.isAtRest() && witness.has('usable');
    await journal.until('ours has all items', isDone);

    const { before, after } = await refuse(witness, java, overwrite);

    expect(after).toEqual(before);
    await node.execute(JOB);
    await journal.untilAllRun(ITEMS);
    expect(new Set(journal.begun().map(({ peer }) => peer))).toEqual(new Set([node.name]));
  });

  it('refuses a Java job of its name while it is being removed', async () => {
    const witness = await stage().witness();
    const [node, java] = [await stage().node(), await stage().java()];
    await node.create(CREATED);
    await witness.registry.set(`/${JOB}`, removedRoot(TEMPLATE));

    const { before, after } = await refuse(witness, java, true);

    expect(after).toEqual(before);
  });

  /** Lets Java's start fail. @returns the tree before, and a while after */
  async function refuse(witness: TreeWitness, java: JavaPeer, overwrite: boolean): Promise<Attempt> {
    const before = await wholeTree(witness);
    await expect(java.start(jobSpec({ cron: NEVER, overwrite }))).rejects.toThrow(REFUSAL);
    const isJavas = ({ peer, event }: PeerEvent) => peer === java.name && event === 'begun';
    await stage().journal.stays('Java runs nothing', isJavas, A_WHILE_MS);
    return { before, after: await wholeTree(witness) };
  }
});

/** Every node of the job with its text and versions, and the names of the namespace. */
async function wholeTree(witness: TreeWitness): Promise<unknown> {
  await witness.sync();
  const root = await witness.registry.read(`/${JOB}`);
  return { names: await witness.registry.children('/'), nodes: [root, ...witness.nodes()] };
}
