import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebhookErrorHandler } from '@app/elastic-job/error-handlers';
import { ScriptJobType } from '@app/elastic-job/script';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventLine } from '../../libs/elastic-job/src/nest/event-lines.js';
import { startService, until, Victim } from './support/attack.js';

const NEVER = '0 0 0 1 1 ? 2199';
const JOB = { cron: NEVER, shardingTotalCount: 1 };

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'security-'))));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

describe('an attacker who may write to the registry', () => {
  it('cannot make a process run another command, and the attempt is reported', async () => {
    const ours = `sh -c "touch ${join(directory, 'ours')}"`;
    const victim = await Victim.start({
      jobTypes: [new ScriptJobType()],
      jobs: { settle: { ...JOB, type: 'SCRIPT', props: { 'script.command.line': ours } } },
    });

    await victim.edit('settle', ours, `sh -c "env > ${join(directory, 'theirs')}"`);
    await until(() => victim.notFollowed().length > 0);
    await victim.trigger('settle');

    expect(existsSync(join(directory, 'ours'))).toBe(true);
    expect(existsSync(join(directory, 'theirs'))).toBe(false);
    expect(victim.notFollowed()).toEqual([
      'props.script.command.line: hidden here, hidden in the registry, which is not followed ' +
        '(see allowRegistryTargets)',
    ]);
    expect(await victim.statistics.getJobBriefInfo('settle')).toMatchObject({ status: 'OK' });
  });

  it('may name a command that the module allows', async () => {
    const victim = await Victim.start({
      jobTypes: [new ScriptJobType()],
      jobs: { settle: { ...JOB, type: 'SCRIPT', props: { 'script.command.line': 'true' } } },
      allowRegistryTargets: { commands: ['sh'] },
    });

    await victim.edit(
      'settle',
      "script.command.line: 'true'",
      `script.command.line: sh -c "touch ${join(directory, 'theirs')}"`,
    );
    await until(() => victim.told('configuration-differs').length > 0);
    await victim.trigger('settle');

    expect(existsSync(join(directory, 'theirs'))).toBe(true);
    expect(victim.notFollowed()).toEqual([]);
  });

  it('reads no variable of the process through a script of its own', async () => {
    vi.stubEnv('DATABASE_PASSWORD', 's3cret');
    const file = join(directory, 'env');
    const victim = await Victim.start({
      jobTypes: [new ScriptJobType()],
      jobs: { settle: { ...JOB, type: 'SCRIPT', props: { 'script.command.line': `sh -c "env > ${file}"` } } },
    });

    await victim.trigger('settle');

    expect(readFileSync(file, 'utf8')).toContain('PATH=');
    expect(readFileSync(file, 'utf8')).not.toContain('s3cret');
  });

  it('cannot send an HTTP job to another address, not even by a redirect', async () => {
    const theirs = await startService();
    const ours = await startService((_, response) =>
      response.writeHead(302, { location: `${theirs.origin}/redirected` }).end('an answer that nobody else may read'),
    );
    const props = { 'http.uri': `${ours.origin}/settle`, 'http.method': 'POST' };
    const victim = await Victim.start({ jobs: { settle: { ...JOB, type: 'HTTP', props } } });

    await victim.edit('settle', `${ours.origin}/settle`, `${theirs.origin}/settle`);
    await until(() => victim.notFollowed().length > 0);
    await victim.trigger('settle');

    expect([ours.asked, theirs.asked]).toEqual([['POST /settle'], []]);
    expect(victim.settled('settle')).toMatchObject([{ outcome: { kind: 'failed' } }]);
    expect(JSON.stringify(victim.events)).not.toContain('nobody else may read');
  });

  it('cannot make an HTTP job send another method, body or content type to its own address', async () => {
    const ours = await startService();
    const props = { 'http.uri': `${ours.origin}/orders`, 'http.method': 'GET' };
    const victim = await Victim.start({ jobs: { settle: { ...JOB, type: 'HTTP', props } } });

    await victim.edit(
      'settle',
      'http.method: GET',
      "http.method: DELETE\n  http.data: all\n  http.content.type: 'text/x'",
    );
    await until(() => victim.notFollowed().length > 0);
    await victim.trigger('settle');

    expect(ours.asked).toEqual(['GET /orders']);
    expect(victim.notFollowed().map((difference) => difference.split(':', 1)[0])).toEqual([
      'props.http.method',
      'props.http.data',
      'props.http.content.type',
    ]);
  });

  it('may name method and body of a request to an origin that the module allows', async () => {
    const ours = await startService();
    const props = { 'http.uri': `${ours.origin}/orders`, 'http.method': 'GET' };
    const victim = await Victim.start({
      jobs: { settle: { ...JOB, type: 'HTTP', props } },
      allowRegistryTargets: { origins: [ours.origin] },
    });

    await victim.edit('settle', 'http.method: GET', 'http.method: PUT');
    await until(() => victim.told('configuration-differs').length > 0);
    await victim.trigger('settle');

    expect(ours.asked).toEqual(['PUT /orders']);
    expect(victim.notFollowed()).toEqual([]);
  });

  it('cannot send failures to a channel that is not enabled, or to another address of an enabled one', async () => {
    const theirs = await startService();
    const ours = await startService();
    const failing = { 'http.uri': 'http://127.0.0.1:1/', 'http.method': 'POST' };
    const told = { ...failing, 'webhook.url': `${ours.origin}/alarms` };
    const victim = await Victim.start({
      jobs: { settle: { ...JOB, type: 'HTTP', props: failing } },
    });
    const alarmed = await Victim.start({
      jobs: { settle: { ...JOB, type: 'HTTP', jobErrorHandlerType: 'WEBHOOK', props: told } },
      errorHandlers: [new WebhookErrorHandler({ authorization: 'Bearer ours' })],
    });

    await victim.edit(
      'settle',
      /props:/,
      `jobErrorHandlerType: WEBHOOK\nprops:\n  webhook.url: ${theirs.origin}/stacks`,
    );
    await until(() => victim.told('configuration-differs').length > 0);
    await victim.trigger('settle');
    await until(() => victim.told('error-handler-failed').length > 0);
    await alarmed.edit('settle', ours.origin, theirs.origin);
    await until(() => alarmed.notFollowed().length > 0);
    await alarmed.trigger('settle');
    await until(() => ours.asked.length > 0);

    expect(theirs.asked).toEqual([]);
    expect(ours.asked).toEqual(['POST /alarms']);
    expect(victim.told('error')).toMatchObject([{ jobName: 'settle', message: 'item 0 failed' }]);
  });

  it.each([
    ['long texts', "jobParameter: ''", `jobParameter: ${'x'.repeat(100_000)}`],
    ['what nobody can read', /^cron: .*$/m, 'cron: nonsense'],
    ['no cron', /^cron: .*$/m, "cron: ''"],
  ])('cannot fill the log by edits to and fro, with %s', async (_kind, ours, theirs) => {
    const props = { 'http.uri': 'http://127.0.0.1:1/', 'http.method': 'POST' };
    const victim = await Victim.start({ jobs: { settle: { ...JOB, type: 'HTTP', props } } });
    const text = (await victim.attacker.read('/settle/config'))!.data;

    for (let edit = 0; edit < 100; edit += 1) {
      await victim.edit('settle', ours, theirs);
      await victim.synced(1);
      await victim.attacker.set('/settle/config', text);
      await victim.synced(1);
    }

    // The debug level is off by default.
    const lines = victim.events.map((event) => eventLine(event)).filter(({ level }) => level !== 'debug');
    const texts = lines.map(({ text: line }) => line);
    expect(texts.length).toBeGreaterThan(0);
    expect(new Set(texts)).toHaveProperty('size', texts.length);
    expect(texts.join('\n').length).toBeLessThan(20_000);
  });
});
