import type { OptionRow, Rule } from '../../domain/index.js';
import { CONSOLE_ROUTES } from './console-routes.js';
import type { Answers, ConsoleRoute } from './route.js';
import { API } from './router.js';

type Schema = Readonly<Record<string, unknown>>;
/** Schemas by the names of their types. */
export type Schemas = Readonly<Record<string, Schema>>;
type Rows = Readonly<Record<string, OptionRow>>;

const PROBLEM = 'ProblemAnswer';
/** Answers that are no JSON of ours. */
const WITHOUT_SCHEMA: readonly (keyof Answers)[] = ['text', 'events', 'document', 'nothing'];

/** Names of the types of all answers, of which the description needs the schemas. */
export function answerNames(): readonly string[] {
  const names = CONSOLE_ROUTES.flatMap(({ answer }) => answer).filter((name) => !WITHOUT_SCHEMA.includes(name));
  return [...new Set([...names, PROBLEM])].toSorted();
}

/**
 * The description of the API (OpenAPI 3.1), from the table of routes, the rows of what they are asked, and the types of
 * what they answer.
 * @param schemas of the answers, made of their types
 */
export function openApiOf(schemas: Schemas, version: string): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of CONSOLE_ROUTES) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'nestjs-elastic-job console',
      version,
      description: 'See and operate jobs. Times are ISO 8601 in UTC, durations are milliseconds, tokens are texts.',
    },
    servers: [{ url: `.${API}`, description: 'Below the path of the console.' }],
    security: [{ token: [] }, { session: [] }, { loopbackSession: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-ej_session' },
        loopbackSession: { type: 'apiKey', in: 'cookie', name: 'ej_session' },
      },
    },
  };
}

function operationOf(route: ConsoleRoute): object {
  const { body, role, summary } = route;
  return {
    operationId: operationIdOf(route),
    summary,
    description: role === 'anybody' ? 'Anybody may.' : `Needs the role ${role}.`,
    'x-role': role,
    ...(role === 'anybody' && { security: [] }),
    parameters: parametersOf(route),
    ...(body !== undefined && {
      requestBody: {
        required: requiredIn(body).length > 0,
        content: { 'application/json': { schema: schemaOf(body) } },
      },
    }),
    responses: {
      ...answersOf(route),
      ...(route.method === 'GET' && { 304: { description: 'The client has it already.' } }),
      default: {
        description: 'A problem (RFC 9457).',
        content: { 'application/problem+json': { schema: refTo(PROBLEM) } },
      },
    },
  };
}

/** Of a change that may be previewed, the preview has a status of its own if the change is answered by another one. */
function answersOf({ answer, csv, query = {}, status, summary }: ConsoleRoute): Readonly<Record<number, object>> {
  const isPreviewed = status !== 200 && Object.hasOwn(query, 'preview');
  if (!isPreviewed) return { [status]: { description: summary, ...contentOf({ answer, csv }) } };
  return {
    [status]: { description: summary, ...contentOf({ answer: answer.slice(0, 1) }) },
    200: { description: 'What would become of it.', ...contentOf({ answer: answer.slice(1) }) },
  };
}

/** `post /jobs/:job/trigger` is `postJobTrigger`. */
function operationIdOf({ method, path }: ConsoleRoute): string {
  const words = path.split(/[/:.-]+/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf({ answer, method, path, query = {} }: ConsoleRoute): readonly object[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'item' ? { type: 'integer', minimum: 0 } : { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, { required = false, rule }]) => ({
    name,
    in: 'query',
    required,
    schema: ofRule(rule),
  }));
  const ifMatch = { name: 'if-match', in: 'header', required: false, schema: { type: 'string' } };
  const isConfigChange = method === 'PATCH' && answer.includes('ConfigChangedAnswer');
  return [...inPath, ...inQuery, ...(isConfigChange ? [ifMatch] : [])];
}

function contentOf({ answer: names, csv }: Pick<ConsoleRoute, 'answer' | 'csv'>): object {
  if (names.includes('nothing')) return {};
  if (names.includes('text')) return { content: { 'text/plain': { schema: { type: 'string' } } } };
  if (names.includes('events')) return { content: { 'text/event-stream': { schema: { type: 'string' } } } };
  if (names.includes('document')) return { content: { 'application/json': { schema: { type: 'object' } } } };
  const [first, ...others] = names.map(refTo);
  const schema = others.length === 0 ? first : { anyOf: [first, ...others] };
  const table = csv === undefined ? {} : { 'text/csv': { schema: { type: 'string' } } };
  return { content: { 'application/json': { schema }, ...table } };
}

function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function schemaOf(rows: Rows): Schema {
  const properties = Object.fromEntries(Object.entries(rows).map(([name, { rule }]) => [name, ofRule(rule)]));
  return { type: 'object', properties, required: requiredIn(rows), additionalProperties: false };
}

function requiredIn(rows: Rows): readonly string[] {
  return Object.entries(rows).flatMap(([name, { required }]) => (required === true ? [name] : []));
}

function ofRule({ schema = {}, what }: Rule): Schema {
  return { ...schema, description: what };
}
