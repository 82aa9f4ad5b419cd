import { beforeEach, describe, expect, it, vi } from 'vitest';
import { untyped } from '@test/support/unit/no-settings.js';
import { ElasticJob2ConfigurationError } from '../../../libs/elastic-job/src/coordination/index.js';
import {
  formatRerunProgress,
  parseRerun,
  removedRoot,
  type ShardingContext,
} from '../../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi, type RerunOptions } from '../../../libs/elastic-job/src/operations/index.js';
import { RequestTooLargeError } from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock, javaConfig } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const CAN = 'nestjs-elastic-job/1 v=1.43.1 can=reruns';
const CANNOT = 'nestjs-elastic-job/1';
const [FIRST, SECOND] = ['10.0.0.1@-@1-a', '10.0.0.2@-@1-a'];
const INSTANCES = [
  [FIRST, '10.0.0.1', CAN],
  [SECOND, '10.0.0.2', CAN],
] as const;
/** The job has a fire time every five seconds. */
const T = Date.UTC(2026, 10, 22, 2);
const CRON = /^cron: .*\n/m;
const OWNERS = { 'sharding/0/instance': FIRST, 'sharding/1/instance': SECOND, 'sharding/2/instance': FIRST };

export function describeReruns(adapter: RegistryAdapter): void {
  describe('a re-run of past fire times', () => {
    const { stage } = useStage(adapter);
    let api: JobOperateApi;
    beforeEach(() => {
      api = new JobOperateApi(stage().registry, clock);
    });
    const write = ({ config = javaConfig(JOB), ...job }: Parameters<ReturnType<typeof stage>['writeJava']>[1] = {}) =>
      stage().writeJava(JOB, { instances: INSTANCES, ...job, config, nodes: { ...OWNERS, ...job.nodes } });
    const stored = async (id: string) => parseRerun((await stage().value(`/${JOB}/reruns/${id}`)) ?? '');
    const ids = () => stage().names(`/${JOB}/reruns`);
    const beginsOf = async (options: RerunOptions) =>
      (await api.previewRerun(JOB, options)).targets.map(({ begins, because }) => `${begins}: ${because}`);

    it('is one node of the job, with items and instants in order, at 5 requests', async () => {
      await write();

      const cost = await costOf(stage().registry, async () => {
        const fireTimes = [new Date(T + 5_000), T, T];
        const receipt = await api.rerun(JOB, { items: [2, 0, 2], fireTimes, parameters: 'day=1' });
        expect(receipt).toEqual({ id: expect.any(String), targets: 4, waitsFor: [] });
      });

      expect(cost).toBe(5);
      const [id] = await ids();
      const { at, ...rerun } = (await stored(id!))!;
      expect(rerun).toEqual({ items: [0, 2], fireTimes: [T, T + 5_000], parameters: 'day=1' });
      expect(Math.abs(at - clock.wallNow())).toBeLessThan(60_000);
    });

    it('is listed with the progress of each item until it is withdrawn', async () => {
      await write();
      const { id } = await api.rerun(JOB, { items: [0, 1], fireTimes: [T, T + 5_000] });
      await stage().registry.create(
        `/${JOB}/reruns/${id}/1`,
        formatRerunProgress({ ended: 2, failed: 1 }),
        'PERSISTENT',
      );

      const open = await api.reruns(JOB);
      await api.withdrawRerun(JOB, id);

      expect(open).toEqual([
        {
          id,
          at: expect.any(Number),
          items: [0, 1],
          fireTimes: [T, T + 5_000],
          parameters: undefined,
          anyTime: false,
          withdrawn: false,
          targets: 4,
          progress: [
            { item: 0, ended: 0, failed: 0 },
            { item: 1, ended: 2, failed: 1 },
          ],
          waitsFor: [],
        },
      ]);
      expect(open).toSatisfy(Object.isFrozen);
      expect(await api.reruns(JOB)).toEqual([]);
      expect(await ids()).toEqual([]);
    });

    it('is withdrawn before it is removed, though an item ends a target in between', async () => {
      await write();
      const { id } = await api.rerun(JOB, { items: [0], fireTimes: [T, T + 5_000] });
      const { registry } = stage();
      const transaction = registry.transaction.bind(registry);
      const states: (boolean | undefined)[] = [];
      vi.spyOn(registry, 'transaction').mockImplementation(async (...given) => {
        if (given[0].some(({ kind }) => kind === 'delete') && states.length === 0) {
          states.push((await stored(id))?.withdrawn);
          const progress = formatRerunProgress({ ended: 1, failed: 0 });
          await registry.create(`/${JOB}/reruns/${id}/0`, progress, 'PERSISTENT');
        }
        return transaction(...given);
      });

      await api.withdrawRerun(JOB, id);

      expect(states).toEqual([true]);
      expect(await ids()).toEqual([]);
      await expect(api.withdrawRerun(JOB, id)).rejects.toMatchObject({ code: 'UNKNOWN_RERUN', jobName: JOB, id });
    });

    it('says that it is withdrawn in part if its node could not be deleted', async () => {
      await write();
      const { id } = await api.rerun(JOB, { items: [0], fireTimes: [T] });
      const { registry } = stage();
      vi.spyOn(registry, 'children').mockRejectedValue(new RequestTooLargeError('children', 2, 1));

      await expect(api.withdrawRerun(JOB, id)).rejects.toMatchObject({ code: 'PARTLY_DONE', jobName: JOB });

      expect((await stored(id))?.withdrawn).toBe(true);
    });

    it('names the instances for which it waits', async () => {
      await write({ instances: [INSTANCES[0], [SECOND, '10.0.0.2', CANNOT]] });

      const { id, waitsFor } = await api.rerun(JOB, { items: [0], fireTimes: [T] });

      expect(waitsFor).toEqual([SECOND]);
      expect(await api.reruns(JOB)).toMatchObject([{ id, waitsFor: [SECOND] }]);
    });

    it('is run by the owners of the items, oldest first, and is gone then', async () => {
      const contexts: ShardingContext[] = [];
      const handler = (context: ShardingContext) => void contexts.push(context);
      await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2, handler });
      await stage().startSharded('10.0.0.2', { name: JOB, shardingTotalCount: 2, handler });

      const { id, waitsFor } = await api.rerun(JOB, {
        items: [0, 1],
        fireTimes: [T + 5_000, T],
        parameters: 'day=1',
        anyTime: true,
      });

      expect(waitsFor).toEqual([]);
      await stage().until(() => contexts.length === 4 && !stage().has(`/${JOB}/reruns/${id}`));
      const ranFor = (item: number) =>
        contexts.filter((context) => context.shardingItem === item).map(({ fireTime }) => fireTime.getTime());
      expect([ranFor(0), ranFor(1)]).toEqual([
        [T, T + 5_000],
        [T, T + 5_000],
      ]);
      expect(contexts.map(({ trigger }) => trigger)).toEqual(contexts.map(() => ({ id, parameters: 'day=1' })));
      expect(await api.reruns(JOB)).toEqual([]);
    });

    it('ends what runs and begins nothing more once it is withdrawn', async () => {
      const begun: number[] = [];
      let end!: () => void;
      const ending = new Promise<void>((resolve) => (end = resolve));
      const handler = async ({ fireTime }: ShardingContext) => {
        begun.push(fireTime.getTime());
        await ending;
      };
      await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 1, handler });
      const { id } = await api.rerun(JOB, { items: [0], fireTimes: [T, T + 5_000], anyTime: true });
      await stage().until(() => begun.length === 1);

      await api.withdrawRerun(JOB, id);
      end();

      await stage().until(() => !stage().has(`/${JOB}/sharding/0/running`));
      expect(begun).toEqual([T]);
      expect(await api.reruns(JOB)).toEqual([]);
    });

    describe('is refused', () => {
      const asked = { items: [0], fireTimes: [T] };
      it.each<[string, object, Parameters<typeof write>[0], RerunOptions?]>([
        [
          'for an item that the job lacks',
          { code: 'UNKNOWN_ITEM', item: 3, items: [0, 1, 2] },
          {},
          { items: [0, 3], fireTimes: [T] },
        ],
        [
          'for an item beyond the total that is not removed yet',
          { code: 'UNKNOWN_ITEM', item: 3, items: [0, 1, 2] },
          { nodes: { 'sharding/3/instance': FIRST } },
          { items: [3], fireTimes: [T] },
        ],
        [
          'beside a Java instance',
          { code: 'JAVA_PEERS', instances: ['10.0.0.7@-@17'] },
          { instances: [...INSTANCES, ['10.0.0.7@-@17', '10.0.0.7']] },
        ],
        [
          'for a resident job',
          { code: 'RESIDENT' },
          { config: `${javaConfig(JOB)}props:\n  nestjs.resident: 'true'\n` },
        ],
        [
          'without monitorExecution',
          { code: 'UNMONITORED' },
          { config: javaConfig(JOB).replace('monitorExecution: true', 'monitorExecution: false') },
        ],
        [
          'for an instant that the schedule lacks, with its neighbours',
          { code: 'NO_SUCH_FIRE_TIME', fireTime: T + 1_000, before: T, after: T + 5_000 },
          {},
          { items: [0], fireTimes: [T, T + 1_000] },
        ],
        [
          'for any instant of a job without a schedule',
          { code: 'NO_SUCH_FIRE_TIME', fireTime: T, before: undefined, after: undefined },
          { config: javaConfig(JOB).replace(CRON, '') },
        ],
        [
          'for any instant of a job that starts after another one',
          { code: 'NO_SUCH_FIRE_TIME', before: undefined, after: undefined },
          { config: `${javaConfig(JOB).replace(CRON, '')}props:\n  nestjs.after: import\n` },
        ],
        ['if the settings cannot be read', { code: 'CONFIGURATION_NODE' }, { config: 'cron: [' }],
        [
          'for a job of ElasticJob 2',
          { code: 'ELASTIC_JOB_2_CONFIGURATION' },
          { config: `{"jobName":"${JOB}","jobClass":"com.acme.J","jobType":"SIMPLE","cron":"0/5 * * * * ?"}` },
        ],
      ])('%s, and nothing is written', async (_, error, job, options = asked) => {
        await write(job);

        await expect(api.rerun(JOB, options)).rejects.toMatchObject(error);

        expect(await stage().registry.exists(`/${JOB}/reruns`)).toBeUndefined();
      });

      it.each<[string, RerunOptions]>([
        ['items must be a list of 1 to 10000 items', { items: [], fireTimes: [T] }],
        ['items must be', { items: [-1], fireTimes: [T] }],
        ['items must be', untyped({ fireTimes: [T] })],
        ['fireTimes must be a list of 1 to 100 instants', { items: [0], fireTimes: [] }],
        ['fireTimes must be', { items: [0], fireTimes: Array.from({ length: 101 }, (_, n) => T + n * 5_000) }],
        ['fireTimes must be', { items: [0], fireTimes: [new Date(Number.NaN)] }],
        ['fireTimes must be', { items: [0], fireTimes: [0.5] }],
        [
          'fireTimes must be in the past, but 2199-01-01T00:00:00.000Z is not',
          { items: [0], fireTimes: [T, Date.UTC(2199)] },
        ],
        ['anyTime must be true or false', { items: [0], fireTimes: [T], anyTime: untyped('yes') }],
      ])('without a request if %s', async (problem, options) => {
        await write();
        const cost = await costOf(stage().registry, async () => {
          for (const ask of [api.rerun(JOB, options), api.previewRerun(JOB, options)]) {
            await expect(ask).rejects.toMatchObject({
              code: 'CONFIGURATION',
              message: expect.stringContaining(problem),
            });
          }
        });
        expect(cost).toBe(0);
      });

      it('if the parameters are more than an instance reads', async () => {
        await write();
        const rerun = api.rerun(JOB, { ...asked, parameters: 'x'.repeat(300_000) });
        await expect(rerun).rejects.toThrow(RequestTooLargeError);
      });

      it('for an unknown job, one that is being removed, and an impossible name', async () => {
        await write();
        await stage().registry.set(`/${JOB}`, removedRoot('tenant'));
        for (const ask of [api.rerun('other', asked), api.previewRerun('other', asked), api.rerun(JOB, asked)]) {
          await expect(ask).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
        }
        await expect(api.reruns('other')).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
        await expect(api.withdrawRerun('other', 'r1')).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
        await expect(api.rerun('a/b', asked)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', argument: 'jobName' });
        await expect(api.withdrawRerun(JOB, 'a/b')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', argument: 'id' });
      });

      it('beyond 16 open ones, of which one that is withdrawn is none', async () => {
        await write();
        const open = [];
        for (let n = 0; n < 16; n++) open.push(await api.rerun(JOB, asked));

        const error = { code: 'TOO_MANY_RERUNS', open: 16, openTargets: 16, targets: 1 };
        await expect(api.rerun(JOB, asked)).rejects.toMatchObject(error);
        await api.withdrawRerun(JOB, open[0]!.id);
        await api.rerun(JOB, asked);

        expect(await ids()).toHaveLength(16);
      });

      it('beyond 10,000 targets of all open ones', async () => {
        const items = Array.from({ length: 70 }, (_, item) => item);
        const nodes = Object.fromEntries(items.map((item) => [`sharding/${item}/instance`, FIRST]));
        await write({ nodes, config: javaConfig(JOB).replace('shardingTotalCount: 3', 'shardingTotalCount: 70') });
        const fireTimes = Array.from({ length: 100 }, (_, n) => T + n * 5_000);
        await api.rerun(JOB, { items, fireTimes });

        const refused = api.rerun(JOB, { items: items.slice(0, 31), fireTimes });
        await expect(refused).rejects.toMatchObject({ code: 'TOO_MANY_RERUNS', openTargets: 7_000, targets: 3_100 });
        await api.rerun(JOB, { items: items.slice(0, 30), fireTimes });
      });

      it('to all but 16 of 20 operators who ask at the same time', async () => {
        await write();
        for (let n = 0; n < 12; n++) await api.rerun(JOB, asked);
        const clients = await Promise.all(Array.from({ length: 8 }, () => stage().client()));

        const answers = await Promise.allSettled(
          clients.map((client) => new JobOperateApi(client, clock).rerun(JOB, asked)),
        );

        const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? answer.reason.code : []));
        expect(codes).toEqual(Array.from({ length: 4 }, () => 'TOO_MANY_RERUNS'));
        expect(await ids()).toHaveLength(16);
      });
    });

    it('takes any past instant with anyTime', async () => {
      await write({ config: javaConfig(JOB).replace(CRON, '') });

      const { id } = await api.rerun(JOB, { items: [1], fireTimes: [T + 1_234], anyTime: true });

      expect(await stored(id)).toMatchObject({ fireTimes: [T + 1_234], anyTime: true });
    });

    it("goes by the time zone of the job's schedule", async () => {
      const config = javaConfig(JOB).replace(CRON, "cron: '0 0 2 * * ?'\ntimeZone: GMT+8:00\n");
      await write({ config });

      await expect(api.rerun(JOB, { items: [0], fireTimes: [T] })).rejects.toMatchObject({
        code: 'NO_SUCH_FIRE_TIME',
        before: Date.UTC(2026, 10, 21, 18),
        after: Date.UTC(2026, 10, 22, 18),
      });
      await api.rerun(JOB, { items: [0], fireTimes: [Date.UTC(2026, 10, 21, 18)] });
    });

    it('is judged anew if somebody edits the settings meanwhile', async () => {
      await write();
      const { registry } = stage();
      const other = await stage().client();
      const transaction = registry.transaction.bind(registry);
      vi.spyOn(registry, 'transaction').mockImplementationOnce(async (...given) => {
        await other.set(`/${JOB}/config`, javaConfig(JOB).replace(CRON, "cron: '0 0 3 * * ?'\n"));
        return transaction(...given);
      });

      await expect(api.rerun(JOB, { items: [0], fireTimes: [T] })).rejects.toMatchObject({ code: 'NO_SUCH_FIRE_TIME' });

      expect(await ids()).toEqual([]);
    });

    describe('preview', () => {
      it('says of each target who owns it and if it begins at once or in turn, and writes nothing', async () => {
        await write({ nodes: { 'sharding/1/running': SECOND, 'sharding/2/misfire': '' } });

        const { targets } = await api.previewRerun(JOB, { items: [0, 1, 2], fireTimes: [T, T + 5_000] });

        expect(targets.map(({ begins, fireTime, item, owner }) => ({ fireTime, item, owner, begins }))).toEqual([
          { fireTime: T, item: 0, owner: FIRST, begins: 'at once' },
          { fireTime: T, item: 1, owner: SECOND, begins: 'in turn' },
          { fireTime: T, item: 2, owner: FIRST, begins: 'in turn' },
          { fireTime: T + 5_000, item: 0, owner: FIRST, begins: 'in turn' },
          { fireTime: T + 5_000, item: 1, owner: SECOND, begins: 'in turn' },
          { fireTime: T + 5_000, item: 2, owner: FIRST, begins: 'in turn' },
        ]);
        expect(targets.map(({ because }) => because)).toEqual([
          'item 0 is free',
          `item 1 still runs on ${SECOND}`,
          'a missed fire time of item 2 goes first',
          ...[0, 1, 2].map(() => `it follows ${new Date(T).toISOString()} of the same re-run`),
        ]);
        expect(await stage().registry.exists(`/${JOB}/reruns`)).toBeUndefined();
      });

      it('says that a target follows an open re-run as long as the item has not ended that one', async () => {
        await write();
        const { id } = await api.rerun(JOB, { items: [0, 1], fireTimes: [T] });
        const ended = formatRerunProgress({ ended: 1, failed: 0 });
        await stage().registry.create(`/${JOB}/reruns/${id}/1`, ended, 'PERSISTENT');

        expect(await beginsOf({ items: [0, 1, 2], fireTimes: [T] })).toEqual([
          `in turn: it follows re-run ${id}`,
          'at once: item 1 is free',
          'at once: item 2 is free',
        ]);
      });

      it.each<[string, string, Parameters<typeof write>[0]]>([
        ['an item is disabled', 'item 0 is disabled', { nodes: { 'sharding/0/disabled': '' } }],
        ['its server is disabled', 'server 10.0.0.1 is disabled', { nodes: { 'servers/10.0.0.1': 'DISABLED' } }],
        ['its owner is gone', 'item 0 has no instance', { nodes: { 'sharding/0/instance': '10.0.0.9@-@1-a' } }],
        [
          'an instance is of an older release',
          `a release that has no re-runs is still there: ${SECOND}`,
          { instances: [INSTANCES[0], [SECOND, '10.0.0.2', CANNOT]] },
        ],
      ])('says that a target waits as long as %s', async (_, because, job) => {
        await write(job);
        expect(await beginsOf({ items: [0], fireTimes: [T] })).toEqual([`waits: ${because}`]);
      });

      it('says what the re-run would be refused for', async () => {
        await write();

        const targets = await beginsOf({ items: [0, 9], fireTimes: [T, T + 1_000] });

        expect(targets.map((target) => target.slice(0, 60))).toEqual([
          'at once: item 0 is free',
          'not: Job "settle-orders" has no item 9. It has the items 0 to 2.'.slice(0, 60),
          'not: Job "settle-orders" has no fire time 2026-11-22T02:00:01.000Z'.slice(0, 60),
          'not: Job "settle-orders" has no item 9. It has the items 0 to 2.'.slice(0, 60),
        ]);
      });

      it('refuses a whole job by its reason', async () => {
        await write({ instances: [...INSTANCES, ['10.0.0.7@-@17', '10.0.0.7']] });

        const [target] = await beginsOf({ items: [0], fireTimes: [T] });

        expect(target).toMatch(/^not: .*Java instance \(10\.0\.0\.7@-@17\)/);
      });

      it('is refused for a job of ElasticJob 2, and for more targets than a job can have', async () => {
        const items = Array.from({ length: 101 }, (_, item) => item);
        const fireTimes = Array.from({ length: 100 }, (_, n) => T + n * 5_000);
        await write();
        await expect(api.previewRerun(JOB, { items, fireTimes })).rejects.toMatchObject({ code: 'TOO_MANY_RERUNS' });
        await stage().registry.set(`/${JOB}/config`, '{"jobName":"j","jobClass":"com.acme.J","jobType":"SIMPLE"}');

        const preview = api.previewRerun(JOB, { items: [0], fireTimes: [T] });

        await expect(preview).rejects.toThrow(ElasticJob2ConfigurationError);
      });
    });
  });
}
