import { ElasticJob, ElasticJobModule, ElasticJobTemplate, type ElasticJobModuleOptions } from '@app/elastic-job';
import { ElasticJobConsoleModule, type ElasticJobConsoleOptions, newToken } from '@app/elastic-job/console';
import { type INestApplication, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';
import { answerFaults } from './answer-faults.js';

type Framework = 'express' | 'fastify';
/** The project with Nest 11 has no Fastify of that release. */
export const FRAMEWORKS: readonly Framework[] = ['express', 'fastify'];

const made = { viewer: newToken(), operator: newToken(), admin: newToken(), scoped: newToken(), expired: newToken() };
/** Tokens by whose they are. `scoped` is an admin of the jobs that begin with `billing-`. */
export const TOKENS = {
  viewer: made.viewer.token,
  operator: made.operator.token,
  admin: made.admin.token,
  scoped: made.scoped.token,
  expired: made.expired.token,
};
export const AUTH = {
  tokens: [
    { name: 'viewer', role: 'viewer', sha256: made.viewer.sha256 },
    { name: 'operator', role: 'operator', sha256: made.operator.sha256 },
    { name: 'admin', role: 'admin', sha256: made.admin.sha256 },
    { name: 'scoped', role: 'admin', sha256: made.scoped.sha256, jobPrefix: 'billing-' },
    { name: 'expired', role: 'admin', sha256: made.expired.sha256, expires: '2020-01-01T00:00:00Z' },
  ],
} as const;

/** Jobs whose items run when they are asked to. */
export class SettlingJobs {
  @ElasticJob({ name: 'settle-orders', cron: '0 0 2 * * ?', shardingTotalCount: 3, description: '[finance] settles' })
  settle(): void {}

  @ElasticJob({ name: 'billing-run', cron: '0 0 3 * * ?', shardingTotalCount: 2 })
  bill(): void {}
}

/** A template from which the API creates jobs. */
export class ReportTemplate {
  @ElasticJobTemplate('report')
  report(): void {}
}

interface Parts extends ModuleMetadata {
  readonly framework?: Framework;
  readonly options?: ElasticJobModuleOptions;
  readonly console?: ElasticJobConsoleOptions;
  /** Called before the application is started. */
  readonly before?: (app: INestApplication) => void | Promise<void>;
}

export interface Asked {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

@Module({})
class RootModule {}

/** An application with a console, on a port of its own. It is closed when the test has finished, also half started. */
export async function startConsole({ before, console, framework = 'express', options, ...metadata }: Parts = {}) {
  const root = {
    module: RootModule,
    providers: [SettlingJobs],
    ...metadata,
    imports: [
      ElasticJobModule.forRoot({ registry: { type: 'memory' }, ...options }),
      ElasticJobConsoleModule.forRoot({
        auth: AUTH,
        limits: { readsPerSecond: 10_000, changesPerMinute: 10_000 },
        ...console,
      }),
      ...(metadata.imports ?? []),
    ],
  };
  const quiet = { logger: false, abortOnError: false } as const;
  const app: INestApplication =
    framework === 'express'
      ? await NestFactory.create(root, quiet)
      : await NestFactory.create(root, new (await import('@nestjs/platform-fastify')).FastifyAdapter(), quiet);
  const state: { closing?: Promise<void> } = {};
  const close = () => (state.closing ??= app.close());
  onTestFinished(close);
  await before?.(app);
  await app.listen(0, '127.0.0.1');
  const { port }: { port: number } = app.getHttpServer().address();
  const origin = `http://127.0.0.1:${port}`;
  const base = `${origin}/elastic-job/api/v1`;

  /** Holds each answer against `openapi.json`. @param path below the API */
  const ask = async (method: string, path: string, { body, headers = {}, token = TOKENS.admin }: Asked = {}) => {
    const response = await fetch(path.startsWith('http') ? path : base + path, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const { headers: answered, status } = response;
    const json = isJson ? JSON.parse(text) : undefined;
    const faults = answerFaults({ method, url: response.url, status, type: answered.get('content-type') ?? '', json });
    if (faults.length > 0) throw new Error(`${method} ${path} is not as openapi.json says: ${JSON.stringify(faults)}`);
    return { status, headers: answered, text, json };
  };
  return { app, ask, base, origin, port, close };
}
