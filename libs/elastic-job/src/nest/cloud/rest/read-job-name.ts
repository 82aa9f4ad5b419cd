import { Readable } from 'node:stream';
import { BadRequestException } from '@nestjs/common';

const LONGEST_BODY = 1_024;

/**
 * Reads the job that a request names: in Java the body is the name itself. Fastify parses a body of type `text/plain`;
 * Express does not, so it is read here.
 * @param body as the application's parsers have left it: a text, or `{ jobName }`
 * @throws {BadRequestException}
 */
export async function readJobName(body: unknown, request: unknown): Promise<string> {
  const name = nameIn(typeof body === 'string' ? body : (nameOf(body) ?? (await unparsed(request))));
  if (name !== '') return name;
  throw new BadRequestException('The body must name the job: {"jobName": "…"}, or the bare name as text/plain.');
}

function nameOf(body: unknown): string | undefined {
  const { jobName }: { jobName?: unknown } = Object(body);
  return typeof jobName === 'string' ? jobName : undefined;
}

/** Java accepts the name with JSON's quotes, and without. */
function nameIn(text: string): string {
  return text.trim().replace(/^"(.*)"$/s, '$1');
}

async function unparsed(request: unknown): Promise<string> {
  if (!(request instanceof Readable) || request.readableEnded) return '';
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > LONGEST_BODY) return '';
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}
