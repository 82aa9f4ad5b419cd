import { type ClientRequest, get } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FRAMEWORKS, startConsole, TOKENS } from './support/console-application.js';

/** Opens a stream on a connection of its own: `fetch` would keep spare ones, for which a server waits. */
async function openStream(url: string): Promise<ClientRequest> {
  const request = get(url, { agent: false, headers: { authorization: `Bearer ${TOKENS.viewer}` } });
  request.on('error', () => {});
  await once(request, 'response');
  return request;
}

describe.each(FRAMEWORKS)('streams on %s', (framework) => {
  it('whose clients have gone keep the application from closing no longer', async () => {
    const { base, close } = await startConsole({ framework });
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => openStream(`${base}/live?topics=overview,jobs,job:settle-orders`)),
    );
    for (const stream of streams) stream.destroy();

    const began = performance.now();
    await close();
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
