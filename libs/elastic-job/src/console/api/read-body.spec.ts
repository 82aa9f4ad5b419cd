import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import type { ConsoleRequest } from '../contract/index.js';

const TRIGGER = '/jobs/settle/trigger';

/** Asks with a body that the application's own parser has read, or that does not come. */
async function askWith(body: ConsoleRequest['body']) {
  const console = new FakeConsole();
  const { json, status } = await console.ask('operator', 'POST', TRIGGER, undefined, {}, body);
  return { status, field: json.fields?.[0].field, errors: console.errors, commands: console.commands };
}

/** As deep as the text of a request can be. */
function nested(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let depth = 0; depth < 200_000; depth += 1) value = wrap(value);
  return value;
}

describe('a body', () => {
  it.each([
    ['objects', nested((a) => ({ a }))],
    ['lists', nested((one) => [one])],
  ])('that a parser of the application has read is refused if its %s are too deep', async (_what, parsed) => {
    const answer = await askWith(async () => ({ parsed }));
    expect(answer).toEqual({ status: 400, field: 'body', errors: [], commands: [] });
  });

  it('that a parser of the application has read is refused if it is too long', async () => {
    const answer = await askWith(async () => ({ parsed: { reason: 'x'.repeat(257 * 1_024) } }));
    expect(answer).toMatchObject({ status: 413, errors: [], commands: [] });
  });

  it('that breaks off is no error of the console', async () => {
    const answer = await askWith(async () => {
      throw new Error('aborted');
    });
    expect(answer).toEqual({ status: 400, field: 'body', errors: [], commands: [] });
  });
});
