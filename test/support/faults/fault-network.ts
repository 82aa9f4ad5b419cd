import { type FaultProxy, type RequestChoice, startFaultProxy } from './fault-proxy.js';

/** The network between one client and every member of an ensemble. All links break together. */
export class FaultNetwork {
  constructor(private readonly proxies: readonly FaultProxy[]) {}

  /** The server list for the client. */
  get connect(): string {
    return this.proxies.map(({ connect }) => connect).join(',');
  }

  /** As `FaultProxy.cut`. */
  cut(): void {
    for (const proxy of this.proxies) proxy.cut();
  }

  /** As `FaultProxy.blackhole`. */
  blackhole(way: 'both' | 'toServer' | 'toClient'): void {
    for (const proxy of this.proxies) proxy.blackhole(way);
  }

  /** As `FaultProxy.delay`. */
  delay(ms: number): void {
    for (const proxy of this.proxies) proxy.delay(ms);
  }

  /** As `FaultProxy.answerWith`. */
  answerWith(code: number, matches?: RequestChoice): void {
    for (const proxy of this.proxies) proxy.answerWith(code, matches);
  }

  /** As `FaultProxy.heal`. */
  async heal(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.heal()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
  }
}

/** A network before servers on those loopback ports. */
export async function startFaultNetwork(ports: readonly number[]): Promise<FaultNetwork> {
  return new FaultNetwork(await Promise.all(ports.map((port) => startFaultProxy(port))));
}
