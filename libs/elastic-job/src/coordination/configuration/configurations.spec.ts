import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, HiddenText, type JobOptions, resolveJobOptions } from '../../domain/index.js';
import { edit, textOf } from '@test/support/unit/config-node.js';
import { JOB, type Member, Registry } from '@test/support/unit/member.js';
import { ElasticJob2ConfigurationError } from './parse-configuration.js';

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

describe('installing a job', () => {
  it('fault 26: stores one configuration if ten instances with different options install at once', async () => {
    const members = await Promise.all(
      Array.from({ length: 10 }, (_, index) => registry.member({ shardingTotalCount: index + 1 })),
    );

    await Promise.all(members.map(({ configurations, tree }) => configurations.install(tree)));

    await Promise.all(members.map(({ tree }) => tree.sync()));
    expect(new Set(members.map(({ configurations }) => configurations.current(JOB).shardingTotalCount)).size).toBe(1);
    const { paths } = members[0]!.tree;
    expect(members[0]!.tree.stat(paths.config)!.version).toBe(0);
    for (const path of [
      paths.instances,
      paths.servers,
      paths.sessions,
      paths.term,
      paths.shardingFlags,
      paths.queue,
      paths.items,
    ]) {
      expect(members[0]!.tree.has(path)).toBe(true);
    }
  });

  it('refuses a job of another class, with an error that names both classes', async () => {
    await registry.joined();
    const second = await registry.member();
    declareAs(second, 'com.acme.OtherJob');

    const refused = second.configurations.install(second.tree);

    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(/com\.acme\.OtherJob.*settle-orders/);
  });

  it('refuses a total that fits no transaction, before any write', async () => {
    const member = await registry.member({ shardingTotalCount: 100_000 });

    await expect(member.configurations.install(member.tree)).rejects.toThrow(
      /settle-orders.*100000.*at most \d+ items/,
    );
    expect(await member.center.exists(`/${JOB}`)).toBeUndefined();
  });

  it('validates the settings that a start writes only once', async () => {
    const member = await registry.member();
    let judged = 0;
    const findPropsFaults = () => {
      judged += 1;
      return [];
    };
    const configuration = member.configurations.declared(JOB)!;
    member.configurations.declare({ configuration, className: JOB, place: 'spec', findPropsFaults });

    await member.configurations.install(member.tree);

    expect(member.configurations.current(JOB)).toBe(configuration);
    expect(judged).toBe(1);
  });

  it('sends no request if the job is already installed here', async () => {
    const member = await registry.joined();
    const before = member.center.traffic.foreground;

    await member.configurations.install(member.tree);

    expect(member.center.traffic.foreground).toBe(before);
  });

  it('writes the local options only with overwrite, and otherwise reports the differences', async () => {
    await registry.joined({ cron: '0 * * * * ?' });
    const meek = await registry.joined({ cron: '1 * * * * ?' });
    expect(meek.configurations.inForce(meek.tree)).toMatchObject({
      configuration: { cron: '0 * * * * ?' },
      differences: [{ field: 'cron', local: '1 * * * * ?', stored: '0 * * * * ?' }],
    });

    const bold = await registry.joined({ cron: '2 * * * * ?', overwrite: true });

    await meek.tree.sync();
    expect(meek.configurations.current(JOB).cron).toBe('2 * * * * ?');
    expect(bold.configurations.inForce(bold.tree).differences).toEqual([]);
  });

  it('writes the configuration once, even if the answer is lost and it is repeated', async () => {
    const member = await registry.member();
    registry.memory.loseNextReply(member.sessionId);

    await expect(member.configurations.install(member.tree)).rejects.toMatchObject({ fate: 'unknown' });
    await member.configurations.install(member.tree);

    expect(member.tree.stat(member.tree.paths.config)!.version).toBe(0);
  });
});

describe('writing a configuration', () => {
  it('happens at most once per instance if several start at once with overwrite', async () => {
    const members = await Promise.all(
      [0, 1, 2, 3, 4].map((second) => registry.member({ cron: `${second} * * * * ?`, overwrite: true })),
    );

    await Promise.all(members.map(({ configurations, tree }) => configurations.install(tree)));

    await Promise.all(members.map(({ tree }) => tree.sync()));
    expect(new Set(members.map(({ configurations }) => configurations.current(JOB).cron)).size).toBe(1);
    expect(members[0]!.tree.stat(members[0]!.tree.paths.config)!.version).toBeLessThan(5);
  });

  it('keeps parts unknown to this version if a start overwrites the node', async () => {
    const first = await registry.joined();
    await edit(
      registry,
      first,
      `${await textOf(first)}future: 1\n`.replace('props:\n', 'props:\n  nestjs.future: a\n  theirs: b\n'),
    );

    const bold = await registry.joined({ overwrite: true, props: { mine: 'c' } });

    const text = await textOf(bold);
    expect(text).toContain('future: 1\n');
    expect(text).toContain('props:\n  mine: c\n  nestjs.clockChange: auto\n  nestjs.future: a\n  theirs: b\n');
    expect(bold.configurations.current(JOB).props).toEqual({ mine: 'c', theirs: 'b' });
    const { version } = bold.tree.stat(bold.tree.paths.config)!;
    await bold.configurations.install(bold.tree);
    expect(bold.tree.stat(bold.tree.paths.config)!.version).toBe(version);
  });

  it('removes a prop that an edit leaves out', async () => {
    const member = await registry.joined({ props: { a: '1', b: '2' } });

    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), props: { b: '2' } });

    expect(member.configurations.current(JOB).props).toEqual({ b: '2' });
  });

  it.each([true, false])(
    'leaves disabled: %s of a job that exists to operators if a start overwrites it',
    async (set) => {
      const first = await registry.joined({ disabled: !set });
      await edit(registry, first, (await textOf(first)).replace(`disabled: ${!set}`, `disabled: ${set}`));

      const bold = await registry.joined({ disabled: !set, jobParameter: 'p', overwrite: true });

      expect(bold.configurations.current(JOB)).toMatchObject({ disabled: set, jobParameter: 'p' });
      expect(bold.configurations.inForce(bold.tree).differences).toMatchObject([{ field: 'disabled' }]);
    },
  );

  it('takes disabled from a start that overwrites a text which nobody can read, and no text was kept', async () => {
    const first = await registry.joined();
    await edit(registry, first, 'cron: [');
    await (await registry.operator()).delete(first.tree.paths.usableConfig);

    const bold = await registry.joined({ disabled: true, overwrite: true });

    expect(bold.configurations.current(JOB).disabled).toBe(true);
  });

  it('leaves the overwrite setting in the node as it is', async () => {
    const member = await registry.joined();
    await edit(registry, member, (await textOf(member)).replace('overwrite: false', 'overwrite: true'));

    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), jobParameter: 'p' });

    expect(await textOf(member)).toMatch(/^overwrite: true$/m);
  });

  it.each([
    ['fault 20: a wrong cron', { cron: '0 0 *' }, /cron.*0 0 \*/],
    ['an unknown time zone', { timeZone: 'Europe/Berln' }, /Europe\/Berln/],
    ['a total that no transaction holds', { shardingTotalCount: 1_000_000 }, /1000000/],
    [
      'tracing settings that are no YAML',
      { jobExtraConfigurations: new HiddenText('- [secret') },
      /^(?!.*secret).*line/,
    ],
  ])('is refused, and leaves the node as it was (%s)', async (_title, changes, message) => {
    const member = await registry.joined();
    const before = await textOf(member);

    const refused = member.configurations.write(member.tree, { ...member.configurations.current(JOB), ...changes });

    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(message);
    expect(await textOf(member)).toBe(before);
  });

  it('keeps an addition that another writer makes to the node meanwhile', async () => {
    const member = await registry.joined();
    const other = await registry.operator();
    const edited = `${await textOf(member)}future: 1\n`;
    const transaction = member.center.transaction.bind(member.center);
    member.center.transaction = async (...request) => {
      member.center.transaction = transaction;
      await other.set(member.tree.paths.config, edited);
      return transaction(...request);
    };

    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), jobParameter: 'p' });

    expect(await textOf(member)).toMatch(/^jobParameter: p$/m);
    expect(await textOf(member)).toContain('future: 1\n');
  });
});

describe('types of listeners that distribute once', () => {
  it('are written where Java reads them by the first start, and by an edit', async () => {
    const member = await withOnceListener();
    await member.configurations.install(member.tree);
    expect(await textOf(member)).toContain('\njobListenerTypes:\n- once\n');

    const without = { ...member.configurations.current(JOB), jobListenerTypes: [] };
    await member.configurations.write(member.tree, without, ['jobListenerTypes']);
    expect(await textOf(member)).not.toContain('once');
    await member.configurations.write(member.tree, { ...without, jobListenerTypes: ['once'] });
    expect(await textOf(member)).toContain('\njobListenerTypes:\n- once\n');
  });

  it('stay where another release has written them, until a start overwrites the node', async () => {
    const former = await registry.joined({ jobListenerTypes: ['once'] });
    const later = await withOnceListener();
    await later.configurations.install(later.tree);
    expect(later.configurations.inForce(later.tree)).toMatchObject({ differences: [], javaListenerTypes: [] });

    const bold = await withOnceListener({ overwrite: true });
    await bold.configurations.install(bold.tree);
    await former.tree.sync();
    expect(bold.configurations.inForce(bold.tree)).toMatchObject({ javaListenerTypes: ['once'] });
    expect(former.configurations.inForce(former.tree)).toMatchObject({ differences: [] });
  });

  async function withOnceListener(options: Partial<JobOptions> = {}): Promise<Member> {
    const member = await registry.member({ jobListenerTypes: ['once'], ...options });
    const configuration = member.configurations.declared(JOB)!;
    member.configurations.declare({ configuration, className: JOB, place: 'spec', onceListenerTypes: ['once'] });
    return member;
  }
});

describe('a job of ElasticJob 2', () => {
  const json = '{"jobName":"settle-orders","jobClass":"com.acme.J","jobType":"SIMPLE"}';

  it('stays untouched if a job of its name is installed, even with overwrite', async () => {
    const other = await registry.operator();
    await other.create(`/${JOB}`, '', 'PERSISTENT');
    await other.create(`/${JOB}/config`, json, 'PERSISTENT');
    const member = await registry.member({ overwrite: true });

    await member.configurations.install(member.tree);

    expect(await textOf(member)).toBe(json);
    expect(await other.children(`/${JOB}`)).toEqual(['config']);
    expect(member.configurations.inForce(member.tree).problem).toBeInstanceOf(ElasticJob2ConfigurationError);
    const refused = member.configurations.write(member.tree, member.configurations.current(JOB));
    await expect(refused).rejects.toThrow('importElasticJob2Configuration');
  });
});

function declareAs(member: Member, className: string): void {
  const options = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4 };
  member.configurations.declare({
    configuration: resolveJobOptions(options, { place: 'spec' }),
    className,
    place: 'spec',
  });
}
