import type { Generator } from '../load.ts'
import type { Engine, Options } from '../options.ts'
import type { Goal } from '../report.ts'
export async function measureLookups(_engine: Engine, _generator: Generator, _options: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  return { goals: [], problems: [] }
}
