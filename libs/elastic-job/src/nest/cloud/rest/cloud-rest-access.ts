import type { ModulesContainer } from '@nestjs/core';
import { assertRestUsable, type CloudRestOptions, type RestParts } from './cloud-rest-options.js';

/** The validated option `rest`. */
export class CloudRestAccess {
  /** Undefined if there is no REST interface. */
  readonly options: CloudRestOptions | undefined;

  /** @throws {ConfigurationError} */
  constructor(options: RestParts, isInTask = false) {
    // The environment of a task has no secrets, and a task answers no requests.
    if (!isInTask) assertRestUsable(options);
    this.options = isInTask ? undefined : options.rest;
  }

  /**
   * Removes the controllers before Nest maps their routes, if there is no REST interface, so that an application may
   * use these routes itself. The option may come from an asynchronous factory, after the module's metadata is fixed.
   */
  unmapUnlessGiven(modules: ModulesContainer, controllers: readonly object[]): this {
    if (this.options !== undefined) return this;
    for (const module of modules.values()) {
      for (const token of module.controllers.keys()) {
        if (controllers.some((controller) => controller === token)) module.controllers.delete(token);
      }
    }
    return this;
  }
}
