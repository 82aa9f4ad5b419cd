import { describe, expect, it, onTestFinished, vi } from 'vitest';

async function placeAt(base: string) {
  vi.resetModules();
  vi.stubGlobal('document', { baseURI: base });
  vi.stubGlobal('location', { origin: new URL(base).origin });
  onTestFinished(() => void vi.unstubAllGlobals());
  return import('./place.js');
}

describe('the place of the page', () => {
  it('is below whatever a proxy has put before its path', async () => {
    const { BASE, pathTo, urlOf } = await placeAt('https://ops.example.com/a%20b/elastic-job/');

    expect(BASE).toBe('/a%20b/elastic-job/');
    expect(pathTo('jobs', '../x?')).toBe('/a%20b/elastic-job/jobs/..%2Fx%3F');
    expect(urlOf('/jobs')).toBe('https://ops.example.com/a%20b/elastic-job/api/v1/jobs');
  });

  it('is never another host, though a proxy takes // for /', async () => {
    const { pathTo, urlOf } = await placeAt('https://ops.example.com//evil.example/elastic-job/');

    expect(pathTo('jobs')).toBe('/evil.example/elastic-job/jobs');
    expect(urlOf('/jobs')).toBe('https://ops.example.com/evil.example/elastic-job/api/v1/jobs');
  });
});
