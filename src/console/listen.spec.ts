import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from './listen.js';

function listenAt(port: string) {
  vi.stubEnv('PORT', port);
  onTestFinished(() => void vi.unstubAllEnvs());
  const bind = vi.fn<(...given: unknown[]) => Promise<void>>(() => Promise.resolve());
  const app = { listen: bind, getUrl: () => Promise.resolve('http://127.0.0.1:3001/') };
  return { bind, origin: listen(app) };
}

describe('PORT', () => {
  // Node takes another text for the path of a socket, and leaves a file of that name behind.
  it.each(['abc', '-1', '70000', '3.5', '3000x', '0x10', './ipc'])('that is %j is refused in words', async (port) => {
    const { bind, origin } = listenAt(port);

    await expect(origin).rejects.toThrow(`PORT must be a number from 0 to 65535, but is "${port}"`);
    expect(bind).not.toHaveBeenCalled();
  });

  it.each([
    ['3001', '3001'],
    [' 3001 ', '3001'],
    ['0', '0'],
    ['', '3000'],
  ])('that is %j listens at %s', async (port, bound) => {
    const { bind, origin } = listenAt(port);

    expect(await origin).toBe('http://127.0.0.1:3001');
    expect(bind).toHaveBeenCalledWith(bound, '127.0.0.1');
  });
});
