// A reporter of vitest: creates the file that `UNHANDLED_ERRORS` names if an error belongs to no test. A second run of
// the failed files alone would not show it.
import { writeFileSync } from 'node:fs';

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    if (errors.length > 0) writeFileSync(process.env.UNHANDLED_ERRORS, '');
  }
}
