import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../clock/index.js';
import type { JobFailure, JobProps } from '../../domain/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { JobErrorHandlers } from '../error-handling/index.js';
import { EmailErrorHandler } from './email.error-handler.js';

const failure: JobFailure = {
  jobName: 'settle-orders',
  item: 3,
  taskId: 't',
  fireTime: 0,
  source: 'NORMAL_TRIGGER',
  error: new Error('out of stock'),
};
const ACCOUNT: JobProps = {
  'email.host': '127.0.0.1',
  'email.username': 'jobs',
  'email.password': 's3cret',
  'email.from': 'jobs@example.com',
  'email.to': 'ops@example.com,oncall@example.com',
};

interface Mail {
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly text: string;
}

/** A certificate that nobody has signed. */
let certificate: { readonly key: string; readonly cert: string };
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mail-'));
  const [key, cert] = ['key.pem', 'cert.pem'].map((file) => join(directory, file));
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2', '-subj', '/CN=mail'];
  await promisify(execFile)('openssl', [...request, '-keyout', key!, '-out', cert!]);
  certificate = { key: await readFile(key!, 'utf8'), cert: await readFile(cert!, 'utf8') };
  await rm(directory, { recursive: true });
});

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

/** A real server. */
async function startServer(options: SMTPServerOptions): Promise<{ readonly port: string; readonly mails: Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    ...certificate,
    authMethods: ['PLAIN'],
    onAuth: ({ username, password }, _session, answer) =>
      password === 's3cret' ? answer(null, { user: username }) : answer(new Error('no such account')),
    onData: (stream, { envelope, secure, user }, done) => {
      const lines: string[] = [];
      stream.setEncoding('utf8').on('data', (part: string) => void lines.push(part));
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address);
        // What quoted-printable has broken is put together again.
        mails.push({ to, isSecure: secure, user: String(user), text: lines.join('').replaceAll('=\r\n', '') });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {}); // A client that distrusts the certificate hangs up.
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  open.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { port: portOf(server.server), mails };
}

function portOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' ? String(address?.port) : '';
}

/** @returns why something was not delivered */
async function send(props: JobProps, failures = 1): Promise<readonly JobEvent[]> {
  const told: JobEvent[] = [];
  const events = new JobEvents();
  events.on((event) => void (event.kind === 'error-handler-failed' && told.push(event)));
  const handlers = new JobErrorHandlers(new SystemClock(), events, [new EmailErrorHandler()], 60_000);
  const job = { jobName: failure.jobName, jobErrorHandlerType: 'EMAIL', props };
  handlers.assertUsable(job, 'spec');
  for (let item = 0; item < failures; item += 1) handlers.handle({ ...failure, item }, job);
  await handlers.close(8_000);
  return told;
}

describe('EmailErrorHandler', () => {
  it('given a server that speaks TLS and is trusted, when an item fails, then all are told, under the account of the job', async () => {
    const { port, mails } = await startServer({ secure: true });
    const props = {
      ...ACCOUNT,
      'email.port': port,
      'email.ssl.trust': '*',
      'email.cc': 'lead@example.com',
      'email.bcc': 'audit@example.com',
    };
    expect(await send(props)).toEqual([]);
    expect(mails).toMatchObject([{ isSecure: true, user: 'jobs' }]);
    const [mail] = mails;
    expect(mail!.to).toEqual(['ops@example.com', 'oncall@example.com', 'lead@example.com', 'audit@example.com']);
    expect(mail!.text).toContain('Subject: ElasticJob error message\r\n');
    expect(mail!.text).toContain('Cc: lead@example.com\r\n');
    expect(mail!.text).not.toContain('audit@example.com');
    expect(mail!.text).toContain("Job 'settle-orders' exception occur in job processing");
    expect(mail!.text).toContain('out of stock');
  });

  it.each([
    ['trusted by name', { 'email.ssl.trust': 'other.example.com 127.0.0.1' }, 1],
    ['not trusted', {}, 0],
    ['not among the trusted ones', { 'email.ssl.trust': 'other.example.com' }, 0],
  ])(
    'given a certificate that nobody has signed, when the server is %s, then %j sends %d mails',
    async (_, trust, count) => {
      const { port, mails } = await startServer({ secure: true });
      const told = await send({ ...ACCOUNT, 'email.port': port, ...trust });
      expect(mails).toHaveLength(count);
      const failed = { kind: 'error-handler-failed', type: 'EMAIL' };
      expect(told).toMatchObject(count === 0 ? [failed] : []);
    },
  );

  it('given email.useSsl false and a server without TLS, when an item fails, then the mail has the subject of the job', async () => {
    const { port, mails } = await startServer({
      secure: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
    });
    const told = await send({
      ...ACCOUNT,
      'email.port': port,
      'email.useSsl': 'false',
      'email.subject': 'Orders stuck',
    });
    expect(told).toEqual([]);
    expect(mails).toMatchObject([{ isSecure: false, text: expect.stringContaining('Subject: Orders stuck\r\n') }]);
  });

  it('given a wrong password, when an item fails, then an event tells so without it', async () => {
    const { port, mails } = await startServer({ secure: true });
    const told = await send({ ...ACCOUNT, 'email.port': port, 'email.ssl.trust': '*', 'email.password': 'wr0ng' });
    expect(mails).toEqual([]);
    expect(told).toMatchObject([
      {
        kind: 'error-handler-failed',
        error: expect.objectContaining({ message: expect.stringContaining('no such account') }),
      },
    ]);
    expect(String(Reflect.get(told[0]!, 'error'))).not.toContain('wr0ng');
  });

  it('given 1,000 failures of one kind, when they come, then there are two mails, and the second has their number', async () => {
    const { port, mails } = await startServer({ secure: true });
    expect(await send({ ...ACCOUNT, 'email.port': port, 'email.ssl.trust': '*' }, 1_000)).toEqual([]);
    expect(mails).toHaveLength(2);
    expect(mails.some((mail) => mail.text.includes('999 times from'))).toBe(true);
  });

  it('given a server that never greets, when its time is over, then it is given up', async () => {
    const silent = createServer((socket) => void socket.on('error', () => {}));
    const sockets: (() => void)[] = [];
    silent.on('connection', (socket) => sockets.push(() => socket.destroy()));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    open.push(async () => {
      for (const destroy of sockets) destroy();
      await new Promise((resolve) => silent.close(resolve));
    });
    const port = portOf(silent);
    const told = await send({ ...ACCOUNT, 'email.port': port, 'email.useSsl': 'false' });
    expect(told).toMatchObject([{ kind: 'error-handler-failed', error: { message: 'Greeting never received' } }]);
  }, 15_000);

  it('given props that are missing or wrong, when judged, then each is named', () => {
    const wrong = { 'email.port': '70000', 'email.useSsl': 'yes', 'email.password': 's3cret' };
    expect(new EmailErrorHandler().findFaults(wrong)).toEqual([
      'email.host must be given',
      'email.port must be a whole number from 1 to 65535, but is "70000"',
      'email.username must be given',
      'email.useSsl must be true or false, but is "yes"',
      'email.from must be given',
      'email.to must be given',
    ]);
  });
});
