import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../clock/index.js';
import { guardProps, type JobFailure, type JobProps } from '../../domain/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { JobErrorHandlers } from '../error-handling/index.js';
import { EmailErrorHandler, type EmailErrorHandlerOptions } from './email.error-handler.js';

const failure: JobFailure = {
  jobName: 'settle-orders',
  item: 3,
  taskId: 't',
  fireTime: 0,
  source: 'NORMAL_TRIGGER',
  error: new Error('out of stock'),
};
const ADDRESSES: JobProps = { 'email.from': 'jobs@example.com', 'email.to': 'ops@example.com,oncall@example.com' };
const auth = { username: 'jobs', password: 's3cret' };
const host = '127.0.0.1';

interface Mail {
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly text: string;
}

/** A self-signed certificate for the address of the server. */
let certificate: { readonly key: string; readonly cert: string };
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

/** Starts a real server. */
async function startServer(options: SMTPServerOptions): Promise<{ readonly port: number; readonly mails: Mail[] }> {
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
        // Joins the lines that quoted-printable has broken.
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

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? address!.port : 0;
}

/** @returns the reason, if something was not delivered */
async function send(
  options: EmailErrorHandlerOptions,
  props: JobProps = ADDRESSES,
  failures = 1,
): Promise<readonly JobEvent[]> {
  const told: JobEvent[] = [];
  const events = new JobEvents();
  events.on((event) => void (event.kind === 'error-handler-failed' && told.push(event)));
  const handlers = new JobErrorHandlers(new SystemClock(), events, [new EmailErrorHandler(options)], 60_000);
  const job = { jobName: failure.jobName, jobErrorHandlerType: 'EMAIL', props };
  handlers.assertUsable(job, 'spec');
  for (let item = 0; item < failures; item += 1) handlers.handle({ ...failure, item }, job);
  await handlers.close(8_000);
  return told;
}

describe('EmailErrorHandler', () => {
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mail-'));
    const [key, cert] = ['key.pem', 'cert.pem'].map((file) => join(directory, file));
    const request = [
      'req',
      '-x509',
      '-nodes',
      '-newkey',
      'rsa:2048',
      '-days',
      '2',
      '-subj',
      '/CN=mail',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ];
    await promisify(execFile)('openssl', [...request, '-keyout', key!, '-out', cert!]);
    certificate = { key: await readFile(key!, 'utf8'), cert: await readFile(cert!, 'utf8') };
    await rm(directory, { recursive: true });
  });

  it('sends to all recipients over trusted TLS, with the account of the process', async () => {
    const { port, mails } = await startServer({ secure: true });
    const props = { ...ADDRESSES, 'email.cc': 'lead@example.com', 'email.bcc': 'audit@example.com' };
    expect(await send({ host, port, auth, ca: certificate.cert }, props)).toEqual([]);
    expect(mails).toMatchObject([{ isSecure: true, user: 'jobs' }]);
    const [mail] = mails;
    expect(mail!.to).toEqual(['ops@example.com', 'oncall@example.com', 'lead@example.com', 'audit@example.com']);
    expect(mail!.text).toContain('Subject: ElasticJob error message\r\n');
    expect(mail!.text).toContain('Cc: lead@example.com\r\n');
    expect(mail!.text).not.toContain('audit@example.com');
    expect(mail!.text).toContain("Job 'settle-orders' exception occur in job processing");
    expect(mail!.text).toContain('out of stock');
  });

  it('sends over TLS by STARTTLS if `secure` is false', async () => {
    const { port, mails } = await startServer({ secure: false });
    expect(await send({ host, port, secure: false, auth, ca: certificate.cert })).toEqual([]);
    expect(mails).toMatchObject([{ isSecure: true, user: 'jobs' }]);
  });

  it.each<[string, SMTPServerOptions, Partial<EmailErrorHandlerOptions>]>([
    ['whose certificate nobody can check', { secure: true }, {}],
    ['whose certificate nobody can check, by STARTTLS', { secure: false }, { secure: false }],
    [
      'that offers no TLS',
      { secure: false, disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
      { secure: false },
    ],
  ])('never sends the password to a server %s', async (_, server, options) => {
    const passwords: unknown[] = [];
    const { port, mails } = await startServer({
      ...server,
      onAuth: ({ password }, _session, answer) => {
        passwords.push(password);
        answer(null, { user: 'jobs' });
      },
    });
    expect(await send({ host, port, auth, ...options })).toMatchObject([
      { kind: 'error-handler-failed', type: 'EMAIL' },
    ]);
    expect(passwords).toEqual([]);
    expect(mails).toEqual([]);
  });

  it("sends without TLS, account or certificate if `insecure` allows it, with the job's subject", async () => {
    const { port, mails } = await startServer({ secure: false, disabledCommands: ['STARTTLS'], authOptional: true });
    const props = { ...ADDRESSES, 'email.subject': 'Orders stuck' };
    expect(await send({ host, port, secure: false, insecure: true }, props)).toEqual([]);
    expect(mails).toMatchObject([{ isSecure: false, text: expect.stringContaining('Subject: Orders stuck\r\n') }]);
  });

  it("ignores ElasticJob's props that name another server and account", async () => {
    const { port, mails } = await startServer({ secure: true });
    const theirs = {
      'email.host': '192.0.2.1',
      'email.password': 'theirs',
      'email.ssl.trust': '*',
      'email.useSsl': 'false',
    };
    expect(await send({ host, port, auth, ca: certificate.cert }, { ...ADDRESSES, ...theirs })).toEqual([]);
    expect(mails).toMatchObject([{ isSecure: true, user: 'jobs' }]);
  });

  it('emits an event that does not show the password if the server refuses it', async () => {
    const { port, mails } = await startServer({ secure: true });
    const told = await send({ host, port, auth: { ...auth, password: 'wr0ng' }, ca: certificate.cert });
    expect(mails).toEqual([]);
    expect(told).toMatchObject([
      {
        kind: 'error-handler-failed',
        error: expect.objectContaining({ message: expect.stringContaining('no such account') }),
      },
    ]);
    expect(inspect(told, { depth: 10 })).not.toContain('wr0ng');
  });

  it('sends two mails for 1,000 failures of one kind, the second with their number', async () => {
    const { port, mails } = await startServer({ secure: true });
    expect(await send({ host, port, auth, ca: certificate.cert }, ADDRESSES, 1_000)).toEqual([]);
    expect(mails).toHaveLength(2);
    expect(mails.some((mail) => mail.text.includes('999 times from'))).toBe(true);
  });

  it('gives up on a server that does not greet within its time', async () => {
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
    const told = await send({ host, port, secure: false });
    expect(told).toMatchObject([{ kind: 'error-handler-failed', error: { message: 'Greeting never received' } }]);
  }, 15_000);
});

describe('the options of EmailErrorHandler, and its props', () => {
  it('are named if they are missing or wrong', () => {
    const handler = new EmailErrorHandler({ host, to: 'ops@example.com' });
    expect(handler.findFaults({ 'email.cc': 'nobody', 'email.subject': 'a\nBcc: eve@example.com' })).toEqual([
      'email.subject must be one line',
      'email.from must be given',
      'email.cc must be an address',
    ]);
    expect(handler.findFaults({ 'email.from': 'a@example.com\r\nBcc: eve@example.com' })).toEqual([
      'email.from must be one line',
    ]);
  });

  it('need no addresses in the props if the process has its own', () => {
    const handler = new EmailErrorHandler({ host, from: 'jobs@example.com', to: 'ops@example.com' });
    expect(handler.findFaults({})).toEqual([]);
    expect(handler.findFaults({ 'email.from': 'nobody', 'email.to': 'nobody' })).toEqual([]);
  });

  it('follow no edit in the registry that names another address or subject', () => {
    const { targets } = new EmailErrorHandler({ host });
    const names = ['email.from', 'email.to', 'email.cc', 'email.bcc', 'email.subject'];
    const stored = Object.fromEntries(names.map((name) => [name, 'eve@example.com']));
    expect(guardProps(ADDRESSES, stored, targets, {})).toEqual({ props: ADDRESSES, refused: names });
  });

  it('may have the account of a class with getters', () => {
    class Account {
      get username() {
        return 'jobs';
      }
      get password() {
        return 's3cret';
      }
    }

    expect(() => new EmailErrorHandler({ host, auth: new Account() })).not.toThrow();
  });

  it('limit a delivery to 20 s', () => {
    expect(new EmailErrorHandler({ host }).timeLimitMs()).toBe(20_000);
  });

  it.each([1, 65_535])('may have the port %i', (port) => {
    expect(() => new EmailErrorHandler({ host, port })).not.toThrow();
  });

  it.each<[string, object, RegExp]>([
    ['no host', { host: '' }, /host must be the name/],
    ['a host that is none', { host: undefined }, /host must be the name/],
    ['an address of the web', { host: 'smtp.example.org/mails' }, /host must be the name/],
    ['a host behind a space', { host: ' smtp.example.org' }, /host must be the name/],
    ['a port out of range', { port: 70_000 }, /port must be a whole number from 1 to 65535, but is 70000/],
    ['the port 0', { port: 0 }, /port must be a whole number/],
    ['half a port', { port: 25.5 }, /port must be a whole number/],
    ['the first port beyond', { port: 65_536 }, /port must be a whole number/],
    [
      'an account without a password',
      { auth: { username: 'jobs' } },
      /auth.password must be a text that is not empty$/,
    ],
    ['an account without a name', { auth: { password: 's3cret' } }, /auth.username must be a text that is not empty$/],
    ['an empty password', { auth: { ...auth, password: '' } }, /auth.password must be a text that is not empty$/],
    [
      'a password that is no text',
      { auth: { ...auth, password: 5 } },
      /auth.password must be a text that is not empty$/,
    ],
    ['an account as a text', { auth: 'jobs:s3cret' }, /auth must be an object with username and password$/],
    ['more than an account', { auth: { ...auth, method: 'PLAIN' } }, /auth.method is not an option of an account/],
    ['an account and no TLS', { auth, insecure: true }, /a password is sent only over TLS that is checked/],
    ['certificates that are no texts', { ca: [5, 'pem'] }, /ca must be certificates in PEM$/],
    ['no address', { from: 'nobody' }, /email.from must be an address/],
    ['a line break in an address', { to: 'a@example.com\nb@example.com' }, /email.to must be one line/],
  ])('are refused with %s', (_, wrong, message) => {
    expect(() => new EmailErrorHandler({ host, ...wrong })).toThrow(message);
  });
});
