import { type Clock, Deadline } from '../../clock/index.js';
import { isObject } from '../../domain/index.js';
import { ConsoleProblem, type ConsoleRequest } from '../contract/index.js';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** From the beginning of the reading to its end. */
  readonly withinMs: number;
}

export const BODY_LIMITS: BodyLimits = { maxBytes: 256 * 1_024, maxDepth: 32, withinMs: 10_000 };

/** The rest of the body is not read. */
const CLOSED = { connection: 'close' };
/** Names by which code that copies fields would change the prototype of all objects. */
const REFUSED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a body of JSON, which must be an object; an empty one is an object without fields.
 * @throws {ConsoleProblem} 400, 408, 413, 415
 */
export async function readBody(request: ConsoleRequest, clock: Clock, limits = BODY_LIMITS): Promise<object> {
  assertJson(request, limits);
  const body = await withinTime(request, clock, limits);
  const value = (Buffer.isBuffer(body) ? parsed(body, limits) : body.parsed) ?? {};
  if (!isObject(value)) throw wrong('must be an object');
  // First, since a parser of the host lets it be as deep as it likes, and JSON.stringify goes as deep.
  assertPlain(value, limits.maxDepth);
  if (!Buffer.isBuffer(body)) assertShort(Buffer.byteLength(JSON.stringify(value)), limits);
  return value;
}

function assertJson({ headers }: ConsoleRequest, limits: BodyLimits): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw unsupported('The body must not be compressed.');
  const type = headers['content-type'];
  if (typeof type !== 'string' || !/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw unsupported('The body must be JSON: content-type application/json.');
  }
  assertShort(Number(headers['content-length'] ?? 0), limits);
}

async function withinTime(request: ConsoleRequest, clock: Clock, { maxBytes, withinMs }: BodyLimits) {
  const reading = request.body(maxBytes).catch(() => {
    throw wrong('must come whole');
  });
  const body = await Deadline.after(clock, withinMs).bounds(reading, () => {
    throw new ConsoleProblem(408, 'TIMEOUT', `The body has not come within ${withinMs} ms.`, {}, CLOSED);
  });
  if (Buffer.isBuffer(body) && body.length > maxBytes) throw tooLarge(maxBytes);
  return body;
}

function parsed(body: Buffer, { maxDepth }: BodyLimits): unknown {
  if (body.length === 0) return undefined;
  const text = textOf(body);
  if (depthOf(text) > maxDepth) throw wrong(`must not be deeper than ${maxDepth}`);
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser repeats the text, which may be a secret.
    throw wrong('must be JSON');
  }
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw wrong('must be UTF-8');
  }
}

/** Without parsing, which would go as deep. */
function depthOf(text: string): number {
  let [depth, deepest, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (isQuoted) {
      if (character === '\\') at += 1;
      else isQuoted = character !== '"';
    } else if (character === '"') isQuoted = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

/** @throws {ConsoleProblem} for names of prototypes, and for what a parser of the host let through too deep */
function assertPlain(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw wrong('must not be as deep');
  for (const name of Object.keys(value)) {
    if (REFUSED_NAMES.has(name)) throw wrong(`must not have a field ${name}`);
    assertPlain(Reflect.get(value, name), levels - 1);
  }
}

function assertShort(bytes: number, { maxBytes }: BodyLimits): void {
  if (!(bytes <= maxBytes)) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): ConsoleProblem {
  return new ConsoleProblem(413, 'REQUEST_TOO_LARGE', `The body must have at most ${maxBytes} bytes.`, {}, CLOSED);
}

function unsupported(detail: string): ConsoleProblem {
  return new ConsoleProblem(415, 'UNSUPPORTED_MEDIA_TYPE', detail);
}

function wrong(problem: string): ConsoleProblem {
  return new ConsoleProblem(400, 'INVALID_ARGUMENT', `The body ${problem}.`, { fields: [{ field: 'body', problem }] });
}
