/**
 * The person that is logged in. `unknown` until the API has told, `none` before a log-in, `in`, and `over` once it has
 * ended by itself. Then the page stays as it is, with all that was typed, behind a dialog for the log-in. Another
 * person than before begins anew.
 */
import { effect, signal } from '@preact/signals';
import type { SessionAnswer } from '../../../src/console/contract/answers.js';
import { type ConsoleRole, mayAs } from '../../../src/console/contract/roles.js';
import { ApiProblem, asProblem, change, get, refusedSessions, renewedSessions } from '../api/index.js';

type SessionState = 'unknown' | 'none' | 'in' | 'over' | 'failed';

export const sessionState = signal<SessionState>('unknown');
/** The last one who was logged in. */
export const session = signal<SessionAnswer | undefined>(undefined);
/** Why nobody knows who is logged in. */
export const sessionProblem = signal<ApiProblem | undefined>(undefined);

effect(() => {
  if (refusedSessions.value > 0 && sessionState.peek() === 'in') sessionState.value = 'over';
});

// All tabs of a browser have one session, and another tab may have begun or ended it. Nobody does anything here before
// this one has the focus.
addEventListener('focus', () => void lookAgain());

async function lookAgain(): Promise<void> {
  if (sessionState.peek() === 'unknown') return;
  const answer = await get<SessionAnswer>('/session').catch((error: unknown) => asProblem(error));
  if (answer instanceof ApiProblem) {
    if (answer.status === 401 && sessionState.peek() === 'in') sessionState.value = 'over';
  } else if (answer !== undefined) take(answer);
}

/** Asks who is logged in. */
export async function loadSession(): Promise<void> {
  try {
    put(await get<SessionAnswer>('/session'));
  } catch (error) {
    const problem = asProblem(error);
    sessionProblem.value = problem;
    sessionState.value = problem?.status === 401 ? 'none' : 'failed';
  }
}

/** @throws {ApiProblem} 401, 429 */
export async function logIn(name: string, password: string): Promise<void> {
  take(await change<SessionAnswer>('POST', '/session', { body: { name, password } }));
}

/** @throws {ApiProblem} */
export async function logOut(): Promise<void> {
  await change('DELETE', '/session');
  location.reload();
}

/** True if the person may what `role` may, and the console changes anything at all. */
export function may(role: ConsoleRole): boolean {
  const { value } = session;
  return value !== undefined && mayAs(value.role, role) && (role === 'viewer' || !value.readOnly);
}

/** True if the person sees what `role` sees. */
export function sees(role: ConsoleRole): boolean {
  return session.value !== undefined && mayAs(session.value.role, role);
}

/** Begins anew for another person than before: what is shown is not for this one. */
function take(answer: SessionAnswer): void {
  const before = session.peek();
  if (before !== undefined && (before.name !== answer.name || before.jobPrefix !== answer.jobPrefix)) location.reload();
  else put(answer);
}

function put(answer: SessionAnswer): void {
  if (sessionState.peek() === 'over') renewedSessions.value += 1;
  session.value = answer;
  sessionProblem.value = undefined;
  sessionState.value = 'in';
}
