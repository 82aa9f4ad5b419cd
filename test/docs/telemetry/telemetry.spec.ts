import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JOB_EVENTS } from '../../../libs/elastic-job/src/tracing/index.js';
import { eventFields } from './event-fields.js';
import { TELEMETRY_PAGE, telemetryPage } from './telemetry-page.js';

describe('docs/telemetry.md', () => {
  it('given the catalogues in the code, when the page is made of them, then it is the one that stands there', async () => {
    const page = readFileSync(TELEMETRY_PAGE, 'utf8');
    expect(page, 'stale: npm run docs:telemetry').toBe(await telemetryPage());
  });

  it("given the events' types, when their fields are read, then they are those of the catalogue, each with what it tells", () => {
    const fields = eventFields();
    expect(new Set(fields.keys())).toEqual(new Set(Object.keys(JOB_EVENTS)));
    expect(fields.get('settled')).toEqual(['trigger', 'taskId', 'item', 'outcome', 'durationMs']);
  });
});
