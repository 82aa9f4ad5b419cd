import { inspect } from 'node:util';
import { JobRegistrar, REGISTRY_CENTER } from '@app/elastic-job';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ELASTIC_JOB_OPTIONS } from '../../libs/elastic-job/src/nest/module-definition.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { ALL_PERMISSIONS, type RawClient } from '@test/support/faults/index.js';
import { newParent, startClient, startOwner } from './support/access.js';
import { startService, until } from './support/attack.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const DIGEST = 'shop:canary-4711';
const OWNED = { permissions: ALL_PERMISSIONS, scheme: 'auth', id: '' };
const READABLE = { permissions: 1, scheme: 'world', id: 'anyone' };
/** Depth of inspections. A deeper one prints the codec's tables many times over. */
const DEPTH = 10;
const NEVER = '0 0 0 1 1 ? 2199';
const JOB = {
  cron: NEVER,
  shardingTotalCount: 1,
  type: 'HTTP',
  props: { 'http.uri': 'http://127.0.0.1:1/', 'http.method': 'POST' },
};
const jobs = { settle: JOB };

let attacker: RawClient;
let parent: string;
let namespace: string;
beforeEach(async () => {
  parent = newParent();
  namespace = `${parent}/shop`;
  attacker = await startClient();
  await attacker.create(`/${parent}`);
});
afterEach(async () => {
  const admin = await startClient(DIGEST);
  await admin.removeAll(`/${parent}`);
});

describe('with a digest, a tree that others may change', () => {
  it('ends the start if another user has made the namespace beforehand', async () => {
    await attacker.create(`/${namespace}`);

    const starting = startOwner({ namespace, digest: DIGEST }, { jobs });

    await expect(starting).rejects.toMatchObject({ code: 'UNTRUSTED_ACL', path: `/${namespace}` });
    await expect(starting).rejects.toThrow(`/${namespace}: its ACL (world:anyone:cdrwa) lets others`);
    await expect(starting).rejects.toThrow(`setAcl -R /${namespace} auth::cdrwa`);
    expect(await attacker.children(`/${namespace}`)).toEqual([]);
  });

  it.each([
    ['may write', 2],
    ['may create', 4],
    ['may delete', 8],
    ['may administer', 16],
  ])('ends the start where everybody %s besides the owner', async (_, permissions) => {
    const admin = await startClient(DIGEST);
    await admin.create(`/${namespace}`, { acl: [OWNED, { ...READABLE, permissions }] });

    await expect(startOwner({ namespace, digest: DIGEST })).rejects.toMatchObject({ code: 'UNTRUSTED_ACL' });
  });

  it('ends the start if the namespace belongs to another user who lets others read it', async () => {
    const other = await startClient('other:secret');
    await other.create(`/${namespace}`, { acl: [OWNED, READABLE] });

    const starting = startOwner({ namespace, digest: DIGEST });

    await expect(starting).rejects.toThrow(`/${namespace}: its ACL (digest:other:x:cdrwa,world:anyone:r) lets others`);
    await other.removeAll(`/${namespace}`);
  });

  it("ends the start if a job's root is open", async () => {
    const first = await startOwner({ namespace, digest: DIGEST }, { jobs });
    await first.app.close();
    const admin = await startClient(DIGEST);
    await admin.setAcl(`/${namespace}/settle`, ALL_PERMISSIONS);

    const starting = startOwner({ namespace, digest: DIGEST }, { jobs });

    await expect(starting).rejects.toMatchObject({ code: 'UNTRUSTED_ACL', path: `/${namespace}/settle` });
  });

  it('keeps a job out whose root another user has made in such a namespace, and writes nothing below', async () => {
    const owner = await startOwner({ namespace, digest: DIGEST });
    await attacker.remove(`/${namespace}`);
    await attacker.create(`/${namespace}`);
    await attacker.create(`/${namespace}/settle`);

    const adding = owner.app.get(JobRegistrar).add({ name: 'settle', shardingTotalCount: 1 }, () => {});

    await expect(adding).rejects.toMatchObject({ code: 'UNTRUSTED_ACL' });
    expect(await attacker.children(`/${namespace}/settle`)).toEqual([]);
  });

  it('keeps the first job out of a namespace that was replaced while it was empty', async () => {
    const owner = await startOwner({ namespace, digest: DIGEST });
    await attacker.remove(`/${namespace}`);
    await attacker.create(`/${namespace}`);

    const adding = owner.app.get(JobRegistrar).add({ name: 'settle', shardingTotalCount: 1 }, () => {});

    await expect(adding).rejects.toMatchObject({ code: 'UNTRUSTED_ACL', path: `/${namespace}` });
  });

  it('is accepted if the module says so, with one warning', async () => {
    await attacker.create(`/${namespace}`);
    await attacker.create(`/${namespace}/settle`);

    const owner = await startOwner({ namespace, digest: DIGEST, allowOpenAcl: true }, { jobs });

    expect(owner.warnings()).toEqual([expect.stringContaining(`/${namespace}: its ACL (world:anyone:cdrwa)`)]);
    expect(await owner.statistics.getJobBriefInfo('settle')).toMatchObject({ status: 'OK' });
  });
});

describe('with a digest, a tree of its own', () => {
  it('starts although the parents of the namespace are open, and others can change nothing in it', async () => {
    const owner = await startOwner({ namespace, digest: DIGEST }, { jobs });

    const tried = await Promise.all([
      attacker.remove(`/${namespace}`),
      attacker.create(`/${namespace}/settle/config-2`),
      attacker.remove(`/${namespace}/settle/config`),
      attacker.setData(`/${namespace}/settle/config`, 'jobName: settle'),
      attacker.setAcl(`/${namespace}`, ALL_PERMISSIONS),
    ]);

    const [NOT_EMPTY, NO_AUTH] = [-111, -102];
    expect(tried.map(({ error }) => error)).toEqual([NOT_EMPTY, NO_AUTH, NO_AUTH, NO_AUTH, NO_AUTH]);
    expect(owner.warnings()).toEqual([]);
  });

  it('starts if others may only read it', async () => {
    const first = await startOwner({ namespace, digest: DIGEST }, { jobs });
    await first.app.close();
    const admin = await startClient(DIGEST);
    for (const path of ['', '/settle', '/settle/config']) {
      await admin.setAcl(`/${namespace}${path}`, [OWNED, READABLE]);
    }

    const owner = await startOwner({ namespace, digest: DIGEST }, { jobs });

    expect(await owner.statistics.getJobBriefInfo('settle')).toMatchObject({ status: 'OK' });
  });
});

describe('with a digest, a config node that others may write', () => {
  it("is ignored until it is the owner's alone, even if its writer had the right to write it", async () => {
    const owner = await startOwner({ namespace, digest: DIGEST }, { jobs });
    const admin = await startClient(DIGEST);
    const path = `/${namespace}/settle/config`;
    const data = await textOf(admin, path);

    await admin.remove(path);
    await admin.create(path, { data: data.replace('shardingTotalCount: 1', 'shardingTotalCount: 7') });
    await until(() => problemOf(owner.app.get(ElasticJobRuntime)) !== undefined);

    expect(problemOf(owner.app.get(ElasticJobRuntime))).toMatch(/its ACL \(world:anyone:cdrwa\) lets others/);
    expect(owner.app.get(ElasticJobRuntime).configurations.current('settle').shardingTotalCount).toBe(1);
    await owner.operator.trigger('settle');
    await until(() => owner.events.some(({ kind }) => kind === 'skipped'));
    expect(owner.events.filter(({ kind }) => kind === 'begun')).toEqual([]);

    await admin.setAcl(path, [OWNED]);
    await admin.setData(path, data.replace('shardingTotalCount: 1', 'shardingTotalCount: 2'));
    await until(() => problemOf(owner.app.get(ElasticJobRuntime)) === undefined);
    expect(owner.app.get(ElasticJobRuntime).configurations.current('settle').shardingTotalCount).toBe(2);
  });

  it('is ignored where an open tree is accepted', async () => {
    const theirs = await startService();
    await attacker.create(`/${namespace}`);
    await attacker.create(`/${namespace}/settle`);
    const owner = await startOwner(
      { namespace, digest: DIGEST, allowOpenAcl: true },
      { jobs, allowRegistryTargets: { origins: [theirs.origin] } },
    );
    const path = `/${namespace}/settle/config`;

    expect((await attacker.setData(path, 'jobName: settle')).error).toBe(-102);
    await attacker.remove(path);
    const props = `props:\n  http.uri: ${theirs.origin}/\n  http.method: POST`;
    await attacker.create(path, { data: `jobName: settle\ncron: ${NEVER}\nshardingTotalCount: 1\n${props}\n` });
    await until(() => problemOf(owner.app.get(ElasticJobRuntime)) !== undefined);
    await owner.operator.trigger('settle');
    await until(() => owner.events.some(({ kind }) => kind === 'skipped'));

    expect(theirs.asked).toEqual([]);
  });

  it('is ignored as the text for the time after a bad edit: the leader keeps its own', async () => {
    await attacker.create(`/${namespace}`);
    await attacker.create(`/${namespace}/settle`);
    const owner = await startOwner({ namespace, digest: DIGEST, allowOpenAcl: true }, { jobs });
    const admin = await startClient(DIGEST);
    const config = `/${namespace}/settle/config`;
    const kept = `/${namespace}/settle/usable`;
    const data = await textOf(admin, config);
    await until(async () => (await attacker.getData(kept)).error === -102);

    await attacker.remove(kept);
    await attacker.create(kept, { data: data.replace('shardingTotalCount: 1', 'shardingTotalCount: 7') });
    await until(async () => (await attacker.getData(kept)).error === -102);
    await admin.setData(config, 'cron: [');
    await until(() => faultOf(owner.app.get(ElasticJobRuntime)) !== undefined);

    expect(await textOf(admin, kept)).toBe(data);
    expect(problemOf(owner.app.get(ElasticJobRuntime))).toBeUndefined();
    expect(owner.app.get(ElasticJobRuntime).configurations.current('settle').shardingTotalCount).toBe(1);
  });

  it('is replaced by a process that says overwrite', async () => {
    const first = await startOwner({ namespace, digest: DIGEST }, { jobs });
    await first.app.close();
    const admin = await startClient(DIGEST);
    const path = `/${namespace}/settle/config`;
    const data = await textOf(admin, path);
    await admin.setAcl(path, ALL_PERMISSIONS);
    await attacker.setData(path, data.replace('props:', 'props:\n  theirs: here'));

    const owner = await startOwner({ namespace, digest: DIGEST }, { jobs: { settle: { ...JOB, overwrite: true } } });

    expect(problemOf(owner.app.get(ElasticJobRuntime))).toBeUndefined();
    expect((await attacker.getData(path)).error).toBe(-102);
    expect(await textOf(admin, path)).not.toContain('theirs');
  });
});

describe('a digest without TLS', () => {
  it('is warned of once, beyond this host', async () => {
    // A short form of 127.0.0.1, which is not known as this host before it is resolved.
    const servers = zooKeeper.replace('127.0.0.1', '127.1');
    const near = await startOwner({ namespace, digest: DIGEST }, { processing: false });
    const far = await startOwner({ servers, namespace, digest: DIGEST }, { processing: false });

    expect(near.warnings()).toEqual([]);
    expect(far.warnings()).toEqual([expect.stringContaining('goes to 127.1 without TLS')]);
    expect(far.warnings().join()).not.toContain('canary');
  });

  it('is refused where TLS is required', async () => {
    const starting = startOwner({ namespace, digest: DIGEST, requireTls: true });
    await expect(starting).rejects.toMatchObject({ code: 'CONFIGURATION' });
    await expect(starting).rejects.toThrow('requireTls is true, but tls is not given');
  });
});

describe('the credentials of the registry', () => {
  it('are hidden in every inspection, JSON and event', async () => {
    const owner = await startOwner({ namespace, digest: DIGEST }, { jobs });
    const shown = [
      owner.app.get(REGISTRY_CENTER),
      owner.app.get(ElasticJobRuntime),
      owner.app.get(ELASTIC_JOB_OPTIONS, { strict: false }),
      owner.events,
    ];

    for (const one of shown) {
      expect(inspect(one, { depth: DEPTH, customInspect: false })).not.toContain('canary');
      expect(jsonOf(one)).not.toContain('canary');
    }
  });
});

async function textOf(client: RawClient, path: string): Promise<string> {
  const { body } = await client.getData(path);
  return body.toString('utf8', 4, 4 + body.readInt32BE());
}

function problemOf(runtime: ElasticJobRuntime): string | undefined {
  return runtime.status().jobs[0]?.problem;
}

/** The JSON text of the parts that have one. Circular references have none. */
function jsonOf(value: unknown): string {
  const seen = new Set<unknown>();
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return String(one);
    if (typeof one !== 'object' || one === null) return one;
    if (seen.has(one)) return undefined;
    seen.add(one);
    return one;
  });
}

function faultOf(runtime: ElasticJobRuntime): string | undefined {
  return runtime.status().jobs[0]?.configurationFault;
}
