// A network that breaks while the process that uses it is blocked.
import { startFaultProxy } from '@test/support/faults/index.js';

const proxy = await startFaultProxy(Number(process.argv[2]));
process.on('message', ({ cutInMs }: { readonly cutInMs: number }) => setTimeout(() => proxy.cut(), cutInMs));
process.send?.({ connect: proxy.connect });
