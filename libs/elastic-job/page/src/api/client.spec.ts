import { afterEach, expect, it, vi } from 'vitest';

vi.mock('./place.js', () => ({ urlOf: (path: string) => `/api/v1${path}` }));

// Another spec in this thread may have it already, over other parts.
vi.resetModules();
const { change, get } = await import('./client.js');

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const refusal = (retryAfter: string) =>
  new Response(
    JSON.stringify({ code: 'TOO_MANY_REQUESTS', detail: 'Wait.', title: 'too many requests', status: 429 }),
    {
      status: 429,
      headers: { 'retry-after': retryAfter, 'content-type': 'application/problem+json' },
    },
  );

function serve(...responses: readonly Response[]) {
  vi.useFakeTimers();
  const waiting = [...responses];
  const fetched = vi.fn<typeof fetch>(async () => waiting.shift()!);
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

it('a read beyond the limit of a second is made again when the limit is over', async () => {
  const fetched = serve(refusal('1'), refusal('1'), Response.json({ jobs: 3 }));

  const answer = get('/overview');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(fetched).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1_000);

  expect(await answer).toEqual({ jobs: 3 });
});

it('a read whose limit lasts, and a change, are not made again', async () => {
  const fetched = serve(refusal('60'), refusal('1'));

  await expect(get('/overview')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  await expect(change('POST', '/jobs/a/trigger')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });

  expect(fetched).toHaveBeenCalledTimes(2);
});
