// One instance of ours under chaos.
import { Handlers } from './handlers.js';
import { runInstance } from './instance.js';

await runInstance(({ settings, clock }) => {
  const handlers = new Handlers(clock, settings);
  return { define: (job) => ({ ...job, handler: (context) => handlers.run(context) }) };
});
