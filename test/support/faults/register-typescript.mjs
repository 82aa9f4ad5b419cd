// `node --import` this to run a script of this workspace in TypeScript.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
