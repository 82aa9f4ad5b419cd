import { forkClient } from './client-process.js';

const client = forkClient(new URL('./echo.fixture.ts', import.meta.url));
await client.receive();
client.pause();
process.send?.(client.pid);
