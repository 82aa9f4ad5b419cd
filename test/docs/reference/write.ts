import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { referencePages } from './pages.js';

// npm run docs:reference
for (const [path, text] of await referencePages()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
