import { ConsoleProblem } from '../contract/index.js';
import { CONSOLE_ROUTES } from './console-routes.js';
import { findNameFault } from './names.js';
import type { ConsoleRoute, Routed } from './route.js';

/** The part of the URL that all routes have. */
export const API = '/api/v1';
const LONGEST_URL = 8_192;
const MOST_DIGITS = 9;

/**
 * Finds the route of a request. `HEAD` is asked as `GET`. A part of the path is decoded once, and may be no path
 * itself.
 * @param url below the path of the console
 * @throws {ConsoleProblem} 404, 405 with `allow`, 400 for a name that nothing can have
 */
export function routed(method: string, url: string): Routed {
  const [path = '', ...rest] = url.split('?');
  const parts = url.length <= LONGEST_URL ? partsOf(path) : undefined;
  const found = CONSOLE_ROUTES.filter((route) => parts !== undefined && matches(route, parts));
  if (parts === undefined || found.length === 0)
    throw new ConsoleProblem(404, 'UNKNOWN_ROUTE', 'There is no such route.');
  const route = found.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
  if (route === undefined) throw notAllowed(found);
  const query = new URLSearchParams(rest.join('?'));
  const params = paramsOf(route, parts);
  if (!isPreview(route, query)) return { route, params, query, isChange: route.isChange };
  // A change may be answered before it has happened; a look is not.
  return { route: { ...route, status: 200 }, params, query, isChange: false };
}

/** Only a route that knows the parameter: others refuse it, and stay changes. */
function isPreview({ query: rows = {} }: ConsoleRoute, query: URLSearchParams): boolean {
  return Object.hasOwn(rows, 'preview') && ['', 'true'].includes(query.get('preview') ?? 'false');
}

/** Undecoded; undefined for what is none of the API's. */
function partsOf(path: string): readonly string[] | undefined {
  return path.startsWith(`${API}/`) ? path.slice(API.length + 1).split('/') : undefined;
}

function namesIn({ path }: ConsoleRoute): readonly string[] {
  return path.slice(1).split('/');
}

function matches(route: ConsoleRoute, parts: readonly string[]): boolean {
  const names = namesIn(route);
  return (
    names.length === parts.length &&
    names.every((name, index) => (name.startsWith(':') ? parts[index] !== '' : name === parts[index]))
  );
}

function notAllowed(routes: readonly ConsoleRoute[]): ConsoleProblem {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new ConsoleProblem(
    405,
    'METHOD_NOT_ALLOWED',
    'The route has no such method.',
    {},
    { allow: methods.join(', ') },
  );
}

function paramsOf(route: ConsoleRoute, parts: readonly string[]): Readonly<Record<string, string>> {
  const given = namesIn(route).flatMap((name, index) =>
    name.startsWith(':') ? [[name.slice(1), decoded(parts[index]!)] as const] : [],
  );
  const fields = given.flatMap(([field, value]) => {
    const problem = findFault(field, value);
    return problem === undefined ? [] : [{ field, problem }];
  });
  if (fields.length > 0) throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'The path names nothing.', { fields });
  return Object.fromEntries(given);
}

/** Undefined for what is no encoded text. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

function findFault(field: string, value: string): string | undefined {
  if (field !== 'item') return findNameFault(value);
  return /^\d+$/.test(value) && value.length <= MOST_DIGITS ? undefined : 'must be a whole number';
}
