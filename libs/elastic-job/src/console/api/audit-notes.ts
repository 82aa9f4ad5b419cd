/** Entries of the audit that no change makes: log-ins, log-outs, and what somebody was not let do. */
import type { AuditNote } from '../audit/index.js';
import {
  type AuditTarget,
  type ConsoleCall,
  type ConsoleCaller,
  ConsoleProblem,
  type ConsoleRequest,
  seesJob,
  type SessionAnswer,
} from '../contract/index.js';
import { type ConsoleRoute, type Routed, WithHeaders } from './route.js';
import type { RouteCode } from './route-code.js';
import type { LogInBody } from './rows.js';

type Parts = Pick<RouteCode, 'audit' | 'identities'>;
type Params = ConsoleCall['params'];

/** Where a note comes from. */
interface Source {
  readonly address: string;
  readonly requestId: string;
}

/**
 * A log-in, which is none if it cannot be written down: then nobody is told its session. The name of a refused one is
 * kept only if there is such a user, since people type passwords into the field of the name.
 * @throws {ConsoleProblem} 401, 403, 429, 503
 */
export async function logIn(
  { audit, identities }: Parts,
  { address, body, requestId }: ConsoleCall<object, LogInBody>,
  request: ConsoleRequest,
): Promise<WithHeaders<SessionAnswer>> {
  const source = { address, requestId };
  try {
    const { answer, headers } = await identities.logIn(request, body);
    await audit.note(noteOf(source, answer, { action: 'session.login', outcome: 'done' }));
    return new WithHeaders(answer, headers);
  } catch (error) {
    if (error instanceof ConsoleProblem && [401, 429].includes(error.status)) {
      const caller = identities.isUser(body.name) ? { name: body.name, role: null, by: 'page' as const } : NOBODY;
      await audit.note(noteOf(source, caller, { action: 'session.login', outcome: 'refused', code: error.code }));
    }
    throw error;
  }
}

/** A log-out, which happens whether it can be written down or not. @throws {ConsoleProblem} 403, 503 */
export async function logOut(
  { audit, identities }: Parts,
  { address, requestId }: ConsoleCall,
  request: ConsoleRequest,
): Promise<WithHeaders<undefined>> {
  const { caller, headers } = await identities.logOut(request);
  if (caller !== undefined) {
    const note = noteOf({ address, requestId }, caller, { action: 'session.logout', outcome: 'done' });
    // The log has told of it.
    await audit.note(note).catch(() => {});
  }
  return new WithHeaders(undefined, headers);
}

/** A request that was refused, as far as it is known who has made it and for what. */
interface Refused {
  readonly error: unknown;
  readonly request: ConsoleRequest;
  readonly found: Routed | undefined;
  readonly caller: ConsoleCaller | undefined;
}

/**
 * Notes a change beyond the rights of its caller, and a token that lets nobody in. Equal ones are merged by the audit,
 * so that nobody fills it. What an open entry of a change tells already is none of these.
 */
export async function noteRefusal({ audit, identities }: Parts, refused: Refused): Promise<void> {
  const { caller, error, found, request } = refused;
  if (found === undefined || !(error instanceof ConsoleProblem)) return;
  const source = () => ({ address: identities.addressOf(request), requestId: request.id });
  const { code, status } = error;
  if (caller === undefined) {
    if (status !== 401 || request.headers['authorization'] === undefined) return;
    return audit.note(noteOf(source(), NOBODY, { action: 'session.token', outcome: 'refused', code }));
  }
  const { isChange, params, route } = found;
  const isBeyondPrefix = params.job !== undefined && !seesJob(caller, params.job);
  if (!isChange || !(status === 403 || isBeyondPrefix)) return;
  const deed = { action: actionOf(route), target: targetOf(params), outcome: 'refused', code } as const;
  return audit.note(noteOf(source(), caller, deed));
}

type Who = Pick<AuditNote, 'by' | 'role'> & { readonly name: string | null };

const NOBODY: Who = { name: null, role: null, by: 'token' };

function noteOf(
  { address, requestId }: Source,
  { by, name, role }: Who,
  deed: Pick<AuditNote, 'action' | 'code' | 'outcome'> & { readonly target?: AuditTarget },
): AuditNote {
  return { who: name, role, by, address, requestId, reason: null, target: {}, ...deed };
}

const KINDS: Readonly<Record<string, string>> = { ':job': 'job', ':item': 'item', ':ip': 'server', ':rerun': 'rerun' };
/** Verbs of routes that do not end with one. */
const VERBS: Readonly<Record<string, string>> = {
  reruns: 'rerun',
  ':rerun': 'withdraw',
  ':job': 'remove',
  ':ip': 'remove',
};

/** The action by which a change of the route stands in the audit, such as `job.trigger`. */
function actionOf({ path }: ConsoleRoute): string {
  const names = path.slice(1).split('/');
  const [last = '', thing] = [names.at(-1), names.findLast((name) => name.startsWith(':'))];
  return thing === undefined ? 'job.create' : `${KINDS[thing]}.${VERBS[last] ?? last}`;
}

function targetOf({ ip, item, job }: Params): AuditTarget {
  return {
    ...(job !== undefined && { job }),
    ...(item !== undefined && { item: Number(item) }),
    ...(ip !== undefined && { server: ip }),
  };
}
