// Parts that all views are made of. Each file says how it is used.
export { askFor, type Change, ChangeDialog } from './change.js';
export { Choice } from './choice.js';
export { Dialog } from './dialog.js';
export { useHeld } from './held.js';
export { later } from './later.js';
export { Behind, Failed, Loading, Look, ProblemText, Read } from './looks.js';
export { MayNot } from './may-not.js';
export { Menu, MenuItem } from './menu.js';
export { Boundary, Panel } from './panel.js';
export { SearchField } from './search-field.js';
export { useSettled } from './settled.js';
export { Tag, type Tone } from './tag.js';
export { TextField } from './text-field.js';
export { Clock, Since, Time, Until } from './time.js';
export { useTitle } from './title.js';
export { type Column, useRowHeight, VirtualTable } from './virtual-table.js';
