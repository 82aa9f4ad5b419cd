import type { ModulesContainer } from '@nestjs/core';
import { assertRestUsable, type CloudRestOptions, type RestParts } from './cloud-rest-options.js';

/** The option `rest`, once it is judged. */
export class CloudRestAccess {
  /** Undefined: there is no REST. */
  readonly options: CloudRestOptions | undefined;

  /** @throws {ConfigurationError} */
  constructor(options: RestParts, isInTask = false) {
    // The environment of a task has no secrets, and it answers no requests.
    if (!isInTask) assertRestUsable(options);
    this.options = isInTask ? undefined : options.rest;
  }

  /**
   * Takes controllers away before Nest maps their routes, if there is no REST: an application's own routes of the same
   * names stay its own. The option may come from an asynchronous factory, so a module's metadata cannot know it.
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
