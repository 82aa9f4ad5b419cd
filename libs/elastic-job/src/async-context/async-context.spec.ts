import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { inOwnContext, inPackageContext, publicCalls } from './async-context.js';

const als = new AsyncLocalStorage<string>();

@publicCalls()
class Service {
  constructor(private readonly answer: string) {}

  get store(): string | undefined {
    return als.getStore();
  }
  stores(other: string): (string | undefined)[] {
    return [this.answer, other, als.getStore()];
  }
  async later(): Promise<string | undefined> {
    await Promise.resolve();
    return als.getStore();
  }
  static known(): string | undefined {
    return als.getStore();
  }
}

it("runs a public method without its caller's store, which the caller keeps", async () => {
  const service = new Service('own');
  await als.run('REQUEST', async () => {
    expect(service.stores('other')).toEqual(['own', 'other', undefined]);
    expect(await service.later()).toBeUndefined();
    expect(als.getStore()).toBe('REQUEST');
    expect([service.store, Service.known()]).toEqual(['REQUEST', 'REQUEST']);
  });
});

it('runs the other methods in the context of the caller if some are named', () => {
  @publicCalls('asks')
  class Port {
    asks(): unknown {
      return als.getStore();
    }
    answers(): unknown {
      return als.getStore();
    }
  }
  const port = new Port();
  expect(als.run('REQUEST', () => [port.asks(), port.answers()])).toEqual([undefined, 'REQUEST']);
});

it('runs a timer that a call leaves behind without the store of the caller', async () => {
  const store = await als.run('REQUEST', () =>
    inPackageContext(() => new Promise((resolve) => setTimeout(() => resolve(als.getStore()), 0))),
  );
  expect(store).toBeUndefined();
});

it("keeps a store that a user's function enters in its own call", async () => {
  const left = inOwnContext(async () => {
    als.enterWith('LEFT');
    await Promise.resolve();
    return als.getStore();
  });
  expect(als.getStore()).toBeUndefined();
  expect(inOwnContext(() => als.getStore())).toBeUndefined();
  expect(await left).toBe('LEFT');
});

it('throws what the function throws', () => {
  const fail = (): never => {
    throw new RangeError('broken');
  };
  expect(() => inOwnContext(fail)).toThrow(RangeError);
  expect(() => inPackageContext(fail)).toThrow(RangeError);
});
