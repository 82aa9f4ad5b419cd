import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, resolveJobOptions } from '../../domain/index.js';
import { JOB, type Member, Registry } from '../member.for-spec.js';
import { ConfigurationNodeError } from './configuration.errors.js';

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

describe('installing a job', () => {
  it('given ten starters with different options, when they install at once, then one configuration is written for all', async () => {
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

describe('a configuration that was changed into something unusable', () => {
  it.each([
    ['cron: [', ConfigurationNodeError],
    ['jobName: settle-orders\ncron: 0 * * * * ?\nshardingTotalCount: 0\n', ConfigurationNodeError],
    ['jobName: settle-orders\ncron: 0 * * * * ?\nshardingTotalCount: 1000000\n', ConfigurationError],
  ])('given the text %j, when it is read, then what was in force stays so, with the problem', async (text, error) => {
    const member = await registry.joined();
    const before = member.configurations.current(JOB);

    await write(member, text);

    const { configuration, problem } = member.configurations.inForce(member.tree);
    expect(configuration).toBe(before);
    expect(problem).toBeInstanceOf(error);
  });

  it('given it is there before the first start, when a job starts, then that fails', async () => {
    await write(await registry.joined(), 'cron: [');
    const late = await registry.member();
    await late.configurations.install(late.tree);

    expect(() => late.configurations.current(JOB)).toThrow(ConfigurationNodeError);
  });

  it('given it is mended, when it is read, then the problem is gone', async () => {
    const member = await registry.joined();
    const { data } = (await member.center.read(member.tree.paths.config))!;
    expect(member.configurations.current(JOB).cron).toBe('0 * * * * ?');
    await write(member, 'cron: [');
    expect(member.configurations.inForce(member.tree).problem).toBeDefined();

    await write(member, data.replace('0 * * * * ?', '5 * * * * ?'));

    expect(member.configurations.inForce(member.tree)).toMatchObject({ configuration: { cron: '5 * * * * ?' } });
    expect(member.configurations.inForce(member.tree).problem).toBeUndefined();
  });
});

async function write(member: Member, text: string): Promise<void> {
  await (await registry.operator()).set(member.tree.paths.config, text);
  await member.tree.sync();
}

function declareAs(member: Member, className: string): void {
  const options = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4 };
  member.configurations.declare({
    configuration: resolveJobOptions(options, { place: 'spec' }),
    className,
    place: 'spec',
  });
}
