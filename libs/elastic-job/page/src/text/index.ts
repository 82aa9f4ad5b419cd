// Words of the page in each language, how instants and spans are written, and texts of the registry as they are shown.
export * from './format.js';
export * from './language.js';
export { type Lines, visibleText } from './unseen.js';
export { Text } from './visible.js';
