// The import shows that `.js` finds the TypeScript beside it.
import { OpenHandles } from './open-handles.js';

await new OpenHandles().stopAll();
process.send?.({ started: process.argv[2], pid: process.pid });
process.on('message', (message) => {
  if (message === 'fail') throw new Error('told to fail');
  process.send?.(message);
});
