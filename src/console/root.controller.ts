import { Controller, Get, Redirect } from '@nestjs/common';

/** Path of the console, which is the default of its module. */
export const CONSOLE_PATH = '/elastic-job/';

@Controller()
export class RootController {
  @Get()
  @Redirect(CONSOLE_PATH)
  toConsole(): void {}
}
