/**
 * The first module that each entry of the package loads (`bundle.ts`), in both module systems. Everything else may need
 * what an older Node does not have: the ES modules of Nest 12 in `require`, methods of arrays.
 */
const fault = findNodeFault(process.versions.node);
if (fault !== undefined) throw new Error(fault);

/** Finds why a version of Node cannot run this package. @see `engines` in package.json */
export function findNodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return undefined;
  return (
    `nestjs-elastic-job needs Node 20.19 or later of 20, or 22.12 or later, and this is Node ${version}; ` +
    'install a newer one, or see which one the PATH has.'
  );
}
