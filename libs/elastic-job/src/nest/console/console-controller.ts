import {
  All,
  Controller,
  Get,
  Inject,
  Req,
  RequestMapping,
  RequestMethod,
  Res,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { API, CONSOLE_ROUTES, PAGE_ROUTES } from '../../console/index.js';
import { ConsoleServer } from './console-server.js';

/**
 * Makes a new class for each path: two applications of one process may serve different ones. Each route of the table is
 * one of Nest. It passes on the request and the reply as the framework has them, so that nothing of the application
 * stands between.
 */
export function consoleControllerAt(path: string, decorators: readonly ClassDecorator[]): Type<object> {
  @Controller({ path, version: VERSION_NEUTRAL })
  class ElasticJobConsoleController {
    constructor(@Inject(ConsoleServer) readonly server: ConsoleServer) {}

    async page(@Req() request: object, @Res() reply: object): Promise<void> {
      await this.server.answerPage(request, reply);
    }

    async others(@Req() request: object, @Res() reply: object): Promise<void> {
      await this.server.answer(request, reply);
    }
  }
  const { prototype } = ElasticJobConsoleController;
  const others = Object.getOwnPropertyDescriptor(prototype, 'others')!;
  // Again at the end: Express asks the routes in their order.
  Reflect.deleteProperty(prototype, 'others');
  for (const route of CONSOLE_ROUTES) {
    const name = `${route.method} ${route.path}`;
    const value = async function answer(this: ElasticJobConsoleController, request: object, reply: object) {
      await this.server.answer(request, reply);
    };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    RequestMapping({ path: API + route.path, method: RequestMethod[route.method] })(prototype, name, { value });
    Req()(prototype, name, 0);
    Res()(prototype, name, 1);
  }
  Object.defineProperty(prototype, 'others', others);
  for (const decorate of decorators) decorate(ElasticJobConsoleController);
  return ElasticJobConsoleController;
}

/**
 * Maps the URLs of the page. Express takes its routes in their order, so they are named one by one, and the application
 * may have others below the path. Fastify takes a wildcard last, and needs it for the slash at the end of the path.
 */
export function mapPage(controller: Type<object>, framework: string | undefined): void {
  const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, 'page')!;
  const { below, exact } = PAGE_ROUTES;
  const paths = framework === 'fastify' ? ['', '/*'] : [...exact, ...below.map((route) => `${route}/*path`)];
  Get(paths)(controller.prototype, 'page', descriptor);
}

/**
 * Maps what is below the API and none of its routes, which is answered by a problem as well. Also longer names than
 * Fastify's router takes come that way. Each framework writes such a route in its own way, and refuses the other's.
 */
export function mapOthers(controller: Type<object>, framework: string | undefined): void {
  const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, 'others')!;
  All([API, framework === 'fastify' ? `${API}/*` : `${API}/*path`])(controller.prototype, 'others', descriptor);
}
