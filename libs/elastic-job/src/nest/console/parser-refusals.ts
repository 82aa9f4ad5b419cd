/**
 * Requests that a parser or the router of the application refuses before a route is called: a body that is too long or
 * no JSON, a URL that cannot be decoded. The console answers these by a problem, as its own refusals.
 */
import { ConsoleProblem } from '../../console/index.js';

interface Refusals {
  isOurs(url: string): boolean;
  refuse(problem: ConsoleProblem, request: object, reply: object): void;
}

type OnError = (error: unknown, request: object, reply: object, next: (error: unknown) => void) => void;

/** The framework, as far as it is used. */
interface Framework {
  use?(listener: OnError): void;
  addHook?(name: 'onRoute', hook: (route: { url: string; errorHandler?: OnFastifyError }) => void): void;
}

type OnFastifyError = (error: unknown, request: object, reply: { send(error: unknown): void }) => void;

interface Adapter {
  getType?(): string;
  getInstance?(): Framework;
}

const CLOSED = { connection: 'close' };

/** Fastify is told with each route, so before them; Express after them, and before the application's own handler. */
export function answerRefusals(
  adapter: Adapter | undefined,
  when: 'before routes' | 'after routes',
  to: Refusals,
): void {
  const [type, framework] = [adapter?.getType?.(), adapter?.getInstance?.()];
  if (type === 'fastify' && when === 'before routes') {
    framework?.addHook?.('onRoute', (route) => {
      if (!to.isOurs(route.url)) return;
      route.errorHandler = (error, request, reply) => {
        const problem = problemOf(error);
        if (problem === undefined) reply.send(error);
        else to.refuse(problem, request, reply);
      };
    });
  }
  if (type === 'express' && when === 'after routes') {
    framework?.use?.((error, request, reply, next) => {
      const problem = to.isOurs(String(Reflect.get(request, 'url'))) ? problemOf(error) : undefined;
      if (problem === undefined) next(error);
      else to.refuse(problem, request, reply);
    });
  }
}

/** Undefined for a refusal of the application, which stays its own. Texts of parsers repeat what was sent. */
function problemOf(error: unknown): ConsoleProblem | undefined {
  const status: unknown = Reflect.get(Object(error), 'statusCode');
  if (status === 413) return new ConsoleProblem(413, 'REQUEST_TOO_LARGE', 'The body is too long.', {}, CLOSED);
  if (status === 415) return new ConsoleProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'A body must be JSON.', {}, CLOSED);
  if (status !== 400) return undefined;
  const fields = [{ field: 'body', problem: 'must be JSON' }];
  return new ConsoleProblem(400, 'INVALID_ARGUMENT', 'The body or the URL cannot be read.', { fields }, CLOSED);
}
