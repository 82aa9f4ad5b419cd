import { Hidden } from './hidden.js';

/** A text that may hold secrets, such as the password of a tracing database. @see Hidden */
export class HiddenText extends Hidden<string> {}
