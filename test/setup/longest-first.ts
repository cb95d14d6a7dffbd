import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take a minute where others take seconds: they start processes and browsers, or tell hundreds of
 * stories. One of them that comes last keeps everybody waiting, and vitest, which goes by what it remembers,
 * remembers nothing in a clean clone.
 */
const long: readonly RegExp[] = [
  /\/test\/(crash|webhooks)\.test/,
  /\/test\/(lab\/matrix|postgres)\b/,
  /\/src\/cli\//,
  /\.faults\.test|\/faults\.test/,
  /\/test\/browser\//,
  /\/src\/database\//,
  /\/src\/api\/(fuzz|tenancy)\.test/,
]

const rank = ({ moduleId }: TestSpecification): number => {
  const found = long.findIndex((pattern) => pattern.test(moduleId))
  return found === -1 ? long.length : found
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
