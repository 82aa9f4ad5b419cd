import type { FactoryProvider } from '@nestjs/common';
import { ConfigurationError } from '../domain/index.js';

/**
 * The options of a module in `imports` that was not made by `forRoot`. Those of a made one replace it, since they come
 * later.
 * @param token injects the options
 * @param call how the module is imported, as code
 */
export function missingOptions(token: string | symbol, moduleName: string, call: string): FactoryProvider {
  return {
    provide: token,
    useFactory: () => {
      throw new ConfigurationError(moduleName, [
        `it is in imports without options; import ${call} or forRootAsync once, in the root module, and not in others`,
      ]);
    },
  };
}
