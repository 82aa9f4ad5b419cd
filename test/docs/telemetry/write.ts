import { writeFileSync } from 'node:fs';
import { TELEMETRY_PAGE, telemetryPage } from './telemetry-page.js';

// npm run docs:telemetry
writeFileSync(TELEMETRY_PAGE, await telemetryPage());
