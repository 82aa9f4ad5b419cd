// npm run screenshots: pictures of the console for the documents, of the demo and at the same instant each time.
import { mkdirSync } from 'node:fs';
import { ensurePage } from '../../../src/console/built-page.js';
import { PICTURES, takeScreenshots } from './take.js';

const FOLDER = 'docs/operate/console';

await ensurePage();
mkdirSync(FOLDER, { recursive: true });
await takeScreenshots(FOLDER);
for (const name of PICTURES) console.log(`${FOLDER}/${name}`);
