import { THROWN_TRAPS } from '@test/support/unit/thrown-traps.js';
import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  ElasticJobError,
  errorOfImport,
  MissingPackageError,
  ShuttingDownError,
  UnknownJobError,
} from './errors.js';

describe('the error of a job that nobody has', () => {
  it('says where it was looked for, and what to try', () => {
    expect(new UnknownJobError('settle').message).toMatch(
      /^No job "settle" is registered in this process; register it/,
    );
    expect(new UnknownJobError('settle', 'registry').message).toMatch(/^The registry has no job "settle" .*; compare/);
  });

  it('asks for the nearest name, if one is alike', () => {
    const errors = (['process', 'registry'] as const).map(
      (place) => new UnknownJobError('setle', place, false, 'settle'),
    );

    expect(errors.map(({ message }) => message)).toEqual([
      'No job "setle" is registered in this process; did you mean "settle"?',
      'The registry has no job "setle" in this namespace; did you mean "settle"?',
    ]);
  });

  it('says of a job that is being removed that it can be added again later', () => {
    const error = new UnknownJobError('settle', 'process', true);
    expect(error.message).toBe('Job "settle" is being removed from this process; add it again once it has left.');
    expect([error.isLeaving, new UnknownJobError('settle').isLeaving]).toEqual([true, false]);
  });
});

it('has its name where somebody has made the name of all errors read-only', () => {
  const base: object = Error.prototype;
  const usual = Object.getOwnPropertyDescriptor(base, 'name')!;
  try {
    Object.defineProperty(base, 'name', { ...usual, writable: false });

    expect(new ShuttingDownError().name).toBe('ShuttingDownError');
  } finally {
    Object.defineProperty(base, 'name', usual);
  }
});

describe('an error of the other copy of this package', () => {
  const IS_OURS = Symbol.for('nestjs-elastic-job:error');
  const foreign = Object.assign(Object.create(Error.prototype, { [IS_OURS]: { value: true } }), {
    name: 'ShuttingDownError',
  });

  it('is one of ours, and of the class of its name', () => {
    expect(foreign).toBeInstanceOf(ElasticJobError);
    expect(foreign).toBeInstanceOf(ShuttingDownError);
    expect(foreign).not.toBeInstanceOf(ConfigurationError);
  });

  it.each([new Error('another'), { name: 'ShuttingDownError', [IS_OURS]: true }, 'ShuttingDownError', undefined])(
    'is not %o',
    (thrown) => {
      expect(thrown instanceof ElasticJobError).toBe(false);
      expect(thrown instanceof ShuttingDownError).toBe(false);
    },
  );

  it('knows an error of this one by the same mark', () => {
    expect(Reflect.get(new ShuttingDownError(), IS_OURS)).toBe(true);
  });
});

it('is also of the class that its class extends, and its name is in JSON and can be changed', () => {
  class ShopError extends ConfigurationError {}
  const error = new ShopError('a', []);

  expect(error).toBeInstanceOf(ConfigurationError);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'ShopError', code: 'CONFIGURATION', place: 'a' });
  expect(Object.assign(error, { name: 'Shop' }).name).toBe('Shop');
});

describe('a thrown value with traps', () => {
  it.each([...THROWN_TRAPS])('is none of ours: %s', (_what, trapped) => {
    expect(trapped() instanceof ConfigurationError).toBe(false);
  });
});

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

describe('errorOfImport', () => {
  it('names the package that is missing, what needs it, and the command that installs it', async () => {
    const name = 'never-installed-package';

    const failed: unknown = await import(/* @vite-ignore */ name).catch((error: unknown) => error);

    const error = errorOfImport(failed, name, 'A test');
    expect(error).toBeInstanceOf(MissingPackageError);
    expect(error).toHaveProperty(
      'message',
      'A test needs the package "never-installed-package", which is not installed; ' +
        'run "npm install never-installed-package".',
    );
  });

  it.each([
    ['Node, import', 'ERR_MODULE_NOT_FOUND', "Cannot find package 'cron' imported from /app/a.js"],
    ['Node, require', 'MODULE_NOT_FOUND', "Cannot find module 'cron'\nRequire stack:\n- /app/a.js"],
    ["Yarn's Plug'n'Play", 'MODULE_NOT_FOUND', "a tried to access cron (a peer dependency) but it isn't provided"],
  ])('recognizes the missing package from the message of %s', (_, code, message) => {
    const error = errorOfImport(failure(code, message), 'cron', 'A test');

    expect(error).toMatchObject({ code: 'MISSING_PACKAGE', packageName: 'cron', cause: { code } });
  });

  it.each([
    ['ERR_MODULE_NOT_FOUND', "Cannot find package 'luxon' imported from /app/node_modules/cron/dist/index.js"],
    ['ERR_OTHER', "'cron' is broken"],
  ])('returns the error of the package itself if that fails with %s', (code, message) => {
    const failed = failure(code, message);

    expect(errorOfImport(failed, 'cron', 'A test')).toBe(failed);
  });

  it.each(['no', null, new Error("Cannot find package 'cron'")])(
    'returns anything else as it was thrown: %o',
    (thrown) => {
      expect(errorOfImport(thrown, 'cron', 'A test')).toBe(thrown);
    },
  );
});
