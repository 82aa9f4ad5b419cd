import {
  type ConsoleAuth,
  type ConsoleUser,
  Identities,
  type IdentityParts,
  newToken,
  RateLimits,
} from '../../../libs/elastic-job/src/console/identity/index.js';
import { ConsoleProblem, type ConsoleRequest } from '../../../libs/elastic-job/src/console/contract/index.js';
import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';

export const HOST = 'ops.example.com';
export const ORIGIN = `https://${HOST}`;
export const PASSWORD = 'correct horse battery';
export const MINUTE_MS = 60_000;
export const viewer = newToken();
export const admin = newToken();
/** The text that `hashPassword` makes of `PASSWORD`, once for all specs. */
const HASHED = '$scrypt$ln=15,r=8,p=3$c2FsdCBvZiAxNiBieXRlcw$hzTEu4AXw9grEfvBA8gkPvZg7Sh/NaEgLuvk4od37VY';
export const anna: ConsoleUser = { name: 'anna', role: 'operator', jobPrefix: 'billing-', password: HASHED };

/** Cookies and others that a request has beside those of a browser on the console's page. */
export type Headers = ConsoleRequest['headers'];

/** A request over https, by a browser on the console's page. A header that is undefined is left out. */
export function request(headers: Headers = {}, others: Partial<ConsoleRequest> = {}): ConsoleRequest {
  const { method = 'GET' } = others;
  const own = { host: HOST, ...(method === 'GET' ? {} : { origin: ORIGIN }) };
  const given = Object.fromEntries(Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined));
  const { signal } = new AbortController();
  const connection = { peer: '10.0.0.9', isEncrypted: true, raw: {}, signal };
  const body = async () => Buffer.alloc(0);
  return { id: '1', method, url: '/api/v1/jobs', body, ...connection, ...others, headers: given };
}

export const change = (headers: Headers = {}, others: Partial<ConsoleRequest> = {}) =>
  request(headers, { method: 'POST', ...others });
export const bearing = (token: string): Headers => ({ authorization: `Bearer ${token}` });
export const local = { peer: '127.0.0.1', isEncrypted: false };
export const onLoopback: Headers = { host: 'localhost:3000', origin: 'http://localhost:3000' };

/** Parts of which some are wrong on purpose. */
type GivenParts = Partial<Record<keyof IdentityParts, unknown>>;

/** The gate of a console with accounts. */
export function gate(given: GivenParts = {}) {
  const clock = new VirtualClock();
  const written: string[] = [];
  const warned: unknown[][] = [];
  const log = {
    info: (line: string) => void written.push(line),
    warn: (...line: unknown[]) => void warned.push(line),
  };
  const auth: ConsoleAuth = {
    users: [anna],
    tokens: [
      { name: 'ci', role: 'viewer', sha256: viewer.sha256, jobPrefix: 'billing-', expires: '2030-01-02T00:00:00Z' },
      { name: 'root', role: 'admin', sha256: admin.sha256.toUpperCase() },
    ],
  };
  const limits = new RateLimits(clock);
  const parts = { auth, clock, limits, readOnly: false, requireReason: true, log, ...given };
  const identities: Identities = Reflect.construct(Identities, [parts]);
  return { identities, clock, written, warned };
}

/** The refusal of a request: its status and code. */
export async function refusalOf(answer: Promise<unknown> | (() => unknown)): Promise<ConsoleProblem> {
  const error: unknown = await (typeof answer === 'function' ? (async () => answer())() : answer).then(
    () => new Error('it was not refused'),
    (problem: unknown) => problem,
  );
  if (error instanceof ConsoleProblem) return error;
  throw error;
}

export async function statusOf(answer: Promise<unknown> | (() => unknown)): Promise<string> {
  const { status, code } = await refusalOf(answer);
  return `${status} ${code}`;
}

/** Logs anna in. @returns the `Cookie` header for later requests */
export async function logIn(identities: Identities, headers: Headers = {}, others: Partial<ConsoleRequest> = {}) {
  const { headers: set } = await identities.logIn(change(headers, others), { name: 'anna', password: PASSWORD });
  return { cookie: set['set-cookie']!.split(';')[0]! };
}
