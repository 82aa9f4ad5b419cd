import { sharedClass } from '../../copies/index.js';
import { Hidden } from './hidden.js';

/** A text that may hold secrets, such as the password of a tracing database. @see Hidden */
@sharedClass('HiddenText')
export class HiddenText extends Hidden<string> {}
