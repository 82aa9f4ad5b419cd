import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, HiddenText, type JobProps, resolveJobOptions } from '../../domain/index.js';
import type { NodeStat } from '../../registry/index.js';
import { beforeNextTransaction, JOB, type Member, Registry } from '../../../../../test/support/unit/member.js';
import { ConfigurationNodeError, ElasticJob2ConfigurationError } from './configuration.errors.js';

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

describe('installing a job', () => {
  it('fault 26: given ten starters with different options, when they install at once, then one configuration is written for all', async () => {
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

  it('given a job of another class, when it is installed, then the error names both classes and nothing is written', async () => {
    await registry.joined();
    const second = await registry.member();
    declareAs(second, 'com.acme.OtherJob');

    const refused = second.configurations.install(second.tree);

    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(/com\.acme\.OtherJob.*settle-orders/);
  });

  it('given a total that no transaction holds, when it is installed, then it is refused before anything is written', async () => {
    const member = await registry.member({ shardingTotalCount: 100_000 });

    await expect(member.configurations.install(member.tree)).rejects.toThrow(
      /settle-orders.*100000.*at most \d+ items/,
    );
    expect(await member.center.exists(`/${JOB}`)).toBeUndefined();
  });

  it('given a job that is installed, when it is installed again, then nothing is written', async () => {
    const member = await registry.joined();
    const before = member.center.traffic.foreground;

    await member.configurations.install(member.tree);

    expect(member.center.traffic.foreground).toBe(before);
  });

  it('given overwrite, when the job is installed, then the local options are written; without it, they give way', async () => {
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

  it('given a start whose answer is lost, when it installs again, then it finds the work done', async () => {
    const member = await registry.member();
    registry.memory.loseNextReply(member.sessionId);

    await expect(member.configurations.install(member.tree)).rejects.toMatchObject({ fate: 'unknown' });
    await member.configurations.install(member.tree);

    expect(member.tree.stat(member.tree.paths.config)!.version).toBe(0);
  });
});

describe('writing a configuration', () => {
  it('given overwriters with different options, when they start at once, then each writes once, and all come to rest', async () => {
    const members = await Promise.all(
      [0, 1, 2, 3, 4].map((second) => registry.member({ cron: `${second} * * * * ?`, overwrite: true })),
    );

    await Promise.all(members.map(({ configurations, tree }) => configurations.install(tree)));

    await Promise.all(members.map(({ tree }) => tree.sync()));
    expect(new Set(members.map(({ configurations }) => configurations.current(JOB).cron)).size).toBe(1);
    expect(members[0]!.tree.stat(members[0]!.tree.paths.config)!.version).toBeLessThan(5);
  });

  it('given parts that this version does not know, when overwritten at start, then they are there afterwards', async () => {
    const first = await registry.joined();
    await write(
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

  it('given an edit without one of the props, when written, then that one is gone', async () => {
    const member = await registry.joined({ props: { a: '1', b: '2' } });

    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), props: { b: '2' } });

    expect(member.configurations.current(JOB).props).toEqual({ b: '2' });
  });

  it('given overwrite in the node, when it is edited, then that stays as it is there', async () => {
    const member = await registry.joined();
    await write(member, (await textOf(member)).replace('overwrite: false', 'overwrite: true'));

    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), jobParameter: 'p' });

    expect(await textOf(member)).toMatch(/^overwrite: true$/m);
  });

  it.each([
    ['fault 20: given a wrong cron', { cron: '0 0 *' }, /cron.*0 0 \*/],
    ['given an unknown time zone', { timeZone: 'Europe/Berln' }, /Europe\/Berln/],
    ['given a total that no transaction holds', { shardingTotalCount: 1_000_000 }, /1000000/],
    [
      'given tracing settings that are no YAML',
      { jobExtraConfigurations: new HiddenText('- [secret') },
      /^(?!.*secret).*line/,
    ],
  ])('%s, when it is written, then it is refused and the node is as before', async (_title, changes, message) => {
    const member = await registry.joined();
    const before = await textOf(member);

    const refused = member.configurations.write(member.tree, { ...member.configurations.current(JOB), ...changes });

    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(message);
    expect(await textOf(member)).toBe(before);
  });

  it('given somebody else edits the node meanwhile, when it is written, then what he added is kept', async () => {
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

describe('a job of ElasticJob 2', () => {
  const json = '{"jobName":"settle-orders","jobClass":"com.acme.J","jobType":"SIMPLE"}';

  it('given one, when a job of that name is installed, even with overwrite, then nothing of it is touched', async () => {
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

describe('a configuration that was changed into something unusable', () => {
  it.each([
    ['cron: [', ConfigurationNodeError],
    ['jobName: settle-orders\ncron: 0 * * * * ?\nshardingTotalCount: 0\n', ConfigurationNodeError],
    ['jobName: settle-orders\ncron: 0 * * * * ?\nshardingTotalCount: 1000000\n', ConfigurationError],
  ])('given the text %j, when it is read, then what was in force stays so, with the fault', async (text, error) => {
    const member = await registry.joined();
    const before = member.configurations.current(JOB);

    await write(member, text);

    const { configuration, fault, problem } = member.configurations.inForce(member.tree);
    expect(configuration).toEqual(before);
    expect(fault).toBeInstanceOf(error);
    expect(problem).toBeUndefined();
  });

  it('given an edit of others that the leader has kept, when a bad one follows, then instances that start later run by it, whole', async () => {
    const leader = await registry.joined();
    const edited = (await textOf(leader)).replace('0 * * * * ?', '5 * * * * ?').replace('Count: 4', 'Count: 3');
    const { mtime } = await write(leader, edited);
    await keep(leader);
    await write(leader, edited.replace('5 * * * * ?', 'often').replace('Count: 3', 'Count: 7'));

    const late = await registry.member();
    await late.configurations.install(late.tree);

    for (const { configurations, tree } of [leader, late]) {
      expect(configurations.inForce(tree)).toMatchObject({
        configuration: { cron: '5 * * * * ?', shardingTotalCount: 3 },
        fault: { problems: [expect.stringContaining('often')] },
      });
    }
    expect(leader.configurations.inForce(leader.tree).writtenAt).toBe(mtime);
    expect(await textOf(late)).toContain('often');
  });

  it('given an edit and a bad one before the leader could keep it, when the leader looks, then that edit is in force again', async () => {
    const leader = await registry.joined();
    await write(leader, (await textOf(leader)).replace('Count: 4', 'Count: 3'));
    expect(leader.configurations.current(JOB).shardingTotalCount).toBe(3);
    await write(leader, 'cron: [');
    expect(leader.configurations.current(JOB).shardingTotalCount).toBe(4);

    await keep(leader);

    const { configuration, fault, problem } = leader.configurations.inForce(leader.tree);
    expect([configuration.shardingTotalCount, fault, problem]).toEqual([3, expect.any(Error), undefined]);
  });

  it('given an edit that comes while the leader keeps the former text, when it is written, then it is refused', async () => {
    const leader = await registry.joined();
    const term = await leader.lead();
    const edited = (await textOf(leader)).replace('Count: 4', 'Count: 3');
    await write(leader, edited);
    beforeNextTransaction(leader, () => leader.center.set(leader.tree.paths.config, 'cron: ['));

    await leader.configurations.keep(leader.tree, term);

    expect(await keptTextOf(leader)).toContain('shardingTotalCount: 4');
  });

  it('given a leader that was deposed, when it keeps a text, then it is refused', async () => {
    const leader = await registry.joined();
    const term = await leader.lead();
    await write(leader, (await textOf(leader)).replace('Count: 4', 'Count: 3'));
    await leader.center.delete(term.guard[0]!.path);

    await leader.configurations.keep(leader.tree, { guard: term.guard, signal: leader.tree.signal });

    expect(await keptTextOf(leader)).toContain('shardingTotalCount: 4');
  });

  it('given the text is kept, when the leader looks, then that costs nothing', async () => {
    const leader = await registry.joined();
    const term = await leader.lead();
    const before = leader.center.traffic.foreground;

    await leader.configurations.keep(leader.tree, term);

    expect(leader.center.traffic.foreground).toBe(before);
  });

  it('given it is written here, when a change follows, then the settings are as in the last usable text but for that', async () => {
    const member = await registry.joined();
    await write(member, `${(await textOf(member)).replace('Count: 4', 'Count: 3')}future: 1\n`);
    await keep(member);
    await write(member, 'cron: [');

    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), jobParameter: 'p' });

    expect(await textOf(member)).toMatch(/^jobParameter: p$/m);
    expect(await textOf(member)).toMatch(/^shardingTotalCount: 3$/m);
    expect(await textOf(member)).toMatch(/^future: 1$/m);
    expect(await keptTextOf(member)).toBe(await textOf(member));
  });

  it.each(['nothing is kept', 'the kept text cannot be used either'])(
    'given %s, when a job starts, then its own options wait with the problem',
    async (what) => {
      const first = await registry.joined();
      await write(first, 'cron: [');
      const { usableConfig } = first.tree.paths;
      if (what === 'nothing is kept') await first.center.delete(usableConfig);
      else await first.center.set(usableConfig, 'cron: {');

      const late = await registry.member();
      await late.configurations.install(late.tree);

      const { configuration, problem } = late.configurations.inForce(late.tree);
      expect(configuration).toMatchObject({ jobName: JOB, cron: '0 * * * * ?' });
      expect(problem).toBeInstanceOf(ConfigurationNodeError);
      expect(problem).toMatchObject({ problems: [expect.stringContaining('line 1')] });
    },
  );

  it("given props that the job's work cannot use, when it is read, then the fault names them; a write of such is refused", async () => {
    const member = await registry.joined({ props: { 'http.uri': 'http://orders' } });
    const local = member.configurations.current(JOB);
    const findPropsFaults = (props: JobProps) => (props['http.uri'] ? [] : ['http.uri is required']);
    member.configurations.declare({ configuration: local, className: JOB, place: 'spec', findPropsFaults });
    const { data } = member.tree.node(member.tree.paths.config)!;

    await expect(member.configurations.write(member.tree, { ...local, props: {} })).rejects.toThrow(
      /http\.uri is required/,
    );
    await member.center.set(member.tree.paths.config, data.replace('http.uri', 'http.url'));
    await member.tree.sync();

    expect(member.configurations.inForce(member.tree)).toMatchObject({
      configuration: { props: { 'http.uri': 'http://orders' } },
      fault: { problems: ['http.uri is required'] },
    });
  });

  it('given it is mended, when it is read, then the fault is gone', async () => {
    const member = await registry.joined();
    const { data } = (await member.center.read(member.tree.paths.config))!;
    expect(member.configurations.current(JOB).cron).toBe('0 * * * * ?');
    await write(member, 'cron: [');
    expect(member.configurations.inForce(member.tree).fault).toBeDefined();

    await write(member, data.replace('0 * * * * ?', '5 * * * * ?'));

    expect(member.configurations.inForce(member.tree)).toMatchObject({ configuration: { cron: '5 * * * * ?' } });
    expect(member.configurations.inForce(member.tree).fault).toBeUndefined();
  });
});

/** The leader's look. */
async function keep(member: Member): Promise<void> {
  await member.configurations.keep(member.tree, await member.lead());
}

async function keptTextOf({ center, tree }: Member): Promise<string> {
  return (await center.read(tree.paths.usableConfig))!.data;
}

async function textOf({ center, tree }: Member): Promise<string> {
  return (await center.read(tree.paths.config))!.data;
}

async function write(member: Member, text: string): Promise<NodeStat> {
  await (await registry.operator()).set(member.tree.paths.config, text);
  await member.tree.sync();
  member.configurations.inForce(member.tree); // As the runtime does at every event.
  return member.tree.stat(member.tree.paths.config)!;
}

function declareAs(member: Member, className: string): void {
  const options = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4 };
  member.configurations.declare({
    configuration: resolveJobOptions(options, { place: 'spec' }),
    className,
    place: 'spec',
  });
}
